//go:build unix

package operator

import (
	"io/fs"
	"syscall"
)

// hasOneName reports whether a file has no second hard link, through which its content could be read.
func hasOneName(info fs.FileInfo) bool {
	stat, ok := info.Sys().(*syscall.Stat_t)
	return ok && stat.Nlink == 1
}
