package tasklog

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/blob"
	"github.com/trowel-project/trowel/internal/blob/file"
	"github.com/trowel-project/trowel/internal/param"
	"github.com/trowel-project/trowel/internal/trowtest"
)

// archive is a database with an attempt, and a store for logs.
type archive struct {
	db      trowel.Store
	blobs   *signing
	attempt *trowel.Attempt
	packer  *Packer
	reader  *Reader
	want    map[string]string // texts by names
}

// signing is a Store that can sign, and fails on demand.
type signing struct {
	blob.Store

	mu    sync.Mutex
	spoil func() // called after each Put
}

func (s *signing) SignedGet(_ context.Context, key string) (string, error) {
	return "https://signed/" + key, nil
}

func (s *signing) Put(ctx context.Context, key string, from io.Reader, size int64) error {
	err := s.Store.Put(ctx, key, from, size)
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.spoil != nil {
		s.spoil()
	}
	return err
}

func newArchive(t *testing.T) *archive {
	t.Helper()
	db := trowtest.FileStore(t)
	blobs, err := file.New(t.TempDir(), time.Now())
	if err != nil {
		t.Fatal(err)
	}
	a := &archive{db: db, blobs: &signing{Store: blobs}, want: map[string]string{}}
	a.packer = NewPacker(PackerOptions{Database: db, Blobs: a.blobs, Logger: slog.New(slog.DiscardHandler)})
	a.reader = NewReader(db, a.blobs, true)
	p := trowtest.Push(t, db, "p", map[string]string{"daily": "{}"})
	a.attempt = &trowel.Attempt{WorkflowID: p.Workflows["daily"].ID, Zone: "UTC", Params: param.New(), Cause: "start", CreatedAt: time.Now()}
	a.update(t, func(ctx context.Context, tx trowel.Tx) error {
		return tx.InsertAttempt(ctx, &trowel.Session{ProjectID: p.ID, Workflow: "daily", Time: time.Unix(0, 0), UUID: "1"}, a.attempt)
	})
	return a
}

func (a *archive) update(t *testing.T, f func(context.Context, trowel.Tx) error) {
	t.Helper()
	trowtest.Update(t, a.db, func(tx trowel.Tx) error { return f(t.Context(), tx) })
}

// end ends the attempt.
func (a *archive) end(t *testing.T) {
	t.Helper()
	a.update(t, func(ctx context.Context, tx trowel.Tx) error {
		locked, err := tx.LockAttempts(ctx, []trowel.AttemptID{a.attempt.ID})
		if err != nil {
			return err
		}
		locked[0].Flags, locked[0].FinishedAt = trowel.AttemptDone, time.Now()
		return tx.UpdateAttempts(ctx, locked[0])
	})
}

// write stores a log, of noise that does not become smaller.
func (a *archive) write(t *testing.T, task string, sizes ...int) {
	t.Helper()
	g := NewGatherer(GathererOptions{Insert: Into(a.db), Agent: "1@host", Now: time.Now, Logger: slog.New(slog.DiscardHandler)})
	lease := testLease(task)
	lease.AttemptID = a.attempt.ID
	w := g.Open(lease)
	rnd := rand.New(rand.NewPCG(1, uint64(len(a.want))))
	for _, size := range sizes {
		text := make([]byte, size)
		for i := range text {
			text[i] = byte(rnd.Uint32()) //nolint:gosec // any byte
		}
		put(t, w, string(text))
		a.want[w.file] += string(text)
		if _, err := w.unstored(); err != nil {
			t.Fatal(err)
		}
	}
	closeLog(t, w)
	a.update(t, func(ctx context.Context, tx trowel.Tx) error { return tx.InsertLogChunks(ctx, w.Remainder()) })
}

