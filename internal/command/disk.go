package command

import (
	"context"
	"io/fs"
	"path/filepath"
	"sync"
	"time"
)

// walkShare is the part of the time that a DiskWatch spends with counting.
const walkShare = 10

// DiskWatch looks how much disk a folder takes while a command works in it.
type DiskWatch struct {
	dir    string
	limit  int64
	passed func(used int64)
	cancel context.CancelFunc
	done   sync.WaitGroup
}

// NewDiskWatch begins to watch a folder, until ctx ends at the latest. It calls passed, once, when the folder takes more than
// limit bytes.
func NewDiskWatch(ctx context.Context, dir string, limit int64, passed func(used int64)) *DiskWatch {
	ctx, cancel := context.WithCancel(ctx)
	var once sync.Once
	w := &DiskWatch{dir: dir, limit: limit, cancel: cancel, passed: func(used int64) { once.Do(func() { passed(used) }) }}
	w.done.Go(func() { w.run(ctx) })
	return w
}

func (w *DiskWatch) run(ctx context.Context) {
	timer := time.NewTimer(lookInterval)
	defer timer.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-timer.C:
		}
		began := time.Now()
		w.look(ctx)
		timer.Reset(max(lookInterval, walkShare*time.Since(began)))
	}
}

// look calls passed if the folder takes too much. What cannot be read counts as nothing: the command may be deleting it.
func (w *DiskWatch) look(ctx context.Context) {
	if used := folderBytes(ctx, w.dir); used > w.limit && ctx.Err() == nil {
		w.passed(used)
	}
}

// End ends the watch after a last look. A nil DiskWatch watches nothing.
func (w *DiskWatch) End(ctx context.Context) {
	if w == nil {
		return
	}
	w.cancel()
	w.done.Wait()
	w.look(ctx)
}

// folderBytes returns how much disk a folder takes, without what ctx has no time for. A file with several names in it counts
// once.
func folderBytes(ctx context.Context, dir string) (sum int64) {
	seen := map[fileID]bool{}
	_ = filepath.WalkDir(dir, func(_ string, entry fs.DirEntry, err error) error {
		if ctx.Err() != nil {
			return filepath.SkipAll
		}
		if err != nil {
			return nil //nolint:nilerr // it is gone, or nobody may read it
		}
		info, err := entry.Info()
		if err != nil {
			return nil //nolint:nilerr // as above
		}
		id, linked := linkedFile(info)
		if !linked || !seen[id] {
			sum += diskBytes(info)
		}
		if linked {
			seen[id] = true
		}
		return nil
	})
	return sum
}
