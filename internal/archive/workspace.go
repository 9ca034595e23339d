package archive

import (
	"context"
	"crypto/rand"
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

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/filelock"
)

// WorkspaceOptions say where the files of tries are, and how much is cached.
type WorkspaceOptions struct {
	// Dir is a folder for the workspaces of all agents of one user on this machine, below
	// tmpdir. It is made if it is missing. Each process uses a folder of its own in it.
	Dir   string
	Fetch Fetch
	// Limits restrict an archive. Zero MaxBytes means 16 GiB.
	Limits Limits
	// CacheBytes is how much space unpacked files of revisions that no try uses may take. Zero means
	// 1 GiB.
	CacheBytes int64
	// Passable lets other users of this machine pass through the folders to files that they have access to.
	// They cannot list the folders, and other files stay closed to them.
	Passable bool
	// Abandoned is called with the folder of each dead process, before its workspaces are removed. Nil for no calls.
	// If it returns an error, NewWorkspaces fails.
	Abandoned func(place string) error
	// Log gets a line about files of dead processes that cannot be removed, and about each retry. Nil for none.
	Log *slog.Logger
}

// Workspaces give each try its own copy of the files of its revision, which is removed at the end of the try
// (server 4.4). Revisions are fetched and unpacked once. It is safe for concurrent use.
type Workspaces struct {
	cache *cache
	place string      // folder of this process
	work  string      // the folder of the workspaces in it
	mode  fs.FileMode // of both
	lock  *os.File
	guard io.Closer // keeps programs that clean temporary files away; nil where that is not possible
}

const (
	lockName  = "lock"
	cacheName = "revisions"
	workName  = "work"
	leftName  = "left-" // begins the new names of workName folders of dead processes
	// maxPlaces is how many processes may have workspaces in a folder.
	maxPlaces = 1000
)

