package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/blob"
	"github.com/trowel-project/trowel/internal/server"
)

// endingBlobs is a store that writes with one outcome.
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

// A store that could not be written is not well until it is. A probe writes to a folder at most every ten seconds, to a
// bucket only after a write that failed.
func TestHealthBlobs(t *testing.T) {
	t.Parallel()
	full := fmt.Errorf("disk full: %w", trowel.ErrUnavailable)
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	for _, bucket := range []bool{false, true} {
		now := time.Now()
		below := &endingBlobs{}
		s := healthBlobs{below, "archives", bucket, &server.Writes{}, func() time.Time { return now }}
		for _, step := range []struct {
			name           string
			after          time.Duration
			ctx            context.Context //nolint:containedctx // of one step
			from           io.Reader       // what somebody writes; nil if nobody does
			ended          error           // how writing ends
			well           bool
			folder, bucket int // writes of probes up to now, to a folder and to a bucket
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

// A server whose archives or logs cannot be kept says so in its health, without where they are, until they can.
func TestHealthOfFolders(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	archives, logs := filepath.Join(root, "archives"), filepath.Join(root, "logs")
	s := serve(t, "database.type", "memory", "archive.type", "file", "archive.file.path", archives,
		"log-server.type", "local", "log-server.local.path", logs)
	health := func() (status int, bad map[string]string) {
		status, text := s.request("GET", "/api/health", "application/json", "")
		var report struct {
			Parts []struct {
				Name    string
				OK      bool
				Message string
			}
		}
		if err := json.Unmarshal([]byte(text), &report); err != nil || len(report.Parts) != 3 {
			t.Fatalf("health: %v: %s", err, text)
		}
		if strings.Contains(text, root) {
			t.Errorf("health tells a path: %s", text)
		}
		bad = map[string]string{}
		for _, p := range report.Parts {
			if !p.OK {
				bad[p.Name] = p.Message
			}
		}
		return status, bad
	}
	if status, bad := health(); status != http.StatusOK || len(bad) > 0 {
		t.Fatalf("health of a new server: %d, %v", status, bad)
	}
	if err := os.Rename(archives, archives+".away"); err != nil {
		t.Fatal(err)
	}
	push := func() outcome {
		c := newConsole(t)
		c.write("main.dig", "+a:\n  echo>: a\n")
		return c.run("push", "p", "-e", s.url)
	}
	if out := push(); out.exit == 0 || strings.Contains(out.stdout+out.stderr, root) {
		t.Errorf("push without a folder: exit %d, %s", out.exit, out.stderr)
	}
	if status, bad := health(); status != http.StatusServiceUnavailable || len(bad) != 1 || !strings.Contains(bad["archives"], "no such file") {
		t.Errorf("health without the folder of archives: %d, %v", status, bad)
	}
	if err := os.Rename(archives+".away", archives); err != nil {
		t.Fatal(err)
	}
	if out := push(); out.exit != 0 {
		t.Errorf("push: exit %d, %s", out.exit, out.stderr)
	}
	if status, bad := health(); status != http.StatusOK || len(bad) > 0 {
		t.Errorf("health afterwards: %d, %v", status, bad)
	}
}
