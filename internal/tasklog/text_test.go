package tasklog

import (
	"context"
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"time"

	trowel "github.com/trowel-project/trowel"
)

// writeText stores the output of a try that begins at an instant, in pieces. Its return value is the name of the file.
func (a *archive) writeText(t *testing.T, task string, at time.Time, pieces ...string) string {
	t.Helper()
	g := NewGatherer(GathererOptions{Insert: Into(a.db), Agent: "1@host", Now: func() time.Time { return at }, Logger: slog.New(slog.DiscardHandler)})
	lease := testLease(task)
	lease.AttemptID = a.attempt.ID
	w := g.Open(lease)
	for _, piece := range pieces {
		put(t, w, piece)
		a.want[w.file] += piece
		if _, err := w.unstored(); err != nil {
			t.Fatal(err)
		}
	}
	closeLog(t, w)
	a.update(t, func(ctx context.Context, tx trowel.Tx) error { return tx.InsertLogChunks(ctx, w.Remainder()) })
	return w.file
}

func (a *archive) text(t *testing.T, which Which) *Text {
	t.Helper()
	text, err := a.reader.Text(t.Context(), a.attempt.ID, which)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// all reads a text by pieces of about limit bytes.
func all(t *testing.T, text *Text, limit int) (whole string, pieces int) {
	t.Helper()
	for int64(len(whole)) < text.Size {
		p, err := text.Read(t.Context(), int64(len(whole)), limit)
		if err != nil || len(p.Data) == 0 || p.Start != int64(len(whole)) || p.Line != int64(strings.Count(whole, "\n"))+1 {
			t.Fatalf("Read(%d) = %d bytes from %d, line %d, %v", len(whole), len(p.Data), p.Start, p.Line, err)
		}
		if end := p.End(); p.Data[len(p.Data)-1] != '\n' && end < text.Size && len(p.Data) < wholeLine && !text.several {
			t.Errorf("Read(%d) ends within a line", len(whole))
		}
		whole += string(p.Data)
		pieces++
	}
	return whole, pieces
}

// start is when the first try of the tests of texts begins.
var start = time.Unix(1_700_000_000, 0)

// TestText reads the output of several tries as one text, from everywhere.
func TestText(t *testing.T) {
	t.Parallel()
	a := newArchive(t)
	var one, two strings.Builder
	for i := range 300 {
		fmt.Fprintf(&one, "first %d %s\n", i, strings.Repeat("x", i%90))
		fmt.Fprintf(&two, "zweiter Vers\u00fcch %d\n", i)
	}
	two.WriteString("no end")
	half := two.Len() / 2
	a.writeText(t, "+w+b", start.Add(time.Hour), two.String()[:half], two.String()[half:])
	a.writeText(t, "+w+b", start, one.String()[:1000], one.String()[1000:1001], one.String()[1001:])
	a.writeText(t, "+w+bb", start, "another task\n")
	a.writeText(t, "+w+b+c", start.Add(time.Minute), "below\n")
	want := one.String() + two.String()
	tries := func(try int) []TrySpan {
		return []TrySpan{{start.Add(time.Second), start.Add(time.Minute), try == 1}, {start.Add(59 * time.Minute), time.Time{}, try == 2}}
	}
	for range 2 {
		for _, limit := range []int{1, 50, 4000, 1 << 20} {
			if got, _ := all(t, a.text(t, Which{FullName: "+w+b"}), limit); got != want {
				t.Errorf("by pieces of %d: %d bytes, want %d", limit, len(got), len(want))
			}
		}
		text := a.text(t, Which{FullName: "+w+b"})
		lines := strings.SplitAfter(want, "\n")
		offset := 0
		for i, line := range lines {
			if got, err := text.Line(t.Context(), int64(i+1)); err != nil || got != int64(offset) {
				t.Fatalf("Line(%d) = %d, %v, want %d", i+1, got, err, offset)
			}
			if p, err := text.Read(t.Context(), int64(offset+len(line)/2), 1); err != nil || string(p.Data) != line || p.Line != int64(i+1) {
				t.Fatalf("Read within line %d = %+v, %v, want %q", i+1, p, err, line)
			}
			offset += len(line)
		}
		for _, n := range []int64{1, 2, 300, 301, 302, 700, 1 << 62} {
			p, err := text.Tail(t.Context(), n, 1<<20)
			if last := strings.Join(lines[max(0, len(lines)-int(min(n, 1000))):], ""); err != nil || string(p.Data) != last {
				t.Errorf("Tail(%d) has %d bytes, %v, want %d", n, len(p.Data), err, len(last))
			}
		}
		if p, err := text.Tail(t.Context(), 1000, 100); err != nil || len(p.Data) > 100 || !strings.HasSuffix(want, "\n"+string(p.Data)) {
			t.Errorf("Tail of 100 bytes = %q, %v", p.Data, err)
		}
		for _, far := range []int64{-1 << 63, 1<<63 - 1} {
			if _, err := text.Read(t.Context(), far, 10); err != nil {
				t.Errorf("Read(%d) = %v", far, err)
			}
			if _, err := text.Line(t.Context(), far); err != nil {
				t.Errorf("Line(%d) = %v", far, err)
			}
		}
		for try, want := range map[int]string{1: one.String(), 2: two.String()} {
			if got, _ := all(t, a.text(t, Which{FullName: "+w+b", Tries: tries(try)}), 1<<20); got != want {
				t.Errorf("try %d has %d bytes, want %d", try, len(got), len(want))
			}
		}
		a.end(t)
		if err := a.packer.PackAttempt(t.Context(), a.attempt.ID); err != nil { // once more from a blob
			t.Fatal(err)
		}
	}
}

// TestTextOfSeveralTasks checks that a piece is of one task alone, and which are below a group.
func TestTextOfSeveralTasks(t *testing.T) {
	t.Parallel()
	a := newArchive(t)
	a.writeText(t, "+w+g+a", start, "a 1\n", "a 2\n")
	a.writeText(t, "+w+g^error", start.Add(2*time.Second), "e 1 ")
	a.writeText(t, "+w+g+b/x@y", start.Add(time.Second), "b 1\n")
	a.writeText(t, "+w+gg", start, "another\n")
	a.writeText(t, "+w", start.Add(time.Hour), "w\n")
	text := a.text(t, Which{FullName: "+w+g", Below: true})
	got, pieces := all(t, text, 1<<20)
	if want := "a 1\na 2\nb 1\ne 1 "; got != want || pieces != 3 {
		t.Errorf("+w+g = %q in %d pieces, want %q in 3", got, pieces, want)
	}
	for offset, want := range map[int64]string{0: "+w+g+a", 7: "+w+g+a", 8: "+w+g+b_x@y", 12: "+w+g^error", 16: "+w+g^error", 99: "+w+g^error"} {
		if got := text.Task(offset); got != want {
			t.Errorf("Task(%d) = %q, want %q", offset, got, want)
		}
	}
	if text := a.text(t, Which{}); text.Size != 16+8+2 || text.Task(0) == "" {
		t.Errorf("all tasks have %d bytes, want 26", text.Size)
	}
	if text := a.text(t, Which{FullName: "+none"}); text.Size != 0 || text.Task(0) != "" {
		t.Errorf("no task has %d bytes", text.Size)
	}
	for _, name := range []string{"../../etc/passwd", "+w+g+b/x@y", "%", "_", strings.Repeat("é", 4000)} {
		if _, err := a.reader.Text(t.Context(), a.attempt.ID, Which{FullName: name}); err != nil {
			t.Errorf("Text(%.20q) = %v", name, err)
		}
	}
}

// TestTextOfLongLines checks that lines of any length can be read, and that characters are not cut.
func TestTextOfLongLines(t *testing.T) {
	t.Parallel()
	a := newArchive(t)
	want := "short\n" + strings.Repeat("é", 150<<10) + "\nlast\n"
	a.writeText(t, "+w+b", start, want)
	text := a.text(t, Which{FullName: "+w+b"})
	if got, pieces := all(t, text, 1000); got != want || pieces > 8 {
		t.Errorf("%d bytes in %d pieces, want %d", len(got), pieces, len(want))
	}
	p, err := text.Read(t.Context(), 200_001, 1000)
	if err != nil || p.Line != 2 || p.Start < 200_001 || p.Start > 200_002 || !strings.HasPrefix(string(p.Data), "é") {
		t.Errorf("Read within the line = from %d, line %d, %v", p.Start, p.Line, err)
	}
}

// TestFindError checks where a log is opened at the error, also if earlier versions stored it.
func TestFindError(t *testing.T) {
	t.Parallel()
	own := "2024-01-02 00:00:00.000 +0000 [ERROR] (3@[0:p:1:1]+w+a) " + Class + ": it failed\n"
	noise := strings.Repeat("fine\n", 40_000)
	for name, c := range map[string]struct {
		pieces []string
		want   string
	}{
		"empty":           {nil, ""},
		"in the middle":   {[]string{noise, "x\nValueError: no\n", noise, own}, "ValueError: no"},
		"the last":        {[]string{"error: 1\n", noise + "error: 2\n" + noise}, "error: 2"},
		"only level":      {[]string{noise, own, "bye\n"}, strings.TrimSpace(own)},
		"none":            {[]string{noise, "bye\n\n"}, "bye"},
		"across pieces":   {[]string{"the begin", "ning of an error: x\n"}, "the beginning of an error: x"},
		"without an end":  {[]string{"a\nb"}, "b"},
		"in another file": {[]string{noise}, "panic: in the try before"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a := newArchive(t)
			if name == "in another file" {
				a.writeText(t, "+w+a", start.Add(-time.Hour), c.want+"\n")
			}
			a.writeText(t, "+w+a", start, c.pieces...)
			for _, old := range []bool{false, true} {
				if old {
					a.forgetErrors(t)
				}
				text := a.text(t, Which{FullName: "+w+a"})
				at, err := text.FindError(t.Context())
				if err != nil {
					t.Fatal(err)
				}
				p, err := text.Read(t.Context(), at, 1)
				if err != nil || strings.TrimRight(string(p.Data), "\n") != c.want || p.Start > at {
					t.Errorf("FindError (old: %t) = %d %.80q, %v, want %q", old, at, p.Data, err, c.want)
				}
			}
		})
	}
}

// forgetErrors makes all logs such as earlier versions wrote.
func (a *archive) forgetErrors(t *testing.T) {
	t.Helper()
	a.update(t, func(ctx context.Context, tx trowel.Tx) error {
		files, err := tx.ListLogFiles(ctx, a.attempt.ID, "")
		if err != nil {
			return err
		}
		var all []trowel.LogChunk
		for _, f := range files {
			chunks, err := tx.ListLogChunks(ctx, a.attempt.ID, f.Name, 0, f.Chunks, true)
			if err != nil {
				return err
			}
			for i := range chunks {
				chunks[i].AttemptID, chunks[i].File, chunks[i].Searched = a.attempt.ID, f.Name, false
			}
			all = append(all, chunks...)
		}
		if _, err := tx.DeleteLogs(ctx, a.attempt.ID); err != nil {
			return err
		}
		return tx.InsertLogChunks(ctx, all)
	})
}