// check reads all logs.
func (a *archive) check(t *testing.T) []File {
	t.Helper()
	list, err := a.reader.List(t.Context(), a.attempt.ID, "", true)
	if err != nil {
		t.Fatal(err)
	}
	if len(list) != len(a.want) {
		t.Errorf("%d logs, want %d", len(list), len(a.want))
	}
	for _, f := range list {
		content, size, err := a.reader.Open(t.Context(), a.attempt.ID, f.Name)
		if err != nil {
			t.Fatal(err)
		}
		data, err := io.ReadAll(content)
		if err = errors.Join(err, content.Close()); err != nil || int64(len(data)) != size || size != f.SizeBytes {
			t.Errorf("Open(%s) = %d bytes, %d, %v, want %d", f.Name, len(data), size, err, f.SizeBytes)
			continue
		}
		if got := unzip(t, data); got != a.want[f.Name] {
			t.Errorf("%s has %d bytes of text, want %d", f.Name, len(got), len(a.want[f.Name]))
		}
		if key, isSigned := strings.CutPrefix(f.URL, "https://signed/"); isSigned {
			if alone := readBlob(t, a.blobs, key); !bytes.Equal(alone, data) {
				t.Errorf("the blob of %s has %d bytes, want the %d of the log", f.Name, len(alone), len(data))
			}
		}
	}
	return list
}

func readBlob(t *testing.T, s blob.Store, key string) []byte {
	t.Helper()
	r, err := s.Open(t.Context(), key, 0, -1)
	if err != nil {
		t.Fatal(err)
	}
	data, err := io.ReadAll(r)
	if err = errors.Join(err, r.Close()); err != nil {
		t.Fatal(err)
	}
	return data
}

func (a *archive) keys(t *testing.T) []string {
	t.Helper()
	keys, err := a.blobs.List(t.Context(), "", "", 100)
	if err != nil {
		t.Fatal(err)
	}
	return keys
}

// server 5.4.
func TestReader(t *testing.T) {
	t.Parallel()
	a := newArchive(t)
	a.write(t, "+daily+b", 10)
	a.write(t, "+daily+a", 10, 100, 3)
	list := a.check(t)
	var got []string
	for _, f := range list {
		got = append(got, fmt.Sprintf("%s %s %d %t", f.TaskName, f.AgentID, f.TextBytes, time.Since(f.OpenedAt) < time.Hour))
	}
	if diff := cmp.Diff([]string{"+daily+a 1@host 113 true", "+daily+b 1@host 10 true"}, got); diff != "" {
		t.Errorf("List (-want +got):\n%s", diff)
	}
	some, err := a.reader.List(t.Context(), a.attempt.ID, "+daily+b", false)
	if err != nil || len(some) != 1 {
		t.Errorf("List(+daily+b) = %v, %v, want one", some, err)
	}
	for name, want := range map[string]error{"nope": trowel.ErrNotFound, "+daily+a": trowel.ErrNotFound, "/foo": trowel.ErrInvalid, "..": trowel.ErrInvalid} {
		if _, _, err := a.reader.Open(t.Context(), a.attempt.ID, name); !errors.Is(err, want) {
			t.Errorf("Open(%s) = %v, want %v", name, err, want)
		}
	}
}

