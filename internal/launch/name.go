package launch

import (
	"fmt"
	"unicode/utf16"

	trowel "github.com/trowel-project/trowel"
)

// maxName is the longest attempt name, in UTF-16 units as Digdag counts.
const maxName = 255

// CheckName checks the name of an attempt in a request (language A2, server 4.5). model is Digdag's word for the
// request: "attempt request" or "session attempt". The error is an ErrInvalid.
func CheckName(name, model string) error {
	if name == "" {
		return wrongName(name, model, "must not be blank")
	}
	return checkGiven(name, model)
}

// checkGiven checks a name that may be empty.
func checkGiven(name, model string) error {
	if len(name) > maxName && len(utf16.Encode([]rune(name))) > maxName {
		return wrongName(name, model, fmt.Sprintf("must not be longer than %d characters", maxName))
	}
	return trowel.CheckPrintable("an attempt", name)
}

func wrongName(name, model, problem string) error {
	return &trowel.Error{
		Kind:    trowel.ErrInvalid,
		Message: fmt.Sprintf("Validating %s failed\nretry attempt name %s: \"%s\"", model, problem, name),
		Hint:    fmt.Sprintf("give a name of 1 to %d characters", maxName),
	}
}

// TakenError says that a session already has an attempt of that name (language A3). It is an ErrConflict.
type TakenError struct {
	Existing *trowel.AttemptSummary
}

func (*TakenError) Error() string { return "Session already exists" }

// Unwrap gives the kind to errors.Is.
func (*TakenError) Unwrap() error { return trowel.ErrConflict }
