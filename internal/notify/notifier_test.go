package notify_test

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/trowel-project/trowel/internal/notify"
)

// sender fails a number of times, and remembers when it was called.
type sender struct {
	mu       sync.Mutex
	failures int
	hang     bool // until the context ends
	asked    []time.Time
	sent     []string
}

func (s *sender) Send(ctx context.Context, n notify.Notification) error {
	if s.hang {
		<-ctx.Done()
		return ctx.Err()
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.asked = append(s.asked, time.Now())
	if s.failures > 0 {
		s.failures--
		return errors.New("no mail today")
	}
	s.sent = append(s.sent, n.Message)
	return nil
}

func options(log *bytes.Buffer) notify.Options {
	return notify.Options{Retries: 5, MinWait: time.Second, MaxWait: 20 * time.Second, Log: slog.New(slog.NewTextHandler(log, nil))}
}

// Operators 2.11: every failure is retried, and waits grow threefold up to the longest.
func TestNotifyRetries(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name     string
		failures int
		waits    []time.Duration
		problem  string
	}{
		{"at once", 0, nil, ""},
		{"third time", 2, []time.Duration{1, 3}, ""},
		{"last time", 5, []time.Duration{1, 3, 9, 20, 20}, ""},
		{"never", 6, []time.Duration{1, 3, 9, 20, 20}, "send notification, try 6: no mail today"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				s, log := &sender{failures: c.failures}, &bytes.Buffer{}
				err := notify.New(s, options(log)).Notify(t.Context(), notify.Notification{Message: "m"})
				if (err == nil) != (c.problem == "") || err != nil && err.Error() != c.problem {
					t.Errorf("Notify: error = %v, want %q", err, c.problem)
				}
				var waits []time.Duration
				for i := 1; i < len(s.asked); i++ {
					waits = append(waits, s.asked[i].Sub(s.asked[i-1])/time.Second)
				}
				if diff := cmp.Diff(c.waits, waits); diff != "" {
					t.Errorf("waits in seconds (-want +got):\n%s", diff)
				}
				if got := strings.Count(log.String(), "notification failed, it is tried again"); got != len(c.waits) {
					t.Errorf("log has %d retries, want %d:\n%s", got, len(c.waits), log)
				}
			})
		})
	}
}

func TestNotifyEndsWithContext(t *testing.T) {
	t.Parallel()
	stop := errors.New("stop")
	for _, s := range []*sender{{failures: 9}, {hang: true}} {
		synctest.Test(t, func(t *testing.T) {
			ctx, cancel := context.WithCancelCause(t.Context())
			time.AfterFunc(1500*time.Millisecond, func() { cancel(stop) })
			err := notify.New(s, options(&bytes.Buffer{})).Notify(ctx, notify.Notification{})
			if !errors.Is(err, stop) {
				t.Errorf("Notify: error = %v, want the cause of the end", err)
			}
		})
	}
}

// Run sends what is posted, also after failures. When it returns, nothing is being sent.
func TestPost(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s, log := &sender{failures: 2}, &bytes.Buffer{}
		n := notify.New(s, options(log))
		ctx, cancel := context.WithCancel(t.Context())
		done := make(chan error)
		go func() { done <- n.Run(ctx) }()
		want := []string{"a", "b", "c", "d", "e", "f"}
		for _, message := range want {
			n.Post(notify.Notification{Message: message})
		}
		time.AfterFunc(time.Minute, cancel)
		if err := <-done; err != nil {
			t.Errorf("Run: %v", err)
		}
		slices.Sort(s.sent)
		if diff := cmp.Diff(want, s.sent); diff != "" {
			t.Errorf("sent (-want +got):\n%s", diff)
		}
	})
}

func TestPostDropsWithALine(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s, log := &sender{hang: true}, &bytes.Buffer{}
		n := notify.New(s, options(log))
		for range 1002 {
			n.Post(notify.Notification{Message: "m"})
		}
		if got := strings.Count(log.String(), "notification dropped: too many are waiting"); got != 2 {
			t.Errorf("log has %d dropped ones, want 2", got)
		}
		ctx, cancel := context.WithCancel(t.Context())
		time.AfterFunc(time.Second, cancel)
		if err := n.Run(ctx); err != nil {
			t.Errorf("Run: %v", err)
		}
		if got := strings.Count(log.String(), "notification dropped: the server stops"); got != 996 {
			t.Errorf("log has %d dropped at the end, want 996", got)
		}
		if got := strings.Count(log.String(), "notification lost"); got != 4 {
			t.Errorf("log has %d lost, want 4", got)
		}
	})
}

func TestLog(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	err := notify.NewLog(slog.New(slog.NewTextHandler(&out, nil))).Send(t.Context(), notify.Notification{Message: "SLA violation", ProjectName: "p", AttemptID: 4})
	if want := `msg=notification message="SLA violation" project=p workflow="" attempt_id=4 task=""`; err != nil || !strings.Contains(out.String(), want) {
		t.Errorf("log = %q, %v, want %s", out.String(), err, want)
	}
}
