package terminal

import (
	"fmt"
	"io"
)

// Say writes a text. That a write failed is known to the keptWriter around standard output; for
// standard error there is nobody left to tell.
func Say(w io.Writer, format string, args ...any) {
	_, _ = fmt.Fprintf(w, format, args...)
}
