package cli

import (
	"fmt"
	"io"
)

// say writes a text. That a write failed is known to the keptWriter around standard output; for
// standard error there is nobody left to tell.
func say(w io.Writer, format string, args ...any) {
	_, _ = fmt.Fprintf(w, format, args...)
}
