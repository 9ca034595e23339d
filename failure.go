package trowel

import (
	"strings"

	"github.com/trowel-project/trowel/internal/param"
)

// ErrorObject builds the error object of a failure that an exception caused (language X33): the
// message with its kind in parentheses, and a trace. Workflows match on the message.
func ErrorObject(message, kind string, trace ...string) *param.Map {
	if kind != "" {
		message += " (" + kind + ")"
	}
	if len(trace) == 0 {
		trace = []string{message}
	}
	return param.Of("message", message, "stacktrace", strings.Join(trace, ", "))
}
