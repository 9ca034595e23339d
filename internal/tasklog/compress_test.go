package tasklog

import (
	"bytes"
	"compress/gzip"
	"io"
	"strings"
	"testing"
)

// Texts of all sizes are whole gzip members, and those in a row a gzip file.
func TestMembers(t *testing.T) {
	t.Parallel()
	zips := newCompressors()
	var file []byte
	var want strings.Builder
	for _, size := range []int{0, 1, plainBytes - 1, plainBytes, plainBytes + 1, quickBytes, quickBytes + 1, 3 * quickBytes} {
		text := strings.Repeat("line\n", size/5+1)[:size]
		data, err := zips.member([]byte(text), 0)
		if err != nil {
			t.Fatal(err)
		}
		if got := unzipped(t, data); got != text {
			t.Errorf("member of %d bytes holds %d bytes, or others", size, len(got))
		}
		file = append(file, data...)
		want.WriteString(text)
	}
	if got := unzipped(t, file); got != want.String() {
		t.Errorf("members in a row hold %d bytes, want the %d of all, in order", len(got), want.Len())
	}
}

func unzipped(t *testing.T, data []byte) string {
	t.Helper()
	r, err := gzip.NewReader(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	text, err := io.ReadAll(r)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
