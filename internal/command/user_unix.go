//go:build unix

package command

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/user"
	"strconv"
	"syscall"

	trowel "github.com/trowel-project/trowel"
)

// openAtOnce keeps an open from blocking on a pipe, openNoLink from following a link.
const (
	openAtOnce = syscall.O_NONBLOCK
	openNoLink = syscall.O_NOFOLLOW
)

// FindUser finds a user by name or number. group, if not empty, replaces the user's own group. A number without a name
// needs a group. Root and the user of this process are refused, because they would not isolate anything. Local.Try
// checks whether this process may run commands as the user.
func FindUser(name, group string) (*User, error) {
	found, err := user.Lookup(name)
	if err != nil {
		found, err = byNumber(name, group)
	}
	if err != nil {
		return nil, err
	}
	u := &User{Name: found.Username, Home: found.HomeDir}
	if u.UID, err = number(found.Uid); err != nil {
		return nil, err
	}
	if u.Home == "" {
		u.Home = "/"
	}
	gid := found.Gid
	if group != "" {
		if gid, err = groupID(group); err != nil {
			return nil, err
		}
	}
	if u.GID, err = number(gid); err != nil {
		return nil, err
	}
	if u.UID == 0 || int64(u.UID) == int64(os.Geteuid()) {
		return nil, &trowel.Error{
			Kind: trowel.ErrInvalid, Message: fmt.Sprintf("commands cannot be parted from the server by the user %q, which reaches all that the server does", name),
			Hint: "name a user that owns nothing, made as with: useradd --system --create-home trowel-tasks",
		}
	}
	if err := u.findGroups(found); err != nil {
		return nil, err
	}
	return u, nil
}

// byNumber finds a user by number, who may have no name on this machine.
func byNumber(text, group string) (*user.User, error) {
	if _, err := number(text); err != nil {
		return nil, &trowel.Error{
			Kind: trowel.ErrInvalid, Message: fmt.Sprintf("there is no user %q on this machine", text),
			Hint: "make it, as with: useradd --system --create-home " + strconv.Quote(text) + "; one that is not in /etc/passwd is named by its number",
		}
	}
	if found, err := user.LookupId(text); err == nil {
		return found, nil
	}
	if group == "" {
		return nil, &trowel.Error{
			Kind: trowel.ErrInvalid, Message: "the user " + text + " has no name here, so its group is not known", Hint: "set agent.command.group",
		}
	}
	return &user.User{Uid: text, Username: text, HomeDir: "/"}, nil
}

func groupID(name string) (string, error) {
	if group, err := user.LookupGroup(name); err == nil {
		return group.Gid, nil
	}
	if _, err := number(name); err != nil {
		return "", &trowel.Error{
			Kind: trowel.ErrInvalid, Message: fmt.Sprintf("there is no group %q on this machine", name),
			Hint: "make it, as with: groupadd --system " + strconv.Quote(name),
		}
	}
	return name, nil
}

func number(text string) (uint32, error) {
	n, err := strconv.ParseUint(text, 10, 32)
	return uint32(n), err
}

// findGroups sets the supplementary groups of a user as a login would. A user without a name has none.
func (u *User) findGroups(found *user.User) error {
	if found.Gid == "" {
		return nil
	}
	ids, err := found.GroupIds()
	if err != nil {
		return fmt.Errorf("find the groups of the user %q: %w", u.Name, err)
	}
	for _, id := range ids {
		gid, err := number(id)
		if err != nil {
			return err
		}
		if gid != u.GID {
			u.Groups = append(u.Groups, gid)
		}
	}
	return nil
}

// credential is the credential of a process of the user; nil for the user of this process.
func (u *User) credential() *syscall.Credential {
	if u == nil {
		return nil
	}
	return &syscall.Credential{Uid: u.UID, Gid: u.GID, Groups: u.Groups}
}

// ownsAlone reports whether a file belongs to the user and has one name. If it has more, it may be somebody else's file.
func (u *User) ownsAlone(info fs.FileInfo) bool {
	return u.owns(info) && hasOneName(info)
}

// owns reports whether a file belongs to the user.
func (u *User) owns(info fs.FileInfo) bool {
	stat, ok := info.Sys().(*syscall.Stat_t)
	return ok && stat.Uid == u.UID
}

// hasOneName reports whether a file has no second name, so that it is not somebody else's file.
func hasOneName(info fs.FileInfo) bool {
	stat, ok := info.Sys().(*syscall.Stat_t)
	return ok && stat.Nlink == 1
}

// ownedByUs reports whether a file belongs to the user of this process.
func ownedByUs(info fs.FileInfo) bool {
	stat, ok := info.Sys().(*syscall.Stat_t)
	return ok && int64(stat.Uid) == int64(os.Geteuid())
}

// mayNot reports whether an error says that this process may not act for another user.
func mayNot(err error) bool { return errors.Is(err, syscall.EPERM) || errors.Is(err, syscall.EINVAL) }
