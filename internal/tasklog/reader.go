package tasklog

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/blob"
)

// Database is the part of a trowel.Store that this package needs.
type Database interface {
	Update(ctx context.Context, f func(tx trowel.Tx) error) error
	View(ctx context.Context, f func(tx trowel.Tx) error) error
}

// Reader reads the logs of attempts: chunks in the database and packed blobs. It is safe for concurrent use.
type Reader struct {
	database Database
	blobs    blob.Store // nil if nothing is packed
	direct   bool
}

// NewReader returns a Reader. blobs are the packed logs; it may be nil. If direct is true, files with their own blob get
// a signed URL, if the blob store supports that.
func NewReader(database Database, blobs blob.Store, direct bool) *Reader {
	return &Reader{database: database, blobs: blobs, direct: direct && blobs != nil}
}

// readChunks is how many chunks are read at once.
const readChunks = 16

// List returns the logs of an attempt whose names begin with prefix, ordered by name (server 5.4). It signs URLs only if
// direct is true.
func (r *Reader) List(ctx context.Context, attempt trowel.AttemptID, prefix string, direct bool) ([]File, error) {
	found, err := r.files(ctx, attempt, prefix)
	if err != nil {
		return nil, err
	}
	list := make([]File, 0, len(found))
	for i := range found {
		f, ok := parseName(found[i].Name)
		if !ok {
			continue
		}
		f.SizeBytes, f.TextBytes, f.Lines = found[i].DataBytes, found[i].TextBytes, found[i].Lines
		if direct {
			if f.URL, err = r.address(ctx, &found[i]); err != nil {
				return nil, err
			}
		}
		list = append(list, f)
	}
	return list, nil
}

// address is the URL for direct downloads of a log; empty if there is none.
func (r *Reader) address(ctx context.Context, f *trowel.LogFile) (string, error) {
	if !r.direct || !isOwn(f.BlobKey) {
		return "", nil
	}
	url, err := r.blobs.SignedGet(ctx, f.BlobKey)
	if errors.Is(err, errors.ErrUnsupported) {
		return "", nil
	}
	return url, err
}

// Address returns a URL to download a log directly, which expires. It is empty if the log has no blob of its own yet. A
// log that does not exist is a trowel.ErrNotFound.
func (r *Reader) Address(ctx context.Context, attempt trowel.AttemptID, name string) (string, error) {
	if !r.direct {
		return "", nil
	}
	f, err := r.find(ctx, attempt, name)
	if err != nil {
		return "", err
	}
	return r.address(ctx, f)
}

func (r *Reader) files(ctx context.Context, attempt trowel.AttemptID, prefix string) ([]trowel.LogFile, error) {
	var list []trowel.LogFile
	err := r.database.View(ctx, func(tx trowel.Tx) error {
		var err error
		list, err = tx.ListLogFiles(ctx, attempt, prefix)
		return err
	})
	return list, err
}

// find returns one log.
func (r *Reader) find(ctx context.Context, attempt trowel.AttemptID, name string) (*trowel.LogFile, error) {
	if strings.ContainsAny(name, "/\\") || name == "." || name == ".." {
		return nil, &trowel.Error{Kind: trowel.ErrInvalid, Message: "Invalid file name: " + name}
	}
	list, err := r.files(ctx, attempt, name)
	if err != nil {
		return nil, err
	}
	if len(list) == 0 || list[0].Name != name {
		return nil, &trowel.Error{Kind: trowel.ErrNotFound, Message: "Log file not found"}
	}
	return &list[0], nil
}

// Open returns a log as it is now, a gzip file with one member for each chunk, and its size. A log that does not exist
// is a trowel.ErrNotFound. Its size does not affect memory use.
func (r *Reader) Open(ctx context.Context, attempt trowel.AttemptID, name string) (io.ReadCloser, int64, error) {
	f, err := r.find(ctx, attempt, name)
	if err != nil {
		return nil, 0, err
	}
	return r.open(ctx, attempt, name, 0, f.Chunks), f.DataBytes, nil
}

