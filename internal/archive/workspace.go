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

// WorkspaceOptions say where the files of tries are and how much is kept of them.
type WorkspaceOptions struct {
	// Dir is a folder for the workspaces of all agents on this machine that have the same user, below
	// tmpdir. It is made if it is missing. Each process takes a folder in it for itself.
	Dir   string
	Fetch Fetch
	// Limits of an archive; zero MaxBytes is 16 GiB.
	Limits Limits
	// CacheBytes is how much the unpacked files of revisions may take that no try uses now; zero is
	// 1 GiB.
	CacheBytes int64
	// Passable lets other users of this machine pass through the folders to files that are given to them;
	// they see no names, and what is not given to them stays closed.
	Passable bool
	// Abandoned is called with the folder of each process that died, before its workspaces are removed; nil is not
	// called. An error keeps NewWorkspaces from going on.
	Abandoned func(place string) error
	// Log hears of files of dead processes that cannot be removed, and of each retry; nil for nobody.
	Log *slog.Logger
}

// Workspaces give each try its own copy of the files of its revision, which goes at the end of the try
// (server 4.4). Revisions are fetched and unpacked once. It is safe for concurrent use.
type Workspaces struct {
	cache *cache
	place string      // folder of this process
	work  string      // in it, folder of the workspaces
	mode  fs.FileMode // of both
	lock  *os.File
	guard io.Closer // keeps what cleans temporary files away; nil where there is no such thing
}

const (
	lockName  = "lock"
	cacheName = "revisions"
	workName  = "work"
	leftName  = "left-" // begins the names of what dead processes had as workName
	// maxPlaces is how many processes may have workspaces in a folder.
	maxPlaces = 1000
)

// NewWorkspaces takes a place for the workspaces of this process. What processes left behind that died
// goes. Close it at the end.
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
	} // else the file system has no locks of folders, and what is cleaned away is fetched again
	return w, nil
}

// passage lets others go through a folder, and not look into it.
const passage = 0o711

// setPassage opens the folders of this process to others who go through, or closes them. The folder of all
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

// Place returns the folder of this process, in which there may be other files of it.
func (w *Workspaces) Place() string { return w.place }

// Work returns the folder that the workspaces are in.
func (w *Workspaces) Work() string { return w.work }

// makeWork makes the folder of the workspaces if somebody has removed it.
func (w *Workspaces) makeWork() error {
	if err := os.Mkdir(w.work, 0o700); err == nil {
		return os.Chmod(w.work, w.mode)
	}
	return os.MkdirAll(w.work, 0o700)
}

// takePlace returns the first place that no process has, and its lock. On the way the workspaces of
// all such places are removed.
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

// clearPlace removes the workspaces of dead processes. Commands that those had started may still write
// there, or have left files that are not ours, so the folder gets another name first, and what cannot
// be removed is for the next one to try.
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

// Open returns the workspace of a try. It costs nothing until its files are asked for.
func (w *Workspaces) Open(lease *trowel.Lease) *Workspace { return &Workspace{all: w, lease: lease} }

// Close lets go of the place. All workspaces must be closed before. The files of revisions stay for
// the next process.
func (w *Workspaces) Close() error {
	err := removeTree(w.work)
	if w.guard != nil {
		err = errors.Join(err, w.guard.Close())
	}
	return errors.Join(err, w.lock.Close())
}

// Workspace is the files of one try. It is safe for concurrent use.
type Workspace struct {
	all   *Workspaces
	lease *trowel.Lease

	mu  sync.Mutex
	dir string // empty before it is needed
	err error
}

// Dir returns the absolute path of the workspace. The first call copies the files of the revision;
// operators that have nothing to do with files do not ask. A *RoomError says that there is no room.
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
	err := w.all.cache.use(ctx, w.lease.Setting.Revision.Archive, func(files string) (int64, error) {
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

// removeIfMade removes a workspace, if there is one.
func removeIfMade(dir string) error {
	if dir == "" {
		return nil
	}
	return removeTree(dir)
}

// Close removes the files, whatever the task made of them. Closing twice does nothing.
func (w *Workspace) Close() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	dir := w.dir
	w.dir, w.err = "", os.ErrClosed
	return removeIfMade(dir)
}

// maxWorkflowInName is how much of a workflow's name stands in that of a folder, in bytes.
const maxWorkflowInName = 60

// folderPrefix is the beginning of a workspace's name (server 4.4).
func folderPrefix(lease *trowel.Lease) string {
	workflow := strings.Map(func(r rune) rune {
		switch {
		case 'a' <= r && r <= 'z', 'A' <= r && r <= 'Z', '0' <= r && r <= '9', r == '_', r == '-':
			return r
		default:
			return '_'
		}
	}, lease.Setting.Workflow.Name)
	return fmt.Sprintf("%d_%s_%d_%d", lease.Setting.Project.ID, workflow[:min(len(workflow), maxWorkflowInName)], lease.AttemptID, lease.TaskID)
}