// Text can be read from any offset and any line on, wherever the pieces are and end.
func TestReadText(t *testing.T) {
	t.Parallel()
	a := newArchive(t)
	sizes := make([]int, 40)
	for i := range sizes {
		sizes[i] = 1 + i*37%500
	}
	a.write(t, "+daily+a", sizes...)
	for name, text := range a.want {
		for range 2 {
			for offset := -1; offset < len(text)+2; offset += 97 {
				got, err := a.reader.ReadText(t.Context(), a.attempt.ID, name, int64(offset), 300)
				want := ""
				if offset >= 0 && offset < len(text) {
					want = text[offset:min(offset+300, len(text))]
				}
				if err != nil || string(got) != want {
					t.Fatalf("ReadText from %d = %d bytes, %v, want %d", offset, len(got), err, len(want))
				}
			}
			lines := strings.SplitAfter(text, "\n")
			offset := 0
			for i, line := range lines {
				got, err := a.reader.LineOffset(t.Context(), a.attempt.ID, name, int64(i))
				if err != nil || got != int64(offset) {
					t.Fatalf("LineOffset(%d) = %d, %v, want %d", i, got, err, offset)
				}
				offset += len(line)
			}
			if got, err := a.reader.LineOffset(t.Context(), a.attempt.ID, name, 1<<40); err != nil || got != int64(len(text)) {
				t.Errorf("LineOffset of a line that is not there = %d, %v, want %d", got, err, len(text))
			}
			if err := a.packer.PackFile(t.Context(), a.attempt.ID, name); err != nil { // once more from a blob
				t.Fatal(err)
			}
		}
	}
	if _, err := a.reader.ReadText(t.Context(), a.attempt.ID, "nope", 0, 1); !errors.Is(err, trowel.ErrNotFound) {
		t.Errorf("ReadText of no log = %v, want ErrNotFound", err)
	}
}

