package daemon

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/blob"
	"github.com/trowel-project/trowel/internal/server/health"
)

// endingBlobs is a store whose writes all end in the same way.
type endingBlobs struct {
	blob.Store

	ended         error
	puts, deletes int
}

func (s *endingBlobs) Put(_ context.Context, _ string, from io.Reader, _ int64) error {
	s.puts++
	if _, err := io.Copy(io.Discard, from); err != nil {
		return blob.Unavailable("put", "k", err)
	}
	return s.ended
}

func (s *endingBlobs) Delete(context.Context, string) error {
	s.deletes++
	return nil
}

// A store that could not be written is unhealthy until it can. A probe writes to a folder at most every ten seconds, and to
// a bucket only after a failed write.
func TestHealthBlobs(t *testing.T) {
	t.Parallel()
	full := fmt.Errorf("disk full: %w", trowel.ErrUnavailable)
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	for _, bucket := range []bool{false, true} {
		now := time.Now()
		below := &endingBlobs{}
		s := healthBlobs{below, "archives", bucket, &health.Writes{}, func() time.Time { return now }}
		for _, step := range []struct {
			name           string
			after          time.Duration
			ctx            context.Context //nolint:containedctx // of one step
			from           io.Reader       // what is written; nil for nothing
			ended          error           // how writing ends
			well           bool
			folder, bucket int // number of probes written so far, to a folder and to a bucket
		}{
			{"at first", 0, nil, nil, nil, true, 1, 0},
			{"again", 9 * time.Second, nil, nil, nil, true, 1, 0},
			{"quiet for long", time.Second, nil, nil, nil, true, 2, 0},
			{"whoever writes has gone", 0, gone, strings.NewReader("x"), full, true, 2, 0},
			{"what is written cannot be read", 0, t.Context(), iotest.ErrReader(errors.New("broken")), full, true, 2, 0},
			{"it is full", 0, t.Context(), strings.NewReader("x"), full, false, 2, 0},
			{"still, at once", 9 * time.Second, nil, nil, nil, false, 2, 0},
			{"still", time.Second, nil, nil, full, false, 3, 1},
			{"there is room", 10 * time.Second, nil, nil, nil, true, 4, 2},
			{"no answer", 0, t.Context(), strings.NewReader("x"), context.DeadlineExceeded, false, 4, 2},
			{"something is written", 0, t.Context(), strings.NewReader("x"), nil, true, 4, 2},
		} {
			now, below.ended = now.Add(step.after), step.ended
			if step.from != nil {
				_ = s.Put(step.ctx, "k", step.from, 1)
				below.puts--
			}
			err := s.check(t.Context(), "id")
			probes := step.folder
			if bucket {
				probes = step.bucket
			}
			if (err == nil) != step.well || below.puts != probes {
				t.Errorf("bucket %t, %s: %v after %d probes, want well %t after %d", bucket, step.name, err, below.puts, step.well, probes)
			}
		}
		if want := map[bool]int{false: 3, true: 1}[bucket]; below.deletes != want {
			t.Errorf("bucket %t: %d deletes of what probes wrote, want %d", bucket, below.deletes, want)
		}
	}
}
