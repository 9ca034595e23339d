package trowel

import "fmt"

// ErrUnknown is the ErrUnavailable of an attempt that a later version has written in a state that this build does not
// know, or with a flag. Whoever meets one leaves the attempt alone.
var ErrUnknown = fmt.Errorf("%w: unknown to this version", ErrUnavailable)

const (
	knownAttemptFlags = AttemptCancelRequested | AttemptDone | AttemptSuccess
	knownTaskFlags    = TaskCancelRequested | TaskDelayedError | TaskDelayedGroupError | TaskInitial | TaskHasJob
	// Nothing in this build brings a task into a state above, though TaskDeferred and TaskAwaitingInput have names.
	lastKnownState = TaskSkipped
)

// CheckKnown returns an ErrUnknown if this build does not know a flag of an attempt.
func CheckKnown(id AttemptID, flags AttemptFlags) error {
	if unknown := flags &^ knownAttemptFlags; unknown != 0 {
		return unknownTo(fmt.Sprintf("attempt %d has flag %d", id, unknown))
	}
	return nil
}

// CheckKnownTask returns an ErrUnknown if this build does not move tasks in the state of a task, or does not know a flag
// of it.
func CheckKnownTask(t *Task) error {
	if t.State > lastKnownState {
		return unknownTo(fmt.Sprintf("task %d of attempt %d is in state %d", t.ID, t.AttemptID, t.State))
	}
	if unknown := t.Flags &^ knownTaskFlags; unknown != 0 {
		return unknownTo(fmt.Sprintf("task %d of attempt %d has flag %d", t.ID, t.AttemptID, unknown))
	}
	return nil
}

func unknownTo(what string) error {
	return &Error{Kind: ErrUnknown, Message: what + ", which only later versions of Trowel know", Hint: "upgrade this server"}
}