// open reads count chunks, starting with a number.
func (r *Reader) open(ctx context.Context, attempt trowel.AttemptID, name string, seq, count int) *content {
	return &content{ctx: ctx, reader: r, attempt: attempt, name: name, seq: seq, left: count}
}

func (r *Reader) chunks(ctx context.Context, attempt trowel.AttemptID, name string, seq, limit int, withData bool) ([]trowel.LogChunk, error) {
	var list []trowel.LogChunk
	err := r.database.View(ctx, func(tx trowel.Tx) error {
		var err error
		list, err = tx.ListLogChunks(ctx, attempt, name, seq, limit, withData)
		return err
	})
	return list, err
}

// content is the bytes of consecutive chunks.
type content struct {
	ctx     context.Context //nolint:containedctx // of the caller of open
	reader  *Reader
	attempt trowel.AttemptID
	name    string
	seq     int // of the next chunk to fetch
	left    int // chunks to fetch

	fetched []trowel.LogChunk
	data    []byte        // of the present chunk, not read yet
	blob    io.ReadCloser // consecutive chunks in a blob
	closed  bool
}

// Read implements io.Reader.
func (c *content) Read(data []byte) (int, error) {
	for {
		if c.closed {
			return 0, errors.New("the log is closed")
		}
		if len(c.data) > 0 {
			n := copy(data, c.data)
			c.data = c.data[n:]
			return n, nil
		}
		if c.blob != nil {
			n, err := c.blob.Read(data)
			if errors.Is(err, io.EOF) {
				err = c.blob.Close()
				c.blob = nil
			}
			if n > 0 || err != nil {
				return n, err
			}
			continue
		}
		if err := c.next(); err != nil {
			return 0, err
		}
	}
}

// next goes to the next chunk, or to all following chunks that are consecutive in a blob.
func (c *content) next() error {
	if len(c.fetched) == 0 {
		if err := c.fetch(); err != nil {
			return err
		}
	}
	first := c.fetched[0]
	if first.BlobKey == "" {
		c.data, c.fetched = first.Data, c.fetched[1:]
		return nil
	}
	length := int64(0)
	for len(c.fetched) > 0 && c.fetched[0].BlobKey == first.BlobKey && c.fetched[0].BlobOffset == first.BlobOffset+length {
		length += c.fetched[0].DataBytes
		c.fetched = c.fetched[1:]
	}
	if c.reader.blobs == nil {
		return fmt.Errorf("log %s is in blob %s, and there is no store for logs: %w", c.name, first.BlobKey, trowel.ErrUnavailable)
	}
	var err error
	c.blob, err = c.reader.blobs.Open(c.ctx, first.BlobKey, first.BlobOffset, length)
	if !errors.Is(err, trowel.ErrNotFound) {
		return err
	}
	return c.findMoved(first, err)
}

// findMoved looks for a chunk again if its blob is gone: it may have been packed into another one.
func (c *content) findMoved(gone trowel.LogChunk, cause error) error {
	now, err := c.reader.chunks(c.ctx, c.attempt, c.name, gone.Seq, 1, true)
	if err != nil {
		return err
	}
	if len(now) == 0 || now[0].BlobKey == gone.BlobKey {
		return cause
	}
	c.left += c.seq - gone.Seq
	c.seq, c.fetched = gone.Seq, nil
	return nil
}

func (c *content) fetch() error {
	if c.left <= 0 {
		return io.EOF
	}
	var err error
	c.fetched, err = c.reader.chunks(c.ctx, c.attempt, c.name, c.seq, min(readChunks, c.left), true)
	if err != nil {
		return err
	}
	if len(c.fetched) == 0 {
		return fmt.Errorf("log %s ends before its piece %d: %w", c.name, c.seq, trowel.ErrNotFound)
	}
	c.left -= len(c.fetched)
	c.seq = c.fetched[len(c.fetched)-1].Seq + 1
	return nil
}

// Close implements io.Closer.
func (c *content) Close() error {
	c.closed = true
	if c.blob == nil {
		return nil
	}
	err := c.blob.Close()
	c.blob = nil
	return err
}
