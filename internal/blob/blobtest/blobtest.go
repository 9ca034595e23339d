// Package blobtest is the suite that every blob.Store passes.
package blobtest

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/blob"
)

// Run runs the suite. open returns an empty Store.
func Run(t *testing.T, open func(t *testing.T) blob.Store) {
	t.Helper()
	for name, test := range map[string]func(*testing.T, blob.Store){
		"PutOpen": testPutOpen, "Ranges": testRanges, "Replace": testReplace, "Missing": testMissing, "WrongSize": testWrongSize,
		"List": testList, "Keys": testKeys, "Concurrent": testConcurrent, "Broken": testBroken,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test(t, open(t))
		})
	}
}

func put(t *testing.T, s blob.Store, key string, data []byte) {
	t.Helper()
	if err := s.Put(t.Context(), key, io.MultiReader(bytes.NewReader(data)), int64(len(data))); err != nil {
		t.Fatalf("Put(%q, %d bytes) = %v", key, len(data), err)
	}
}

func read(t *testing.T, s blob.Store, key string, offset, length int64) []byte {
	t.Helper()
	r, err := s.Open(t.Context(), key, offset, length)
	if err != nil {
		t.Fatalf("Open(%q) = %v", key, err)
	}
	data, err := io.ReadAll(r)
	if err = errors.Join(err, r.Close()); err != nil {
		t.Fatalf("read %q: %v", key, err)
	}
	return data
}

func random(size int) []byte {
	data := make([]byte, size)
	rnd := rand.NewChaCha8([32]byte{byte(size)})
	_, _ = rnd.Read(data) // never fails
	return data
}

func testPutOpen(t *testing.T, s blob.Store) {
	t.Helper()
	for _, size := range []int{0, 1, 1000, 256 << 10, 256<<10 + 1, 3 << 20} {
		key := fmt.Sprintf("0/some/%d.tar.gz", size)
		want := random(size)
		put(t, s, key, want)
		if got := read(t, s, key, 0, -1); !bytes.Equal(got, want) {
			t.Errorf("Open(%q) has %d bytes, want the %d that were put", key, len(got), size)
		}
	}
}

func testRanges(t *testing.T, s blob.Store) {
	t.Helper()
	const part = 256 << 10
	data := random(3*part + 10)
	put(t, s, "k", data)
	for _, r := range [][2]int{{0, 10}, {5, 10}, {part - 1, 2}, {part, part}, {part + 7, 2 * part}, {3 * part, 100}, {3*part + 10, 5}, {1, -1}, {0, 0}, {7, 0}} {
		want := data[r[0]:]
		if r[1] >= 0 {
			want = want[:min(r[1], len(want))]
		}
		if got := read(t, s, "k", int64(r[0]), int64(r[1])); !bytes.Equal(got, want) {
			t.Errorf("Open(k, %d, %d) has %d bytes, want others (%d)", r[0], r[1], len(got), len(want))
		}
	}
}

func testReplace(t *testing.T, s blob.Store) {
	t.Helper()
	put(t, s, "k", random(1<<20))
	put(t, s, "k", []byte("short"))
	if got := string(read(t, s, "k", 0, -1)); got != "short" {
		t.Errorf("after the second Put there are %d bytes, want short", len(got))
	}
}

func testMissing(t *testing.T, s blob.Store) {
	t.Helper()
	open := func(key string) error {
		r, err := s.Open(t.Context(), key, 0, -1)
		if err == nil {
			_, err = io.ReadAll(r)
			err = errors.Join(err, r.Close())
		}
		return err
	}
	if err := open("nope"); !errors.Is(err, trowel.ErrNotFound) {
		t.Errorf("Open(nope) = %v, want ErrNotFound", err)
	}
	put(t, s, "a/b", []byte("x"))
	if err := open("a"); !errors.Is(err, trowel.ErrNotFound) {
		t.Errorf("Open(a) = %v, want ErrNotFound", err)
	}
	for range 2 {
		if err := s.Delete(t.Context(), "a/b"); err != nil {
			t.Errorf("Delete(a/b) = %v, want nil", err)
		}
	}
	if err := open("a/b"); !errors.Is(err, trowel.ErrNotFound) {
		t.Errorf("Open(a/b) after Delete = %v, want ErrNotFound", err)
	}
}

