package tasklog

import (
	"context"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"os"
	"strings"
	"testing"
	"time"

	trowel "github.com/trowel-project/trowel"
)

// TestTextOfGigabyte measures a log of 1 GB with the error at byte 800,000,000, in a file store. It takes about a minute and
// runs only if TROWEL_TEST_SCALE is set.
func TestTextOfGigabyte(t *testing.T) { //nolint:paralleltest // it measures
	if os.Getenv("TROWEL_TEST_SCALE") == "" {
		t.Skip("TROWEL_TEST_SCALE is not set")
	}
	a := newArchive(t)
	began := time.Now()
	a.writeGigabyte(t)
	a.end(t)
	if err := a.packer.PackAttempt(t.Context(), a.attempt.ID); err != nil {
		t.Fatal(err)
	}
	t.Logf("written and packed in %v", time.Since(began))
	text := a.text(t, Which{FullName: "+w+a"})
	best := func(name string, most time.Duration, f func() error) {
		t.Helper()
		least := time.Hour
		for range 5 {
			began := time.Now()
			if err := f(); err != nil {
				t.Fatal(name, err)
			}
			least = min(least, time.Since(began))
		}
		t.Logf("%-34s %9.1f ms of %d", name, float64(least.Microseconds())/1000, most.Milliseconds())
		if least > most {
			t.Errorf("%s takes %v, limit %v", name, least, most)
		}
	}
	best("open the text", 100*time.Millisecond, func() error {
		_, err := a.reader.Text(t.Context(), a.attempt.ID, Which{FullName: "+w+a"})
		return err
	})
	best("find the error and read 256 KiB", 250*time.Millisecond, func() error {
		at, err := text.FindError(t.Context())
		if err != nil {
			return err
		}
		p, err := text.Read(t.Context(), at, 256<<10)
		if err == nil && !strings.HasPrefix(string(p.Data), "ValueError: at 800 MB\n") {
			return fmt.Errorf("read %.40q at %d", p.Data, at)
		}
		return err
	})
	best("the end", 150*time.Millisecond, func() error { _, err := text.Tail(t.Context(), 1000, 256<<10); return err })
	best("a line in the middle", 150*time.Millisecond, func() error {
		at, err := text.Line(t.Context(), text.Lines/2)
		if err == nil {
			_, err = text.Read(t.Context(), at, 256<<10)
		}
		return err
	})
	for _, c := range []struct {
		query string
		regex bool
	}{{"ValueError: at 800", false}, {`ValueError: at \d+ MB`, true}, {`\w+Error: [a-z]+ 800`, true}, {"row 12345678 ", false}} {
		p, err := NewPattern(c.query, PatternOptions{Regex: c.regex})
		if err != nil {
			t.Fatal(err)
		}
		began, calls, slowest := time.Now(), 0, time.Duration(0)
		found, from := 0, int64(0)
		for from < text.Size {
			call := time.Now()
			f, err := text.Search(t.Context(), Search{
				Pattern: p, From: from, Limit: 100, MaxBytes: 64 << 20, Until: call.Add(500 * time.Millisecond), Now: time.Now,
			})
			if err != nil {
				t.Fatal(err)
			}
			found, from, calls, slowest = found+len(f.Matches), f.ScannedTo, calls+1, max(slowest, time.Since(call))
		}
		t.Logf("search for %q: %d found in %v, %d calls, the slowest %v", c.query, found, time.Since(began), calls, slowest)
		if slowest > time.Second {
			t.Errorf("a call took %v", slowest)
		}
	}
}

// writeGigabyte stores a log of 1 GB.
func (a *archive) writeGigabyte(t *testing.T) {
	t.Helper()
	g := NewGatherer(GathererOptions{Insert: Into(a.db), Agent: "1@host", Now: time.Now, Logger: slog.New(slog.DiscardHandler)})
	lease := testLease("+w+a")
	lease.AttemptID = a.attempt.ID
	w := g.Open(lease)
	rnd := rand.New(rand.NewPCG(1, 1))
	var line []byte
	for size, row, failed := 0, 0, false; size < 1e9; row++ {
		line = fmt.Appendf(line[:0], "2024-01-02 00:00:%02d.%03d processed row %d of table users after %d ms: key=%08x\n", row%60, row%1000, row, rnd.IntN(977), rnd.Uint32())
		if !failed && size >= 8e8 {
			line, failed = []byte("ValueError: at 800 MB\n"), true
		}
		if _, err := w.Write(line); err != nil {
			t.Fatal(err)
		}
		size += len(line)
		if row%50_000 == 0 {
			chunks, err := w.unstored()
			if err == nil {
				err = Into(a.db)(t.Context(), chunks)
			}
			if err != nil {
				t.Fatal(err)
			}
			w.stored(len(chunks))
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	a.update(t, func(ctx context.Context, tx trowel.Tx) error { return tx.InsertLogChunks(ctx, w.Remainder()) })
}
