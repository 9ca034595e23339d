//go:build unix

package operator

import (
	"io/fs"
	"syscall"
)

// hasOneName reports whether a file has no other name, which would show what is written to it.
func hasOneName(info fs.FileInfo) bool {
	stat, ok := info.Sys().(*syscall.Stat_t)
	return ok && stat.Nlink == 1
}
