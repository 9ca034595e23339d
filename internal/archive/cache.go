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
	"log/slog"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	trowel "github.com/trowel-project/trowel"
)

// Fetch opens the bytes of an archive. Errors that are a trowel.ErrNotFound or ErrInvalid are permanent;
// after others the caller tries again.
type Fetch func(ctx context.Context, archive trowel.Archive) (io.ReadCloser, error)

// defaultCacheBytes is the default of WorkspaceOptions.CacheBytes.
const defaultCacheBytes = 1 << 30

// How often fetching and unpacking is tried, and how long the waits between are (server 4.4).
const (
	maxFetches = 10
	firstPause = time.Second
	lastPause  = 30 * time.Second
)

// maxUses is how often the files of a revision are used again after they were found to be spoiled.
const maxUses = 3

// errSpoiled says that files of the cache are gone, for example because somebody has cleaned the folder of temporary
// files.
var errSpoiled = errors.New("files of the cache are missing or are not what they were")

// fileOverhead is roughly what a file takes on the disk besides its bytes.
const fileOverhead = 4 << 10

// cache keeps the files of revisions, unpacked once for each, in a folder that no other process
// should write to. If one does, to clean up for example, what it has spoiled is fetched again. The name
// of a revision's folder has its key and its size, so that the next process can use such
// folders, too. It is safe for concurrent use.
type cache struct {
	dir      string
	fetch    Fetch
	limits   Limits
	maxBytes int64
	room     func(error) error // returns the error as a *RoomError if it is one
	log      *slog.Logger      // gets a line for each retry

	mu    sync.Mutex
	trees map[string]*tree
	bytes int64 // of all trees
	clock int64 // counts uses
}

// tree has the files of a revision. The cache's lock guards the fields below ready.
type tree struct {
	dir   string
	ready chan struct{} // closed when the files are there, or err says why not
	err   error
	gone  bool // err is that of a canceled context, so somebody else may try

	bytes int64
	users int   // number of readers; it is not removed while there are any
	used  int64 // cache.clock of the last use
}

// newCache takes over the content of its folder from an earlier process.
func newCache(dir string, fetch Fetch, limits Limits, maxBytes int64) (*cache, error) {
	if maxBytes <= 0 {
		maxBytes = defaultCacheBytes
	}
	if limits.MaxBytes <= 0 {
		limits.MaxBytes = defaultUnpackBytes
	}
	c := &cache{dir: dir, fetch: fetch, limits: limits, maxBytes: maxBytes, trees: map[string]*tree{}, log: slog.New(slog.DiscardHandler)}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	for _, entry := range entries {
		path := filepath.Join(dir, entry.Name())
		key, bytes := parseTreeName(entry.Name())
		size, err := diskBytes(path)
		if err != nil {
			return nil, err
		}
		if key == "" || size != bytes || c.trees[key] != nil {
			if err := removeTree(path); err != nil {
				return nil, err
			}
			continue
		}
		t := &tree{dir: path, ready: make(chan struct{}), bytes: size}
		close(t.ready)
		c.trees[key] = t
		c.bytes += size
	}
	return c, c.trim()
}

const keyBytes = 16

// treeKey returns the name for an archive. It contains more than the checksum, as strangers can make
// two archives with the same MD5.
func treeKey(a trowel.Archive) string {
	sum := sha256.Sum256(fmt.Appendf(nil, "%s\x00%s\x00%x", a.Type, a.Key, a.MD5))
	return hex.EncodeToString(sum[:keyBytes])
}

// treeName returns the name of a revision's folder.
func treeName(key string, bytes int64) string { return fmt.Sprintf("%s-%d", key, bytes) }

// parseTreeName reads the name of a folder. The key is empty if it is not the name of a revision's folder.
func parseTreeName(name string) (key string, bytes int64) {
	key, size, _ := strings.Cut(name, "-")
	bytes, err := strconv.ParseInt(size, 10, 64)
	if err != nil || len(key) != 2*keyBytes {
		return "", 0 // an incomplete revision
	}
	return key, bytes
}

