//go:build !linux

package archive

import (
	"errors"
	"os"
)

// share is for Linux only.
func share(_, _ *os.File) error { return errors.ErrUnsupported }
