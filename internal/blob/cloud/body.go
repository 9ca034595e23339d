package cloud

import (
	"bytes"
	"fmt"
	"io"

	"github.com/trowel-project/trowel/internal/blob"
)

// memoryBytes is the largest size of a blob that is held in memory for its upload, so that it can be sent again
// after a failure.
const memoryBytes = 8 << 20

// contentType is the content type of all blobs.
const contentType = "application/gzip"

// bodyOf returns a body for an upload. It can be sent again if the source can be read again or is
// small; otherwise it is read once. failure returns what was wrong with the source.
func bodyOf(key string, from io.Reader, size int64) (body io.Reader, failure func() error, err error) {
	none := func() error { return nil }
	if source, ok := from.(io.ReadSeeker); ok {
		return fromSeeker(key, source, size, none)
	}
	source := &exact{from: from, left: size, wrong: blob.WrongSize(key, size)}
	if size > memoryBytes {
		return source, source.failure, nil
	}
	data, err := io.ReadAll(source)
	if err != nil {
		return nil, nil, fmt.Errorf("put blob %q: %w", key, err)
	}
	return bytes.NewReader(data), none, nil
}

func fromSeeker(key string, source io.ReadSeeker, size int64, none func() error) (io.Reader, func() error, error) {
	begin, err := source.Seek(0, io.SeekCurrent)
	if err != nil {
		return nil, nil, fmt.Errorf("put blob %q: %w", key, err)
	}
	end, err := source.Seek(0, io.SeekEnd)
	if err == nil {
		_, err = source.Seek(begin, io.SeekStart)
	}
	if err != nil {
		return nil, nil, fmt.Errorf("put blob %q: %w", key, err)
	}
	if end-begin != size {
		return nil, nil, blob.WrongSize(key, size)
	}
	return source, none, nil
}
