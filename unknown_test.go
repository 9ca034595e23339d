package trowel

import (
	"errors"
	"testing"
)

func TestCheckKnown(t *testing.T) {
	t.Parallel()
	for flags := range AttemptFlags(1 << 15) {
		if err := CheckKnown(3, flags); errors.Is(err, ErrUnknown) != (flags > 7) {
			t.Fatalf("CheckKnown of flags %d = %v", flags, err)
		}
	}
	for state := range TaskState(100) {
		if err := CheckKnownTask(&Task{ID: 5, AttemptID: 3, State: state}); errors.Is(err, ErrUnknown) != (state > TaskSkipped) {
			t.Fatalf("CheckKnownTask in state %d = %v", state, err)
		}
	}
	for flags := range TaskFlags(1 << 15) {
		if err := CheckKnownTask(&Task{ID: 5, AttemptID: 3, Flags: flags}); errors.Is(err, ErrUnknown) != (flags > 31) {
			t.Fatalf("CheckKnownTask with flags %d = %v", flags, err)
		}
	}
	for want, err := range map[string]error{
		"attempt 3 has flag 256, which only later versions of Trowel know":             CheckKnown(3, AttemptDone|256),
		"task 5 of attempt 3 is in state 40, which only later versions of Trowel know": CheckKnownTask(&Task{ID: 5, AttemptID: 3, State: 40}),
		"task 5 of attempt 3 has flag 96, which only later versions of Trowel know":    CheckKnownTask(&Task{ID: 5, AttemptID: 3, Flags: TaskInitial | 96}),
	} {
		if err == nil || err.Error() != want || !errors.Is(err, ErrUnavailable) {
			t.Errorf("got %v, want %s", err, want)
		}
	}
}