// Logs of ended attempts go into one blob, but large ones into their own; all can be read before,
// in between and after, and go with Delete.
func TestPacker(t *testing.T) {
	t.Parallel()
	a := newArchive(t)
	a.write(t, "+daily+a", 10, 100)
	a.write(t, "+daily+large", 900_000, 900_000)
	a.write(t, "+daily+z", 5)
	if err := a.packer.PackEnded(t.Context()); err != nil || len(a.keys(t)) != 0 {
		t.Errorf("PackEnded of a running attempt = %v, keys %q, want nothing", err, a.keys(t))
	}
	var large string
	for name := range a.want {
		if strings.HasPrefix(name, "+daily+large") {
			large = name
		}
	}
	if err := a.packer.PackFile(t.Context(), a.attempt.ID, large); err != nil {
		t.Fatal(err)
	}
	early := a.keys(t)
	if len(early) != 1 {
		t.Errorf("keys = %q, want one blob of the large log", early)
	}
	a.check(t)
	a.update(t, func(ctx context.Context, tx trowel.Tx) error { // what comes later
		chunks, err := tx.ListLogChunks(ctx, a.attempt.ID, large, 0, 1000, false)
		if err != nil {
			return err
		}
		last := chunks[len(chunks)-1]
		more := []byte("the end\n")
		a.want[large] += string(more)
		data, err := newCompressors().member(more, 0)
		if err != nil {
			return err
		}
		return tx.InsertLogChunks(ctx, []trowel.LogChunk{{
			AttemptID: a.attempt.ID, File: large, Seq: last.Seq + 1, FirstLine: last.FirstLine + last.Lines, Lines: 1,
			Offset: last.Offset + last.TextBytes, TextBytes: int64(len(more)), DataBytes: int64(len(data)), Data: data,
		}})
	})
	a.end(t)
	a.check(t)
	for range 2 {
		if err := a.packer.PackEnded(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	list := a.check(t)
	for _, f := range list {
		if isLarge := f.Name == large; isLarge != (f.URL != "") {
			t.Errorf("URL of %s = %q, want one only for the large log", f.Name, f.URL)
		}
	}
	keys := a.keys(t)
	if len(keys) != 2 || cmp.Equal(early, keys[1:]) {
		t.Errorf("keys = %q, want one for the small logs and another one than %q for the large log", keys, early)
	}
	if err := a.packer.PackFile(t.Context(), a.attempt.ID, large); err != nil || len(a.keys(t)) != 2 {
		t.Errorf("PackFile of a packed log = %v, keys %q", err, a.keys(t))
	}
	for range 2 {
		if err := Delete(t.Context(), a.db, a.blobs, a.attempt.ID); err != nil {
			t.Fatal(err)
		}
	}
	a.want = nil
	if a.check(t); len(a.keys(t)) != 0 {
		t.Errorf("keys after Delete = %q, want none", a.keys(t))
	}
}

// A Packer that dies between an upload and the change of the rows leaves a blob that the next one
// overwrites, or, if more has come meanwhile, one that goes with the attempt.
func TestPackerDies(t *testing.T) {
	t.Parallel()
	for _, more := range []bool{false, true} {
		a := newArchive(t)
		a.write(t, "+daily+a", 10, 100)
		a.end(t)
		ctx, cancel := context.WithCancel(t.Context())
		a.blobs.spoil = cancel
		if err := a.packer.PackAttempt(ctx, a.attempt.ID); !errors.Is(err, context.Canceled) {
			t.Errorf("PackAttempt = %v, want context.Canceled", err)
		}
		a.blobs.spoil = nil
		left := a.keys(t)
		if len(left) != 1 {
			t.Errorf("keys = %q, want the one that was uploaded", left)
		}
		want := left
		if more {
			a.write(t, "+daily+late", 7)
		}
		a.check(t)
		if err := a.packer.PackEnded(t.Context()); err != nil {
			t.Fatal(err)
		}
		a.check(t)
		got := a.keys(t)
		if !more && !cmp.Equal(want, got) || more && len(got) != 2 {
			t.Errorf("keys = %q, want %q, and one more if more was written: %t", got, want, more)
		}
		if err := Delete(t.Context(), a.db, a.blobs, a.attempt.ID); err != nil || len(a.keys(t)) != 0 {
			t.Errorf("Delete = %v, keys %q, want none", err, a.keys(t))
		}
	}
}

// A log that is packed again while it is read can be read to its end.
func TestReadWhilePacked(t *testing.T) {
	t.Parallel()
	a := newArchive(t)
	sizes := make([]int, 30)
	for i := range sizes {
		sizes[i] = 70_000
	}
	a.write(t, "+daily+large", sizes...)
	for name, text := range a.want {
		content, _, err := a.reader.Open(t.Context(), a.attempt.ID, name)
		if err != nil {
			t.Fatal(err)
		}
		var data bytes.Buffer
		read := func(n int64) {
			if _, err := io.CopyN(&data, content, n); err != nil && !errors.Is(err, io.EOF) {
				t.Fatal(err)
			}
		}
		read(100_000)
		if err := a.packer.PackFile(t.Context(), a.attempt.ID, name); err != nil {
			t.Fatal(err)
		}
		read(1_300_000)
		a.write(t, "+daily+other", 1)
		a.end(t)
		if err := errors.Join(a.packer.PackEnded(t.Context()), a.blobs.Delete(t.Context(), "none")); err != nil {
			t.Fatal(err)
		}
		read(1 << 30)
		if err := content.Close(); err != nil {
			t.Error(err)
		}
		if got := unzip(t, data.Bytes()); got != text {
			t.Errorf("%d bytes of text, want %d", len(got), len(text))
		}
		return
	}
}

// Names of files say what they are of (server 5.1); others are ignored.
func TestParseName(t *testing.T) {
	t.Parallel()
	at := time.Unix(0x65935a80, 0x12a05f20).UTC()
	for name, want := range map[string]*File{
		"+daily+step1@65935a8012a05f20.1234@host.log.gz": {TaskName: "+daily+step1", OpenedAt: at, AgentID: "1234@host"},
		"+a@65935a8012a05f20.x.y.log.gz":                 {TaskName: "+a", OpenedAt: at, AgentID: "x.y"},
		"+a@65935a8012a05f20.log.gz":                     nil,
		"+a@65935a8012a05f2x.a.log.gz":                   nil,
		"+a@65935a8012a05f20.a.log":                      nil,
		"+a":                                             nil,
		"":                                               nil,
	} {
		got, ok := parseName(name)
		if ok != (want != nil) {
			t.Errorf("parseName(%q): %t", name, ok)
		} else if ok {
			if diff := cmp.Diff(*want, got, cmpopts.IgnoreFields(File{}, "Name")); diff != "" {
				t.Errorf("parseName(%q) (-want +got):\n%s", name, diff)
			}
		}
	}
}

// Output of an attempt that was deleted does not keep that of others from being stored.
func TestGathererDropsOutputOfDeletedAttempts(t *testing.T) {
	t.Parallel()
	a := newArchive(t)
	g := NewGatherer(GathererOptions{Insert: Into(a.db), Agent: "1@host", Now: time.Now, Logger: slog.New(slog.DiscardHandler)})
	gone, here := testLease("+daily+gone"), testLease("+daily+here")
	gone.AttemptID, here.AttemptID = 999, a.attempt.ID
	lost, kept := g.Open(gone), g.Open(here)
	put(t, lost, "lost\n")
	put(t, kept, "kept\n")
	a.want[kept.file] = "kept\n"
	if err := g.store(t.Context()); err != nil {
		t.Errorf("store = %v, want nil", err)
	}
	a.check(t)
	closeLog(t, lost)
	closeLog(t, kept)
	if len(lost.Remainder())+len(kept.Remainder()) != 0 {
		t.Error("pieces are left, want none")
	}
}

// Where files are to be fetched directly each has a blob of its own, however small, and an address; also what
// was packed in part before.
func TestPackerAlone(t *testing.T) {
	t.Parallel()
	a := newArchive(t)
	a.packer.opts.Alone = true
	for i := range 2 * uploads {
		a.write(t, fmt.Sprintf("+daily+t%d", i), 10, 100)
	}
	a.write(t, "+daily+large", 900_000, 900_000)
	for name := range a.want {
		if url, err := a.reader.Address(t.Context(), a.attempt.ID, name); err != nil || url != "" {
			t.Errorf("Address(%s) of a running attempt = %q, %v, want none", name, url, err)
		}
		if strings.HasPrefix(name, "+daily+large") {
			if err := a.packer.PackFile(t.Context(), a.attempt.ID, name); err != nil {
				t.Fatal(err)
			}
		}
	}
	a.end(t)
	for range 2 {
		if err := a.packer.PackEnded(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	for _, f := range a.check(t) {
		url, err := a.reader.Address(t.Context(), a.attempt.ID, f.Name)
		if f.URL == "" || err != nil || url != f.URL {
			t.Errorf("%s: URL = %q, Address = %q, %v, want one", f.Name, f.URL, url, err)
		}
	}
	if keys := a.keys(t); len(keys) != len(a.want) {
		t.Errorf("%d blobs, want one for each of %d logs", len(keys), len(a.want))
	}
	if _, err := a.reader.Address(t.Context(), a.attempt.ID, "nope"); !errors.Is(err, trowel.ErrNotFound) {
		t.Errorf("Address of no log = %v, want ErrNotFound", err)
	}
	if err := Delete(t.Context(), a.db, a.blobs, a.attempt.ID); err != nil || len(a.keys(t)) != 0 {
		t.Errorf("keys after Delete = %q, %v, want none", a.keys(t), err)
	}
}

// If one upload fails, its error is returned, the others succeed, and the next pass repeats it.
func TestPackerAloneFails(t *testing.T) {
	t.Parallel()
	a := newArchive(t)
	a.packer.opts.Alone = true
	a.write(t, "+daily+a", 10)
	a.write(t, "+daily+b", 10)
	a.end(t)
	ctx, cancel := context.WithCancel(t.Context())
	a.blobs.spoil = sync.OnceFunc(cancel)
	if err := a.packer.PackAttempt(ctx, a.attempt.ID); err == nil {
		t.Error("PackAttempt that was canceled = nil, want an error")
	}
	a.check(t)
	if err := a.packer.PackEnded(t.Context()); err != nil {
		t.Fatal(err)
	}
	for _, f := range a.check(t) {
		if f.URL == "" {
			t.Errorf("%s has no URL", f.Name)
		}
	}
}
