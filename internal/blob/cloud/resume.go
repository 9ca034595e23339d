package cloud

import (
	"errors"
	"io"
)

// maxResumes is how often a read continues after a dropped connection.
const maxResumes = 5

// resume opens a range, and opens the rest of it again when the connection breaks (server 4.6).
func resume(offset, length int64, open func(offset, length int64) (io.ReadCloser, error)) (io.ReadCloser, error) {
	r, err := open(offset, length)
	if err != nil {
		return nil, err
	}
	return &resuming{open: open, now: r, offset: offset, length: length}, nil
}

type resuming struct {
	open           func(offset, length int64) (io.ReadCloser, error)
	now            io.ReadCloser
	offset, length int64 // not yet read; length is negative for all
	resumes        int
}

// Read implements io.Reader.
func (r *resuming) Read(data []byte) (int, error) {
	n, err := r.now.Read(data)
	r.offset += int64(n)
	if r.length >= 0 {
		r.length -= int64(n)
	}
	if err == nil || errors.Is(err, io.EOF) || r.resumes == maxResumes {
		return n, err
	}
	r.resumes++
	again, errOpen := r.open(r.offset, r.length)
	if errOpen != nil {
		return n, err
	}
	_ = r.now.Close() // it is broken
	r.now = again
	return n, nil
}

// Close implements io.Closer.
func (r *resuming) Close() error { return r.now.Close() }
