package terminal

import (
	"os"

	"golang.org/x/sys/windows"
)

// EnableSequences makes a console understand escape sequences, and reports whether it does. Consoles
// before Windows 10 do not. A nil file is no console.
func EnableSequences(file *os.File) bool {
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
