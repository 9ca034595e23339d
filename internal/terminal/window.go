package terminal

import (
	"io"
	"os"

	"golang.org/x/term"
)

// WindowSize asks a terminal for its size. One that does not know is taken for one of 80 by 24.
func WindowSize(w io.Writer) (columns, rows int) {
	if file := FileBehind(w); file != nil {
		columns, rows, err := term.GetSize(int(file.Fd()))
		if err == nil && columns > 0 && rows > 0 {
			return columns, rows
		}
	}
	return 80, 24
}

// FileBehind is the file that a stream ends in, nil if that is none. A writer before another one has the method Behind.
func FileBehind(w io.Writer) *os.File {
	switch w := w.(type) {
	case *os.File:
		return w
	case interface{ Behind() io.Writer }:
		return FileBehind(w.Behind())
	}
	return nil
}
