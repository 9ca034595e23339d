//go:build unix

package archive

import (
	"os"
	"syscall"

	trowel "github.com/trowel-project/trowel"
)

// checkOwner refuses a folder that another user made or may write to, as that user could replace the
// files of a project.
func checkOwner(dir string) error {
	info, err := os.Lstat(dir)
	if err != nil {
		return err
	}
	stat, ok := info.Sys().(*syscall.Stat_t)
	if ok && info.IsDir() && int64(stat.Uid) == int64(os.Geteuid()) && info.Mode().Perm()&0o002 == 0 {
		return nil
	}
	return &trowel.Error{
		Kind: trowel.ErrInvalid, Message: "the folder for the files of tasks belongs to another user, or others may write to it", Where: dir,
		Hint: "remove it, or set tmpdir to a folder that is yours alone",
	}
}
