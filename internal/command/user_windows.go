package command

import (
	"io/fs"

	trowel "github.com/trowel-project/trowel"
)

const openAtOnce, openNoLink = 0, 0

// FindUser refuses: commands never run as another user on Windows.
func FindUser(string, string) (*User, error) {
	return nil, &trowel.Error{
		Kind: trowel.ErrInvalid, Message: "commands run as the user of the server on Windows",
		Hint: "leave agent.command.user out, and run `trowel agent` as the other user",
	}
}

func (*User) ownsAlone(fs.FileInfo) bool { return false }
func (*User) owns(fs.FileInfo) bool      { return false }
func hasOneName(fs.FileInfo) bool        { return true }
func ownedByUs(fs.FileInfo) bool         { return false }
func mayNot(error) bool                  { return false }
