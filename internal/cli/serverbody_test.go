package cli

import (
	"archive/tar"
	"compress/gzip"
	"io"
	"math/rand/v2"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/trowel-project/trowel/internal/trowtest/servertest"
)

const (
	largeBody = 100 << 20
	// flatHeap is how far the heap may grow: much less than one body.
	flatHeap = 80 << 20
)

// spaces is an endless text of blanks.
type spaces struct{}

func (spaces) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = ' '
	}
	return len(p), nil
}

// largeArchive writes a project with one large file that cannot be compressed.
func largeArchive(t *testing.T) string {
	t.Helper()
	name := filepath.Join(t.TempDir(), "large.tar.gz")
	out, err := os.Create(name)
	if err != nil {
		t.Fatal(err)
	}
	packed, err := gzip.NewWriterLevel(out, gzip.NoCompression)
	if err != nil {
		t.Fatal(err)
	}
	files := tar.NewWriter(packed)
	err = files.WriteHeader(&tar.Header{Name: "large.bin", Mode: 0o644, Size: largeBody})
	if err == nil {
		_, err = io.CopyN(files, rand.NewChaCha8([32]byte{1}), largeBody)
	}
	for _, end := range []func() error{files.Close, packed.Close, out.Close} {
		if err == nil {
			err = end()
		}
	}
	if err != nil {
		t.Fatal(err)
	}
	return name
}

// Large bodies are streamed: whether stored or refused, they are never in memory as a
// whole.
func TestLargeBodies(t *testing.T) { //nolint:paralleltest // it measures the memory of the process
	s := servertest.Start(t, "api.max_archive_total_size_limit", "300000000")
	archive := largeArchive(t)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	for _, c := range []struct {
		name, method, path, contentType string
		open                            func() (io.Reader, int64)
		want                            int
	}{
		{"push", http.MethodPut, "/api/projects?project=large&revision=r1", "application/gzip", func() (io.Reader, int64) { return opened(t, archive) }, 200},
		{"download", http.MethodGet, "/api/projects/1/archive", "", func() (io.Reader, int64) { return strings.NewReader(""), 0 }, 200},
		{"JSON", http.MethodPut, "/api/attempts", "application/json", func() (io.Reader, int64) { return io.LimitReader(spaces{}, largeBody), -1 }, 413},
	} {
		body, size := c.open()
		r, err := http.NewRequestWithContext(t.Context(), c.method, s.URL+c.path, body)
		if err != nil {
			t.Fatal(err)
		}
		r.ContentLength = size
		r.Header.Set("Content-Type", c.contentType)
		r.Header.Set("Expect", "100-continue") // so that a refusal is not lost while the body is sent
		w, err := http.DefaultTransport.RoundTrip(r)
		if err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		if _, err := io.Copy(io.Discard, w.Body); err != nil {
			t.Errorf("%s: read the answer: %v", c.name, err)
		}
		_ = w.Body.Close()
		if w.StatusCode != c.want {
			t.Errorf("%s: status %d, want %d", c.name, w.StatusCode, c.want)
		}
	}
	runtime.ReadMemStats(&after)
	if grown := int64(after.HeapSys) - int64(before.HeapSys); grown > flatHeap { //nolint:gosec // far below the limit of int64
		t.Errorf("the heap grew by %d MB, want at most %d", grown>>20, flatHeap>>20)
	}
}

// opened returns a file and its size.
func opened(t *testing.T, name string) (io.Reader, int64) {
	t.Helper()
	file, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = file.Close() })
	info, err := file.Stat()
	if err != nil {
		t.Fatal(err)
	}
	return file, info.Size()
}
