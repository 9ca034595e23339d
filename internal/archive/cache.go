package archive

import (
	"context"
	"crypto/md5" //nolint:gosec // compares with the checksum that was stored at the upload
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"time"

	trowel "github.com/trowel-project/trowel"
)

// Fetch opens the bytes of an archive. Errors that are a trowel.ErrNotFound or ErrInvalid last;
// others are tried again.
type Fetch func(ctx context.Context, archive trowel.Archive) (io.ReadCloser, error)

// defaultCacheBytes is how much a Cache keeps unless told otherwise.
const defaultCacheBytes = 1 << 30

// How often fetching and unpacking is tried, and how long the pauses are (server 4.4).
const (
	maxFetches = 10
	firstPause = time.Second
	lastPause  = 30 * time.Second
)

// fileOverhead is what a file takes on the disk besides its bytes, roughly.
const fileOverhead = 4 << 10

// cache keeps the files of revisions, unpacked once for each, in a folder that no other process
// writes to. It is safe for concurrent use.
type cache struct {
	dir      string
	fetch    Fetch
	limits   Limits
	maxBytes int64

	mu    sync.Mutex
	trees map[string]*tree
	bytes int64 // of all trees
	clock int64 // counts uses
}

// tree is the files of a revision. What is below ready belongs to the cache's lock.
type tree struct {
	dir   string
	ready chan struct{} // closed when the files are there, or err says why not
	err   error
	gone  bool // err is that of a canceled context: somebody else may try

	bytes int64
	users int   // who reads it now; it is not removed meanwhile
	used  int64 // cache.clock of the last use
}

// newCache takes over what is in its folder from an earlier process.
func newCache(dir string, fetch Fetch, limits Limits, maxBytes int64) (*cache, error) {
	if maxBytes <= 0 {
		maxBytes = defaultCacheBytes
	}
	if limits.MaxBytes <= 0 {
		limits.MaxBytes = defaultUnpackBytes
	}
	c := &cache{dir: dir, fetch: fetch, limits: limits, maxBytes: maxBytes, trees: map[string]*tree{}}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	for _, entry := range entries {
		path := filepath.Join(dir, entry.Name())
		if len(entry.Name()) != 2*keyBytes { // half of a revision
			if err := removeTree(path); err != nil {
				return nil, err
			}
			continue
		}
		size, err := diskBytes(path)
		if err != nil {
			return nil, err
		}
		t := &tree{dir: path, ready: make(chan struct{}), bytes: size}
		close(t.ready)
		c.trees[entry.Name()] = t
		c.bytes += size
	}
	return c, c.trim()
}

const keyBytes = 16

// treeKey names the folder of an archive. It has more than the checksum, as MD5 lets strangers make
// two archives that have one.
func treeKey(a trowel.Archive) string {
	sum := sha256.Sum256(fmt.Appendf(nil, "%s\x00%s\x00%x", a.Type, a.Key, a.MD5))
	return hex.EncodeToString(sum[:keyBytes])
}

// use calls f with the folder of an archive's files, which f must not change.
func (c *cache) use(ctx context.Context, a trowel.Archive, f func(dir string) error) error {
	key := treeKey(a)
	for {
		c.mu.Lock()
		t, known := c.trees[key]
		if !known {
			t = &tree{dir: filepath.Join(c.dir, key), ready: make(chan struct{})}
			c.trees[key] = t
		}
		t.users++
		c.clock++
		t.used = c.clock
		c.mu.Unlock()
		if !known {
			c.fill(ctx, t, key, a)
		}
		err := t.wait(ctx)
		if err == nil {
			err = f(t.dir)
		}
		retry := known && t.isGone() && ctx.Err() == nil
		if errTrim := c.leave(t); err == nil {
			err = errTrim
		}
		if !retry {
			return err
		}
	}
}

