package cli

import (
	"io"
	"os"

	"golang.org/x/term"
)

// windowSize asks a terminal for its size. One that does not know is taken for one of 80 by 24.
func windowSize(w io.Writer) (columns, rows int) {
	if file := fileBehind(w); file != nil {
		columns, rows, err := term.GetSize(int(file.Fd()))
		if err == nil && columns > 0 && rows > 0 {
			return columns, rows
		}
	}
	return 80, 24
}

// fileBehind is the file that a stream ends in, nil if that is none. A writer before another one has the method Behind.
func fileBehind(w io.Writer) *os.File {
	switch w := w.(type) {
	case *os.File:
		return w
	case interface{ Behind() io.Writer }:
		return fileBehind(w.Behind())
	}
	return nil
}
