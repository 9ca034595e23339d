package operator_test

import (
	"context"
	"errors"
	"testing"

	"github.com/trowel-project/trowel/internal/operator"
	"github.com/trowel-project/trowel/internal/param"
)

// notifier keeps notifications, or fails.
type notifier struct {
	got []operator.Notification
	err error
}

func (n *notifier) Notify(_ context.Context, notification operator.Notification) error {
	n.got = append(n.got, notification)
	return n.err
}

// Operators 2.11, language X21, O30.
func TestNotify(t *testing.T) {
	t.Parallel()
	own := param.Of("_type", "notify", "_command", "Workflow session attempt failed")
	t.Run("nobody", func(t *testing.T) {
		t.Parallel()
		if _, err := newFixture(t, own).Run(); err != nil {
			t.Error(err)
		}
	})
	t.Run("sent", func(t *testing.T) {
		t.Parallel()
		f, n := newFixture(t, own), &notifier{}
		f.Request.Notifier = n
		if _, err := f.Run(); err != nil {
			t.Fatal(err)
		}
		if len(n.got) != 1 || n.got[0].Message != "Workflow session attempt failed" || n.got[0].Lease != f.Request.Lease || n.got[0].At.IsZero() {
			t.Errorf("notifications = %+v", n.got)
		}
	})
	t.Run("failed", func(t *testing.T) {
		t.Parallel()
		f, n := newFixture(t, own), &notifier{err: errors.New("no mail today")}
		f.Request.Notifier = n
		_, err := f.Run()
		if got, want := message(err), "Sending notification failed (notification)"; got != want || !errors.Is(err, n.err) {
			t.Errorf("message = %q, want %q with its cause", got, want)
		}
	})
	t.Run("no message", func(t *testing.T) {
		t.Parallel()
		_, err := newFixture(t, param.Of("notify>", nil)).Run()
		if got, want := message(err), "Parameter '_command' is required but not set (config)"; got != want {
			t.Errorf("message = %q, want %q", got, want)
		}
	})
}