// NewWorkspaces takes a place for the workspaces of this process, and removes what dead processes left behind.
// Close it at the end.
func NewWorkspaces(opts WorkspaceOptions) (*Workspaces, error) {
	dir, err := filepath.Abs(opts.Dir)
	if err != nil {
		return nil, err
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	if err := checkOwner(dir); err != nil {
		return nil, err
	}
	place, held, err := takePlace(dir, &opts)
	if err != nil {
		return nil, err
	}
	w := &Workspaces{place: place, work: filepath.Join(place, workName), lock: held}
	err = os.Mkdir(w.work, 0o700)
	if err == nil {
		err = w.setPassage(opts.Passable)
	}
	if err == nil {
		w.cache, err = newCache(filepath.Join(place, cacheName), opts.Fetch, opts.Limits, opts.CacheBytes)
	}
	if err == nil {
		w.cache.room = w.room
		if opts.Log != nil {
			w.cache.log = opts.Log
		}
	}
	if err != nil {
		return nil, errors.Join(err, held.Close())
	}
	if guard, err := filelock.Guard(place); err == nil {
		w.guard = guard
	} // otherwise the file system cannot lock folders, and removed files are fetched again
	return w, nil
}

// passage lets others pass through a folder, but not list it.
const passage = 0o711

// setPassage lets others pass through the folders of this process, or closes them. The folder of all
// processes stays as open as any of them needs it.
func (w *Workspaces) setPassage(open bool) error {
	mode := os.FileMode(0o700)
	if open {
		mode = passage
		if err := os.Chmod(filepath.Dir(w.place), mode); err != nil {
			return err
		}
	}
	w.mode = mode
	return errors.Join(os.Chmod(w.place, mode), os.Chmod(w.work, mode))
}

// Place returns the folder of this process, which may have other files of it as well.
func (w *Workspaces) Place() string { return w.place }

// Work returns the folder that the workspaces are in.
func (w *Workspaces) Work() string { return w.work }

// makeWork makes the folder of the workspaces again if somebody has removed it.
func (w *Workspaces) makeWork() error {
	if err := os.Mkdir(w.work, 0o700); err == nil {
		return os.Chmod(w.work, w.mode)
	}
	return os.MkdirAll(w.work, 0o700)
}

// takePlace returns the first place that no process has locked, and its lock. It removes the workspaces of
// dead processes in the places that it finds on the way.
func takePlace(dir string, opts *WorkspaceOptions) (place string, held *os.File, err error) {
	for n := range maxPlaces {
		candidate := filepath.Join(dir, strconv.Itoa(n))
		if held != nil {
			if _, err := os.Lstat(candidate); errors.Is(err, fs.ErrNotExist) {
				return place, held, nil
			}
		}
		if err := os.MkdirAll(candidate, 0o700); err != nil {
			return "", nil, errors.Join(err, closed(held))
		}
		file, err := filelock.Take(filepath.Join(candidate, lockName))
		if errors.Is(err, filelock.ErrTaken) {
			continue
		}
		if err == nil {
			err = clearPlace(candidate, opts)
		}
		if err != nil {
			return "", nil, errors.Join(err, closed(file), closed(held))
		}
		if held == nil {
			place, held = candidate, file
			continue
		}
		if err := file.Close(); err != nil {
			return "", nil, errors.Join(err, closed(held))
		}
	}
	if held == nil {
		return "", nil, fmt.Errorf("%d processes have workspaces in %s", maxPlaces, dir)
	}
	return place, held, nil
}

// clearPlace removes the workspaces of dead processes. Their commands may still write
// there, or have left files of other users. So the folder is renamed first, and what cannot
// be removed is left for the next call.
func clearPlace(place string, opts *WorkspaceOptions) error {
	if opts.Abandoned != nil {
		if err := opts.Abandoned(place); err != nil {
			return err
		}
	}
	left := filepath.Join(place, leftName+strings.ToLower(rand.Text()))
	if err := os.Rename(filepath.Join(place, workName), left); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	all, err := filepath.Glob(filepath.Join(place, leftName+"*"))
	if err != nil {
		return err
	}
	for _, dir := range all {
		if err := removeTree(dir); err != nil && opts.Log != nil {
			opts.Log.Warn("files of tasks of an earlier process are left", slog.Any("error", err))
		}
	}
	return nil
}

func closed(file *os.File) error {
	if file == nil {
		return nil
	}
	return file.Close()
}

// Open returns the workspace of a try. It costs nothing until its files are needed.
func (w *Workspaces) Open(lease *trowel.Lease) *Workspace { return &Workspace{all: w, lease: lease} }

// Close releases the place. All workspaces must be closed before. The files of revisions stay for
// the next process.
func (w *Workspaces) Close() error {
	err := removeTree(w.work)
	if w.guard != nil {
		err = errors.Join(err, w.guard.Close())
	}
	return errors.Join(err, w.lock.Close())
}

// Workspace has the files of one try. It is safe for concurrent use.
type Workspace struct {
	all   *Workspaces
	lease *trowel.Lease

	mu  sync.Mutex
	dir string // empty until it is needed
	err error
}

// Dir returns the absolute path of the workspace. The first call copies the files of the revision.
// Operators that need no files do not call it. A *RoomError says that there is no room.
func (w *Workspace) Dir(ctx context.Context) (string, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.dir == "" && w.err == nil {
		w.dir, w.err = w.make(ctx)
	}
	return w.dir, w.err
}

func (w *Workspace) make(ctx context.Context) (string, error) {
	if err := w.all.makeWork(); err != nil {
		return "", w.all.room(err)
	}
	dir := ""
	err := w.all.cache.use(ctx, w.lease.Context.Revision.Archive, func(files string) (int64, error) {
		err := removeIfMade(dir)
		if err == nil {
			dir, err = os.MkdirTemp(w.all.work, folderPrefix(w.lease)+"_*")
		}
		if err != nil {
			return 0, err
		}
		return clone(ctx, files, dir)
	})
	if err != nil {
		return "", errors.Join(w.all.room(err), removeIfMade(dir))
	}
	return dir, nil
}

// removeIfMade removes a workspace, if it was made.
func removeIfMade(dir string) error {
	if dir == "" {
		return nil
	}
	return removeTree(dir)
}

// Close removes the files, whatever the task has done to them. A second call does nothing.
func (w *Workspace) Close() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	dir := w.dir
	w.dir, w.err = "", os.ErrClosed
	return removeIfMade(dir)
}

// maxWorkflowInName is how many bytes of a workflow's name are in that of a folder.
const maxWorkflowInName = 60

// folderPrefix returns the beginning of a workspace's name (server 4.4).
func folderPrefix(lease *trowel.Lease) string {
	workflow := strings.Map(func(r rune) rune {
		switch {
		case 'a' <= r && r <= 'z', 'A' <= r && r <= 'Z', '0' <= r && r <= '9', r == '_', r == '-':
			return r
		default:
			return '_'
		}
	}, lease.Context.Workflow.Name)
	return fmt.Sprintf("%d_%s_%d_%d", lease.Context.Project.ID, workflow[:min(len(workflow), maxWorkflowInName)], lease.AttemptID, lease.TaskID)
}
