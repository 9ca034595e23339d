//go:build !windows

package cli

import "os"

// enableSequences makes a console understand escape sequences. Terminals of this system do.
func enableSequences(*os.File) bool { return true }
