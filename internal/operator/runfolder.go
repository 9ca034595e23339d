package operator

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"sync"
)

// maxSpares is the largest number of folders that are kept for the next run.
const maxSpares = 16

// runFolders makes the folders of runs of commands: .digdag/tmp/digdag-TYPE-TASK-RANDOM in a project
// (operators 1.8, 3.1).
//
// New files are expensive: making a folder with a file in it can take longer than starting and ending a
// shell. So while runs overlap, the folder of one that has ended is renamed for the next one, and
// its script is overwritten. When the last run ends, unused folders are removed. The gate lets only a few
// commands start at a time, so few folders are needed. It is safe for concurrent
// use.
type runFolders struct {
	gate chan struct{} // held from making a folder to the start of the command

	mu     sync.Mutex
	active int      // runs under way
	spares []string // absolute paths
}

func newRunFolders() *runFolders {
	return &runFolders{gate: make(chan struct{}, 4*runtime.GOMAXPROCS(0))}
}

// enter waits for a place to make a folder and start a command. leave gives the place back, at its first call.
func (f *runFolders) enter(ctx context.Context) (leave func(), err error) {
	select {
	case f.gate <- struct{}{}:
		return sync.OnceFunc(func() { <-f.gate }), nil
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
}

// begin and end enclose a run. Spare folders only serve runs that overlap.
func (f *runFolders) begin() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.active++
}

func (f *runFolders) end() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.active--
	if f.active > 0 {
		return
	}
	for _, dir := range f.spares {
		removeFolder(dir) //nolint:errcheck // it only has an old script
	}
	f.spares = nil
}

// take returns a folder of a project whose name begins with prefix. It may contain a file
// runner.sh of an earlier run.
func (f *runFolders) take(project, prefix string) (string, error) {
	tmp := filepath.Join(project, ".digdag", "tmp")
	if spare := f.takeSpare(tmp); spare != "" {
		dir := filepath.Join(tmp, prefix+strconv.FormatUint(rand.Uint64(), 10)) //nolint:gosec // a name, not a secret
		if err := os.Rename(spare, dir); err == nil {
			return dir, nil
		}
	}
	dir, err := os.MkdirTemp(tmp, prefix+"*")
	if !os.IsNotExist(err) {
		return dir, err
	}
	if err := os.MkdirAll(tmp, 0o777); err != nil { //nolint:gosec // the umask decides, as for all files of the project
		return "", err
	}
	return os.MkdirTemp(tmp, prefix+"*")
}

func (f *runFolders) takeSpare(tmp string) string {
	f.mu.Lock()
	defer f.mu.Unlock()
	i := slices.IndexFunc(f.spares, func(dir string) bool { return filepath.Dir(dir) == tmp })
	if i < 0 {
		return ""
	}
	spare := f.spares[i]
	f.spares = slices.Delete(f.spares, i, i+1)
	return spare
}

// giveBack removes a folder, or keeps it for another run if it only contains a script.
func (f *runFolders) giveBack(dir string) error {
	if onlyScript(dir) && f.spare(dir) {
		return nil
	}
	return removeFolder(dir)
}

// removeFolder removes the folder of a run. This opens the folder around it. A command may have replaced that by a pipe,
// and opening a pipe would block.
func removeFolder(dir string) error {
	tmp := filepath.Dir(dir)
	if info, err := os.Stat(tmp); err == nil && !info.IsDir() {
		return &os.PathError{Op: "remove", Path: dir, Err: fmt.Errorf("%s is no folder any more", tmp)}
	}
	return os.RemoveAll(dir)
}

func (f *runFolders) spare(dir string) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.active < 2 || len(f.spares) >= maxSpares {
		return false
	}
	f.spares = append(f.spares, dir)
	return true
}

// onlyScript reports whether a folder only contains a file runner.sh as overwrite makes it.
func onlyScript(dir string) bool {
	entries, err := os.ReadDir(dir)
	if err != nil || len(entries) != 1 || entries[0].Name() != shRunner || !entries[0].Type().IsRegular() {
		return false
	}
	info, err := entries[0].Info()
	return err == nil && info.Mode().Perm() == scriptMode && hasOneName(info)
}

// scriptMode gives access to the user alone, as a script may contain secrets.
const scriptMode = 0o600

// overwrite writes a file, which may exist. It does not free the file's blocks first, which is slow on
// ext4.
func overwrite(path string, data []byte) error {
	file, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE, scriptMode)
	if err != nil {
		return err
	}
	_, err = file.Write(data)
	if err == nil {
		err = file.Truncate(int64(len(data)))
	}
	if closeErr := file.Close(); err == nil {
		err = closeErr
	}
	return err
}
