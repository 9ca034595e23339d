package operator_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/trowel-project/trowel/internal/dig"
	"github.com/trowel-project/trowel/internal/operator"
	"github.com/trowel-project/trowel/internal/param"
	"github.com/trowel-project/trowel/internal/secret"
)

// Language X33, operators 1.13: message, kind, trace and log line of each sort of failure.
func TestErrors(t *testing.T) {
	t.Parallel()
	cause := errors.New("connection refused")
	for _, c := range []struct {
		name, message, log string
		err                error
		keys               string
	}{
		{
			name: "deliberate", err: &operator.Failure{Message: "no"},
			message: "no", keys: "message", log: "Task +a failed.\nno",
		},
		{
			name: "deliberate with more", err: &operator.Failure{Message: "no", Props: param.Of("errors", "[]")},
			message: "no", keys: "errors message", log: "Task +a failed.\nno",
		},
		{
			name: "deliberate with a cause", err: &operator.Failure{Message: "no", Err: cause},
			message: "no", keys: "message stacktrace", log: "Task +a failed.\nno",
		},
		{
			name: "parameter", err: param.Errorf("bad %d", 1),
			message: "bad 1 (config)", keys: "message stacktrace", log: "Configuration error at task +a: bad 1 (config)",
		},
		{
			name: "wrapped parameter", err: fmt.Errorf("do x: %w", param.Errorf("bad")),
			message: "bad (config)", keys: "message stacktrace", log: "Configuration error at task +a: bad (config)",
		},
		{
			name: "workflow file", err: &dig.Error{Kind: "parser", Message: "bad"},
			message: "bad (parser)", keys: "message stacktrace", log: "Task failed with unexpected error: bad",
		},
		{
			name: "missing secret", err: &secret.NotFoundError{Key: "a.b"},
			message: "Secret not found for key: 'a.b' (secret not found)", keys: "message stacktrace",
			log: "Task failed with unexpected error: Secret not found for key: 'a.b'",
		},
		{
			name: "key of a secret", err: &secret.KeyError{Key: "*"},
			message: "Illegal key: '*' (illegal argument)", keys: "message stacktrace",
			log: "Task failed with unexpected error: Illegal key: '*'",
		},
		{
			name: "kind of its own", err: &operator.Error{Kind: "task limit exceeded", Message: "too many", Err: cause},
			message: "too many (task limit exceeded)", keys: "message stacktrace", log: "Task failed with unexpected error: too many",
		},
		{
			name: "any other", err: fmt.Errorf("connect: %w", cause),
			message: "connect: connection refused (runtime)", keys: "message stacktrace",
			log: "Task failed with unexpected error: connect: connection refused",
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			object := operator.ErrorObject(c.err)
			if got, _ := object.Get("message"); got != c.message {
				t.Errorf("message = %q, want %q", got, c.message)
			}
			if got := strings.Join(object.Keys(), " "); got != c.keys {
				t.Errorf("keys = %q, want %q", got, c.keys)
			}
			if got := operator.LogText("+a", c.err); got != c.log {
				t.Errorf("LogText = %q, want %q", got, c.log)
			}
		})
	}
}

// The trace has the whole chain, which the message may leave out.
func TestErrorTrace(t *testing.T) {
	t.Parallel()
	err := fmt.Errorf("load: %w", &operator.Error{Kind: "notification", Message: "Sending failed", Err: errors.New("refused")})
	trace, _ := operator.ErrorObject(err).Get("stacktrace")
	const want = "*fmt.wrapError: load: Sending failed, *operator.Error: Sending failed, *errors.errorString: refused"
	if trace != want {
		t.Errorf("stacktrace = %q, want %q", trace, want)
	}
}
