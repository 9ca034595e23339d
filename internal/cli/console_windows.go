package cli

import (
	"io"

	"golang.org/x/sys/windows"
)

// enableSequences makes a console understand escape sequences, and tells whether it does. Consoles
// before Windows 10 do not.
func enableSequences(w io.Writer) bool {
	file := fileBehind(w)
	if file == nil {
		return false
	}
	console := windows.Handle(file.Fd())
	var mode uint32
	if err := windows.GetConsoleMode(console, &mode); err != nil {
		return false
	}
	return windows.SetConsoleMode(console, mode|windows.ENABLE_VIRTUAL_TERMINAL_PROCESSING) == nil
}
