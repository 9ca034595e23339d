//go:build !windows

package terminal

import "os"

// EnableSequences makes a console understand escape sequences. On this system they always do.
func EnableSequences(*os.File) bool { return true }
