package command

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	trowel "github.com/trowel-project/trowel"
)

// tryScript writes a file, shows the user it runs as where the system can tell, and prints the paths that it can read.
const tryScript = `echo written > proof || exit 1
for path; do if [ -r "$path" ] || [ -w "$path" ]; then printf 'reached:%s\n' "$path"; fi; done
if [ -r /proc/self/status ]; then while read -r line; do printf '%s\n' "$line"; done < /proc/self/status; fi
`

// reachedMark begins the lines with paths in the output of tryScript.
const reachedMark = "reached:"

// hintRights says which rights a process needs to run commands as another user.
const hintRights = "start it as root, or with CAP_SETUID, CAP_SETGID, CAP_CHOWN, CAP_DAC_OVERRIDE, CAP_FOWNER and CAP_KILL; " +
	"or leave agent.command.user out"

// Try runs a command as the user of the options, in a new directory below one that belongs to this process, and treats
// it as it treats commands of tasks. The error says why that does not work; missing rights are a trowel.ErrDenied.
// reached are those of the given paths that the user can read or write. Without a user it does nothing.
func (l *Local) Try(ctx context.Context, below string, paths []string) (reached []string, err error) {
	u := l.options.User
	if u == nil {
		return nil, nil
	}
	dir, err := os.MkdirTemp(below, "user-*")
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	var out bytes.Buffer
	request := &Request{
		Project: dir, WorkDir: ".", IODir: ".", Output: &out,
		Args: append([]string{"/bin/sh", "-c", tryScript, "sh"}, paths...),
	}
	status, err := l.Run(ctx, request)
	if err == nil {
		_, err = status.ReadFile(dir, "proof")
	}
	if err != nil {
		return nil, l.cannot(dir, err, strings.TrimSpace(out.String()))
	}
	for line := range strings.Lines(out.String()) {
		if path, found := strings.CutPrefix(strings.TrimSuffix(line, "\n"), reachedMark); found {
			reached = append(reached, path)
		} else if err := u.checkStatus(line); err != nil {
			return nil, err
		}
	}
	return reached, nil
}

// cannot explains why a command could not be run as the user.
func (l *Local) cannot(dir string, err error, output string) error {
	if start, ok := errors.AsType[*StartError](err); ok {
		err = start.Err
	}
	told := &trowel.Error{
		Kind: trowel.ErrDenied, Message: fmt.Sprintf("commands cannot be run as the user %q", l.options.User.Name), Err: err, Hint: hintRights,
	}
	switch {
	case output != "":
		told.Err = errors.New(output)
	case !mayNot(err) && (errors.Is(err, fs.ErrPermission) || errors.Is(err, fs.ErrNotExist)):
		told.Hint = "let that user pass through all folders above " + filepath.Dir(dir) + ", or set tmpdir to another place"
	}
	return told
}

// checkStatus checks a line of /proc/self/status (proc(5)) of a process that should belong to the user. If it kept a
// right or a group of this process, commands would not be isolated.
func (u *User) checkStatus(line string) error {
	name, value, _ := strings.Cut(line, ":")
	fields := strings.Fields(value)
	var want string
	switch name {
	case "Uid":
		want = strconv.FormatUint(uint64(u.UID), 10)
	case "Gid":
		want = strconv.FormatUint(uint64(u.GID), 10)
	case "CapPrm", "CapEff", "CapAmb":
		want = "0000000000000000"
	default:
		return nil
	}
	for _, field := range fields {
		if field != want {
			return &trowel.Error{
				Kind: trowel.ErrDenied, Message: fmt.Sprintf("commands of the user %q keep rights of this process: %s %s", u.Name, name, strings.Join(fields, " ")),
				Hint: hintRights,
			}
		}
	}
	return nil
}
