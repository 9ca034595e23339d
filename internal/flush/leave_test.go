package flush_test

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/cluster"
	"github.com/trowel-project/trowel/internal/flush"
	"github.com/trowel-project/trowel/internal/param"
	"github.com/trowel-project/trowel/internal/trowtest"
)

// notedLog is a log that may be read while it is written.
type notedLog struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (l *notedLog) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(p)
}

func (l *notedLog) lines(part string) (n int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return strings.Count(l.text.String(), part)
}

// A server of a later version writes what this one does not know into one of two attempts, whose tasks run. The other one
// goes on; that one is left alone, until all of it is known again. Then it goes on with what was reported meanwhile.
func TestLeaveAlone(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		name, why string
		// change writes what is not known, or takes it back.
		change func(a *trowel.Attempt, b *trowel.Task, later bool)
	}{
		{"flag of the attempt", "attempt 1 has flag 256,", func(a *trowel.Attempt, _ *trowel.Task, later bool) { a.Flags = flagIf(later, trowel.AttemptFlags(256)) }},
		{"flag of a task", "of attempt 1 has flag 512,", func(_ *trowel.Attempt, b *trowel.Task, later bool) {
			b.Flags = trowel.TaskInitial | flagIf(later, trowel.TaskFlags(512))
		}},
		{"state of a task", "of attempt 1 is in state 12,", func(_ *trowel.Attempt, b *trowel.Task, later bool) {
			b.State = flagIf(later, trowel.TaskAwaitingInput)
		}},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				var log notedLog
				var left atomic.Int32
				release := make(chan struct{})
				f := beginWith(t, func(l *trowel.Lease) trowel.Report {
					<-release
					return trowtest.Success(l)
				}, func(opts *flush.Options) {
					opts.RetryForever = true
					opts.Log = slog.New(slog.NewTextHandler(&log, nil))
					opts.LeftAlone = func() { left.Add(1) }
				})
				body := param.Of("+a", param.Of("echo>", 1), "+b", param.Of("echo>", 1))
				first := f.Begin(0, body)
				second := f.Begin(time.Hour, body)
				synctest.Wait()
				elsewhere := func(later bool) {
					t.Helper()
					err := f.Store.Update(t.Context(), func(tx trowel.Tx) error { return byAnother(t.Context(), tx, first.Attempt.ID, later, row.change) })
					if err != nil {
						t.Fatal(err)
					}
					f.OnNotify(cluster.Attempts{Changed: []trowel.AttemptID{first.Attempt.ID}})
				}
				elsewhere(true)
				close(release)
				if got := f.Status(second); got != "success" {
					t.Errorf("the other attempt ended as %s, want success", got)
				}
				<-time.After(10 * time.Minute)
				if err := f.Kill(t.Context(), first.Attempt.ID, "somebody"); !errors.Is(err, trowel.ErrUnknown) || !strings.Contains(err.Error(), row.why) {
					t.Errorf("Kill: %v, want an ErrUnknown with %q", err, row.why)
				}
				if told, noted := log.lines("attempt left alone"), log.lines(row.why); told != 1 || noted != 1 || left.Load() != 1 {
					t.Errorf("the log tells it %d times, %d times with %q, and %d are counted; want once\n%s", told, noted, row.why, left.Load(), &log.text)
				}
				if got := stateIn(t, f, first.Attempt.ID, "+w+a"); got != trowel.TaskRunning {
					t.Errorf("+a is %s, want running as it was", got)
				}
				elsewhere(false)
				select {
				case ended := <-first.Ended:
					if got := ended.Flags.Status(); got != "success" {
						t.Errorf("the attempt ended as %s, want success", got)
					}
				case <-time.After(5 * time.Minute):
					t.Error("the attempt does not go on, though all of it is known again")
				}
			})
		})
	}
}

func flagIf[T ~uint8 | ~uint16](later bool, value T) T {
	if later {
		return value
	}
	return 0
}

// byAnother changes an attempt and its task +b as another server does.
func byAnother(ctx context.Context, tx trowel.Tx, id trowel.AttemptID, later bool, change func(*trowel.Attempt, *trowel.Task, bool)) error {
	locked, err := tx.LockAttempts(ctx, []trowel.AttemptID{id})
	if err != nil {
		return err
	}
	rows, err := tx.ListTasks(ctx, id, -1)
	if err != nil {
		return err
	}
	a := locked[0]
	a.Version++
	for _, b := range rows {
		if b.FullName != "+w+b" {
			continue
		}
		from := b.State
		b.Version = a.Version
		change(a, b, later)
		if err := tx.UpdateTasks(ctx, []trowel.TaskUpdate{{Task: b, From: from}}); err != nil {
			return err
		}
	}
	return tx.UpdateAttempts(ctx, a)
}

func stateIn(t *testing.T, f *trowtest.Fixture, id trowel.AttemptID, name string) (state trowel.TaskState) {
	t.Helper()
	for _, row := range f.Tasks(id) {
		if row.FullName == name {
			state = row.State
		}
	}
	return state
}