func (t *tree) wait(ctx context.Context) error {
	select {
	case <-t.ready:
		return t.err
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// isGone tells whether the one who should have made the tree was called off.
func (t *tree) isGone() bool {
	select {
	case <-t.ready:
		return t.gone
	default:
		return false
	}
}

// leave ends a use.
func (c *cache) leave(t *tree) error {
	c.mu.Lock()
	t.users--
	c.mu.Unlock()
	return c.trim()
}

// fill makes a tree.
func (c *cache) fill(ctx context.Context, t *tree, key string, a trowel.Archive) {
	err := c.unpackAgain(ctx, t.dir, a)
	var size int64
	if err == nil {
		size, err = diskBytes(t.dir)
	}
	c.mu.Lock()
	if err != nil {
		delete(c.trees, key)
		t.err, t.gone = err, ctx.Err() != nil
	} else {
		t.bytes = size
		c.bytes += size
	}
	c.mu.Unlock()
	close(t.ready)
}

// unpackAgain fetches and unpacks an archive, again after failures that may pass.
func (c *cache) unpackAgain(ctx context.Context, dir string, a trowel.Archive) error {
	pause := firstPause
	for fetches := 1; ; fetches++ {
		err := c.unpack(ctx, dir, a)
		lasting := errors.Is(err, trowel.ErrNotFound) || errors.Is(err, trowel.ErrInvalid) || errors.Is(err, fs.ErrPermission)
		if err == nil || lasting || fetches == maxFetches || ctx.Err() != nil {
			return err
		}
		timer := time.NewTimer(pause)
		select {
		case <-timer.C:
		case <-ctx.Done():
			timer.Stop()
			return context.Cause(ctx)
		}
		pause = min(2*pause, lastPause)
	}
}

// unpack makes the folder of an archive, which has its name only when it is whole.
func (c *cache) unpack(ctx context.Context, dir string, a trowel.Archive) (err error) {
	half, err := os.MkdirTemp(c.dir, ".new-*")
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			err = errors.Join(fmt.Errorf("get the files of archive %s: %w", a.Key, err), removeTree(half))
		}
	}()
	from, err := c.fetch(ctx, a)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, from.Close()) }()
	sum := md5.New() //nolint:gosec // see above
	all := io.TeeReader(from, sum)
	if err := Unpack(ctx, all, half, UnpackOptions{Limits: c.limits}); err != nil {
		return err
	}
	if _, err := io.Copy(io.Discard, all); err != nil {
		return err
	}
	if len(a.MD5) > 0 && string(sum.Sum(nil)) != string(a.MD5) {
		return errors.New("it is not what was uploaded: its MD5 is another one")
	}
	return os.Rename(half, dir)
}

// trim removes trees that nobody reads, least recently used ones first, until the rest fits.
func (c *cache) trim() error {
	var out []string
	var err error
	c.mu.Lock()
	for c.bytes > c.maxBytes {
		oldest := ""
		for key, t := range c.trees {
			if t.users == 0 && (oldest == "" || t.used < c.trees[oldest].used) {
				oldest = key
			}
		}
		if oldest == "" {
			break
		}
		t := c.trees[oldest]
		delete(c.trees, oldest)
		c.bytes -= t.bytes
		// Renamed under the lock, as the revision may be asked for again at once.
		old := filepath.Join(c.dir, fmt.Sprintf(".old-%d-%s", c.clock, oldest))
		if errRename := os.Rename(t.dir, old); errRename != nil {
			err = errors.Join(err, errRename)
			continue
		}
		out = append(out, old)
	}
	c.mu.Unlock()
	for _, path := range out {
		err = errors.Join(err, removeTree(path))
	}
	return err
}

// diskBytes is about how much a folder takes.
func diskBytes(dir string) (int64, error) {
	var size int64
	err := filepath.WalkDir(dir, func(_ string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		size += fileOverhead
		if entry.Type().IsRegular() {
			info, err := entry.Info()
			if err != nil {
				return err
			}
			size += info.Size()
		}
		return nil
	})
	return size, err
}
