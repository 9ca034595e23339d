//go:build unix

package command

import (
	"io/fs"
	"syscall"
)

// fileID names a file that may have several names.
type fileID struct{ device, inode uint64 }

// blockBytes is the unit in which stat(2) counts.
const blockBytes = 512

// diskBytes returns how much disk a file takes.
func diskBytes(info fs.FileInfo) int64 {
	if stat, ok := info.Sys().(*syscall.Stat_t); ok {
		return stat.Blocks * blockBytes
	}
	return info.Size()
}

// linkedFile returns the id of a file that has several names.
func linkedFile(info fs.FileInfo) (fileID, bool) {
	stat, ok := info.Sys().(*syscall.Stat_t)
	if !ok || info.IsDir() || stat.Nlink < 2 {
		return fileID{}, false
	}
	return fileID{uint64(stat.Dev), stat.Ino}, true //nolint:unconvert,gosec // of another type on some systems
}