func testWrongSize(t *testing.T, s blob.Store) {
	t.Helper()
	for _, size := range []int64{0, 4, 6, 1 << 20} {
		if err := s.Put(t.Context(), "k", strings.NewReader("12345"), size); err == nil {
			t.Errorf("Put of 5 bytes as %d = nil, want an error", size)
		}
		if keys, err := s.List(t.Context(), "", "", 10); len(keys) != 0 || err != nil {
			t.Errorf("keys = %q, %v, want none", keys, err)
		}
	}
}

func testList(t *testing.T, s blob.Store) {
	t.Helper()
	for _, key := range []string{"a", "a/1", "a/2", "a/10", "a-b/1", "ab", "b/c/d/e", "b/c/f"} {
		put(t, s, key, []byte(key))
	}
	for _, test := range []struct {
		prefix, after string
		limit         int
		want          []string
	}{
		{"", "", 100, []string{"a", "a-b/1", "a/1", "a/10", "a/2", "ab", "b/c/d/e", "b/c/f"}},
		{"a/", "", 100, []string{"a/1", "a/10", "a/2"}},
		{"a/1", "", 100, []string{"a/1", "a/10"}},
		{"a", "a/1", 2, []string{"a/10", "a/2"}},
		{"", "ab", 100, []string{"b/c/d/e", "b/c/f"}},
		{"", "b/c/f", 100, nil},
		{"b/c/", "a", 1, []string{"b/c/d/e"}},
		{"x/y", "", 100, nil},
	} {
		got, err := s.List(t.Context(), test.prefix, test.after, test.limit)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(test.want, got); diff != "" && len(got)+len(test.want) > 0 {
			t.Errorf("List(%q, %q, %d) (-want +got):\n%s", test.prefix, test.after, test.limit, diff)
		}
	}
}

// Keys contain names of revisions, which may be any text.
func testKeys(t *testing.T, s blob.Store) {
	t.Helper()
	keys := []string{
		"0/x/rev ision.tar.gz", "0/x/é日本.gz", "0/x/a%2Fb", "0/x/a?b#c&d=e+f", `0/x/a"b'c\d:e*f|g<h>`, "0/x/..a", "0/x/...", "0/.hidden/a", "0/x/a.", "0/con/nul",
		"0/" + strings.Repeat("long", 60) + "/" + strings.Repeat("é", 250) + ".gz",
	}
	for _, key := range keys {
		put(t, s, key, []byte(key))
	}
	for _, key := range keys {
		if got := string(read(t, s, key, 0, -1)); got != key {
			t.Errorf("Open(%q) = %q", key, got)
		}
		if list, err := s.List(t.Context(), key, "", 10); err != nil || len(list) == 0 || list[0] != key {
			t.Errorf("List(%q) = %q, %v", key, list, err)
		}
	}
}

func testConcurrent(t *testing.T, s blob.Store) {
	t.Helper()
	var all sync.WaitGroup
	for i := range 8 {
		all.Go(func() {
			key := fmt.Sprintf("some/%d", i)
			want := random(100_000 + i)
			for range 3 {
				if err := s.Put(t.Context(), key, bytes.NewReader(want), int64(len(want))); err != nil {
					t.Errorf("Put(%q) = %v", key, err)
				}
				r, err := s.Open(t.Context(), key, 0, -1)
				if err != nil {
					t.Errorf("Open(%q) = %v", key, err)
					continue
				}
				got, err := io.ReadAll(r)
				if err = errors.Join(err, r.Close()); err != nil || !bytes.Equal(got, want) {
					t.Errorf("read %q: %d bytes, %v", key, len(got), err)
				}
			}
		})
	}
	all.Wait()
}

var errBroken = errors.New("broken")

// A reader that fails leaves nothing that could pass for a blob.
func testBroken(t *testing.T, s blob.Store) {
	t.Helper()
	broken, end := io.Pipe()
	go func() {
		_, err := end.Write(random(2 << 20))
		end.CloseWithError(errors.Join(errBroken, err)) //nolint:gosec // never fails
	}()
	if err := s.Put(t.Context(), "k", broken, 3<<20); !errors.Is(err, errBroken) {
		t.Errorf("Put = %v, want the error of the reader", err)
	}
	if r, err := s.Open(t.Context(), "k", 0, -1); err == nil {
		if _, err = io.ReadAll(r); err == nil {
			t.Error("half a blob can be read")
		}
		if err := r.Close(); err != nil {
			t.Error(err)
		}
	}
}
