// Package statusdir reads and writes the folder where a local run stores which tasks succeeded. Its form is
// Digdag's.
package statusdir

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/dig"
	"github.com/trowel-project/trowel/internal/param"
	"github.com/trowel-project/trowel/internal/schedule"
)

// stateFormat is the layout of the name of a session's folder.
const stateFormat = "20060102T150405-0700"

// Root is the folder of --save, which has one folder for each session (server 1.9.2).
type Root struct{ Dir string }

// Session returns the folder of a session time.
func (d Root) Session(at time.Time) string { return filepath.Join(d.Dir, at.Format(stateFormat)) }

// Newest returns the latest session time whose folder has files of a workflow.
func (d Root) Newest(workflow string, zone schedule.Zone) (at time.Time, found bool, err error) {
	entries, err := os.ReadDir(d.Dir)
	if errors.Is(err, fs.ErrNotExist) {
		return at, false, nil
	}
	if err != nil {
		return at, false, fmt.Errorf("look for the last session: %w", err)
	}
	for _, entry := range entries {
		session, err := time.Parse(stateFormat, entry.Name())
		if err != nil || !entry.IsDir() || (found && !session.After(at)) {
			continue
		}
		if hasStates(filepath.Join(d.Dir, entry.Name()), workflow) {
			at, found = session, true
		}
	}
	return at.In(zone.Location), found, nil
}

func hasStates(dir, workflow string) bool {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return false // as if it were empty; the run reports it when it writes there
	}
	return slices.ContainsFunc(entries, func(e fs.DirEntry) bool {
		rest, ours := strings.CutPrefix(e.Name(), "+"+workflow)
		name, yaml := strings.CutSuffix(rest, stateSuffix)
		return ours && yaml && e.Type().IsRegular() && (name == "" || name[0] == '+' || name[0] == '^')
	})
}

// stateSuffix ends the names of the files of tasks.
const stateSuffix = ".yml"

// Session stores the results of a session's tasks, one file for each task that succeeded, in the form
// that Digdag reads and writes (language A14).
type Session struct{ Dir string }

func (s Session) path(task string) string { return filepath.Join(s.Dir, stateName(task)) }

// Most file systems allow names of 255 bytes. The file of a task with a longer name has the beginning of that and, after a
// character that no name of a task contains, a digest of the whole. Digdag cannot store such a task.
const (
	longestName = 255
	longStart   = 180
	longMark    = "~"
)

// stateName returns the name of a task's file.
func stateName(task string) string {
	if len(task)+len(stateSuffix) <= longestName {
		return task + stateSuffix
	}
	digest := sha256.Sum256([]byte(task))
	return strings.ToValidUTF8(task[:longStart], "") + longMark + hex.EncodeToString(digest[:16]) + stateSuffix
}

// Read returns the result of a task that succeeded before. A file that cannot be understood is an
// error, as the user must decide whether the task runs again.
func (s Session) Read(task string) (result trowel.Result, found bool, err error) {
	data, err := os.ReadFile(s.path(task))
	if errors.Is(err, fs.ErrNotExist) {
		return result, false, nil
	}
	if err != nil {
		return result, false, err
	}
	file, err := dig.ReadYAML(data)
	if err != nil {
		return result, false, fmt.Errorf("read %s: %w", s.path(task), err)
	}
	result, found, err = readState(param.NewReader(file))
	if err != nil {
		return result, false, fmt.Errorf("read %s: %w", s.path(task), err)
	}
	return result, found, nil
}

func readState(file *param.Reader) (result trowel.Result, found bool, err error) {
	state, err := file.StringOr("state", "")
	if err != nil || state != trowel.TaskSuccess.String() {
		return result, false, err
	}
	stored, err := file.OptMap("result")
	if err != nil {
		return result, false, err
	}
	r := param.NewReader(stored)
	var errs [4]error
	result.Subtasks, errs[0] = r.OptMap("subtaskConfig")
	result.Export, errs[1] = r.OptMap("exportParams")
	result.Store, errs[2] = r.OptMap("storeParams")
	resets, err := r.ListOr("resetStoreParams", nil)
	errs[3] = err
	for _, reset := range resets {
		if key, ok := param.AsString(reset); ok {
			result.ResetKeys = append(result.ResetKeys, key)
		}
	}
	return result, true, errors.Join(errs[:]...)
}

// write stores the result of a task that succeeded. Readers of the folder see the complete file or
// none. A file that has the same content already is left alone, as some file systems write to disk
// when a file is replaced.
func (s Session) write(task string, result trowel.Result) error {
	text := param.AppendYAML(nil, stateOf(task, result), 0)
	if old, err := os.ReadFile(s.path(task)); err == nil && bytes.Equal(old, text) {
		return nil
	}
	temp, err := s.temporary()
	if errors.Is(err, fs.ErrNotExist) {
		if err := os.MkdirAll(s.Dir, 0o777); err != nil { //nolint:gosec // the umask decides, as for all files of the project
			return err
		}
		temp, err = s.temporary()
	}
	if err != nil {
		return err
	}
	_, err = temp.Write(text)
	err = errors.Join(err, temp.Close())
	if err == nil {
		err = os.Rename(temp.Name(), s.path(task))
	}
	if err != nil {
		return errors.Join(err, os.Remove(temp.Name()))
	}
	return nil
}

// temporary makes a file that gets its name once it is complete. Unlike files of os.CreateTemp it can be
// read by everybody who may read the project.
func (s Session) temporary() (*os.File, error) {
	name := filepath.Join(s.Dir, ".tmp-"+uuid.NewString())
	return os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666) //nolint:gosec // the umask decides
}

// stateOf returns the content of a file. resetStoreParams stays empty, as in Digdag.
func stateOf(task string, result trowel.Result) *param.Map {
	object := func(m *param.Map) *param.Map {
		if m == nil {
			return param.New()
		}
		return m
	}
	return param.Of(
		"fullName", task,
		"state", trowel.TaskSuccess.String(),
		"result", param.Of(
			"subtaskConfig", object(result.Subtasks),
			"exportParams", object(result.Export),
			"resetStoreParams", param.List{},
			"storeParams", object(result.Store),
			"report", param.Of("inputs", param.List{}, "outputs", param.List{}),
		),
	)
}

// Probe checks that results can be stored, before anything has run.
func (s Session) Probe() error {
	err := os.MkdirAll(s.Dir, 0o777) //nolint:gosec // the umask decides, as for all files of the project
	if err == nil {
		var temp *os.File
		if temp, err = s.temporary(); err == nil {
			_, err = temp.WriteString("probe\n")
			err = errors.Join(err, temp.Close(), os.Remove(temp.Name()))
		}
	}
	if err != nil {
		return cannotKeep("states in "+s.Dir, err)
	}
	return nil
}

func cannotKeep(what string, err error) error {
	return &trowel.Error{
		Kind: trowel.ErrUnavailable, Message: "cannot keep " + what, Err: err,
		Hint: "make room or mend the folder and run the same command again, or give another folder with --save",
	}
}
