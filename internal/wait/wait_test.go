package wait_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/trowel-project/trowel/internal/wait"
)

func TestSleep(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		began := time.Now()
		if err := wait.Sleep(t.Context(), time.Hour); err != nil || time.Since(began) != time.Hour {
			t.Errorf("Sleep = %v after %v, want an hour", err, time.Since(began))
		}
		cause := errors.New("enough")
		ctx, cancel := context.WithCancelCause(t.Context())
		time.AfterFunc(time.Minute, func() { cancel(cause) })
		began = time.Now()
		if err := wait.Sleep(ctx, time.Hour); !errors.Is(err, cause) || time.Since(began) != time.Minute {
			t.Errorf("Sleep = %v after %v, want %v after a minute", err, time.Since(began), cause)
		}
	})
}

// Signals set before anybody looks are one.
func TestSignal(t *testing.T) {
	t.Parallel()
	s := wait.NewSignal()
	s.Set()
	s.Set()
	if len(s) != 1 {
		t.Errorf("%d signals, want 1", len(s))
	}
	<-s
	s.Set()
	if len(s) != 1 {
		t.Errorf("%d signals after the first was received, want 1", len(s))
	}
}
