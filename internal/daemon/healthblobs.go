package daemon

import (
	"bytes"
	"context"
	"errors"
	"io"
	"sync/atomic"
	"time"

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/blob"
	"github.com/trowel-project/trowel/internal/server/health"
)

// healthBlobs remembers whether a store of blobs outside of the database could be written.
type healthBlobs struct {
	blob.Store

	part   string // its name in /api/health
	bucket bool   // somebody else runs it, who may charge for each write and keep it
	writes *health.Writes
	now    func() time.Time
}

// Put implements blob.Store.
func (s healthBlobs) Put(ctx context.Context, key string, from io.Reader, size int64) error {
	failed := func() bool { return false }
	if _, again := from.(io.Seeker); !again { // stores send these again themselves
		source := &watchedReader{Reader: from}
		from, failed = source, func() bool { return source.failed.Load() }
	}
	err := s.Store.Put(ctx, key, from, size)
	switch {
	case err == nil:
		s.writes.Note(s.now(), nil)
	case failed(), errors.Is(ctx.Err(), context.Canceled): // the source could not be read, or the caller has left
	case errors.Is(err, trowel.ErrUnavailable), errors.Is(err, context.DeadlineExceeded):
		s.writes.Note(s.now(), err)
	}
	return err
}

// check returns why the last write failed. To a folder it writes a probe, as to the database. To a bucket it does so only
// after a write has failed, as each write to a bucket costs, and may be kept as a version.
func (s healthBlobs) check(ctx context.Context, id string) error {
	if s.bucket && s.writes.Last() == nil {
		return nil
	}
	return s.writes.Check(ctx, s.now(), func(ctx context.Context) {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), healthProbe)
		defer cancel()
		key := "health-" + id // no revision or log has this key
		if s.Put(ctx, key, bytes.NewReader(make([]byte, healthProbeBytes)), healthProbeBytes) == nil {
			_ = s.Delete(ctx, key) // the next probe writes it again
		}
	})
}

// watchedReader remembers whether reading has failed.
type watchedReader struct {
	io.Reader

	failed atomic.Bool // stores may read in another goroutine
}

func (r *watchedReader) Read(data []byte) (int, error) {
	n, err := r.Reader.Read(data)
	if err != nil && !errors.Is(err, io.EOF) {
		r.failed.Store(true)
	}
	return n, err
}
