//go:build unix

package archive

import (
	"errors"
	"syscall"
)

// isFull reports whether an error says that a disk, or the user's share of it, is full.
func isFull(err error) bool { return errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT) }
