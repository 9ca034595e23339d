//go:build !windows

package cli

import "io"

// enableSequences makes a console understand escape sequences. Terminals of this system do.
func enableSequences(io.Writer) bool { return true }
