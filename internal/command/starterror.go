package command

import (
	"errors"
	"fmt"
	"syscall"
	"unicode"
	"unicode/utf8"
)

// StartError says that a command could not be started.
type StartError struct {
	Program string
	Dir     string
	Err     error
}

// Error returns Digdag's text (operators 3.2); a system error has its number in it.
func (e *StartError) Error() string {
	reason := e.Err.Error()
	if number, ok := errors.AsType[syscall.Errno](e.Err); ok {
		reason = fmt.Sprintf("%s=%d, %s", errorWord, int(number), capital(number.Error()))
	}
	return fmt.Sprintf("java.io.IOException: Cannot run program %q (in directory %q): %s", e.Program, e.Dir, reason)
}

// Unwrap returns the system's error.
func (e *StartError) Unwrap() error { return e.Err }

func capital(s string) string {
	r, size := utf8.DecodeRuneInString(s)
	return string(unicode.ToUpper(r)) + s[size:]
}