// use calls f with the folder of an archive's files, which f must not change. f returns how much it
// found there, as diskBytes counts it. It is called again if that is not everything.
func (c *cache) use(ctx context.Context, a trowel.Archive, f func(dir string) (int64, error)) error {
	key := treeKey(a)
	for uses := 1; ; {
		c.mu.Lock()
		t, known := c.trees[key]
		if !known {
			t = &tree{ready: make(chan struct{})}
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
		spoiled := false
		if err == nil {
			var found int64
			found, err = f(t.dir)
			if err == nil && found != t.bytes {
				err = errSpoiled
			}
			spoiled = errors.Is(err, errSpoiled) || errors.Is(err, fs.ErrNotExist)
		}
		if spoiled {
			c.drop(t, key)
		}
		retry := spoiled && uses < maxUses || known && t.isGone() && ctx.Err() == nil
		if errTrim := c.leave(t); err == nil {
			err = errTrim
		}
		if !retry {
			return err
		}
		if spoiled {
			uses++
		}
	}
}

// drop removes a spoiled tree from the cache. Other readers will notice it themselves.
func (c *cache) drop(t *tree, key string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.trees[key] != t {
		return
	}
	delete(c.trees, key)
	c.bytes -= t.bytes
	c.clock++
	// What cannot be removed now is removed when the next process begins.
	old := filepath.Join(c.dir, fmt.Sprintf(".old-%d-%s", c.clock, key))
	if os.Rename(t.dir, old) == nil {
		_ = removeTree(old)
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

// isGone reports whether the context of the goroutine that should have made the tree was canceled.
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
	dir, size, err := c.unpackAgain(ctx, key, a)
	c.mu.Lock()
	if err != nil {
		delete(c.trees, key)
		t.err, t.gone = err, ctx.Err() != nil
	} else {
		t.dir, t.bytes = dir, size
		c.bytes += size
	}
	c.mu.Unlock()
	close(t.ready)
}

// unpackAgain fetches and unpacks an archive, and retries after failures that may pass.
func (c *cache) unpackAgain(ctx context.Context, key string, a trowel.Archive) (dir string, size int64, err error) {
	pause := firstPause
	for fetches := 1; ; fetches++ {
		dir, size, err = c.unpack(ctx, key, a)
		if err != nil {
			err = c.room(err)
		}
		_, full := errors.AsType[*RoomError](err) // other machines may have room, so nobody should wait here
		if err == nil || full || isLasting(err) || fetches == maxFetches || ctx.Err() != nil {
			return dir, size, err
		}
		c.log.WarnContext(ctx, "the files of a project could not be fetched and unpacked, this is tried again",
			slog.Any("error", err), slog.Int("fetches", fetches), slog.Duration("pause", pause))
		timer := time.NewTimer(pause)
		select {
		case <-timer.C:
		case <-ctx.Done():
			timer.Stop()
			return "", 0, context.Cause(ctx)
		}
		pause = min(2*pause, lastPause)
	}
}

// isLasting reports whether an error occurs again however often an archive is fetched and unpacked. Some names
// are not possible on this machine at all.
func isLasting(err error) bool {
	for _, lasting := range []error{
		trowel.ErrNotFound, trowel.ErrInvalid, fs.ErrPermission, fs.ErrInvalid,
		syscall.ENAMETOOLONG, syscall.EINVAL, syscall.EILSEQ, syscall.ENOTDIR, syscall.EISDIR, syscall.ELOOP,
	} {
		if errors.Is(err, lasting) {
			return true
		}
	}
	return false
}

// unpack makes the folder of an archive. It gets its name only when it is complete.
func (c *cache) unpack(ctx context.Context, key string, a trowel.Archive) (dir string, size int64, err error) {
	if err := os.MkdirAll(c.dir, 0o700); err != nil { // somebody may have removed it
		return "", 0, err
	}
	half, err := os.MkdirTemp(c.dir, ".new-*")
	if err != nil {
		return "", 0, err
	}
	defer func() {
		if err != nil {
			err = errors.Join(fmt.Errorf("get the files of archive %s: %w", a.Key, err), removeTree(half))
		}
	}()
	from, err := c.fetch(ctx, a)
	if err != nil {
		return "", 0, err
	}
	defer func() { err = errors.Join(err, from.Close()) }()
	sum := md5.New() //nolint:gosec // see above
	all := io.TeeReader(from, sum)
	if err := Unpack(ctx, all, half, UnpackOptions{Limits: c.limits}); err != nil {
		return "", 0, err
	}
	if _, err := io.Copy(io.Discard, all); err != nil {
		return "", 0, err
	}
	if len(a.MD5) > 0 && string(sum.Sum(nil)) != string(a.MD5) {
		return "", 0, errors.New("it is not what was uploaded: its MD5 is another one")
	}
	if size, err = diskBytes(half); err != nil {
		return "", 0, err
	}
	dir = filepath.Join(c.dir, treeName(key, size))
	return dir, size, os.Rename(half, dir)
}

// trim removes trees that nobody reads, least recently used first, until the remaining ones fit.
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
		// It is renamed under the lock, as the revision may be needed again at once.
		old := filepath.Join(c.dir, fmt.Sprintf(".old-%d-%s", c.clock, oldest))
		if errRename := os.Rename(t.dir, old); errRename != nil {
			if !errors.Is(errRename, fs.ErrNotExist) { // somebody else has removed it
				err = errors.Join(err, errRename)
			}
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

// diskBytes returns about how much space a folder takes.
func diskBytes(dir string) (int64, error) {
	var size int64
	err := filepath.WalkDir(dir, func(_ string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		bytes, err := entryBytes(entry)
		size += bytes
		return err
	})
	return size, err
}

// entryBytes returns about how much space a file or folder takes.
func entryBytes(entry fs.DirEntry) (int64, error) {
	if !entry.Type().IsRegular() {
		return fileOverhead, nil
	}
	info, err := entry.Info()
	if err != nil {
		return 0, err
	}
	return fileOverhead + info.Size(), nil
}
