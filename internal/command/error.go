package command

// Error is an error of an executor with one of Digdag's kinds, as "client" (operators 1.13).
type Error struct {
	Kind    string
	Message string
	Err     error // what caused it; may be nil
}

// Error returns the message.
func (e *Error) Error() string { return e.Message }

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }
