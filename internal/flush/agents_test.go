package flush_test

import (
	"errors"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/param"
	"github.com/trowel-project/trowel/internal/trowtest"
)

// A remote agent gets tasks only as long as its row names this server, and no more than its slots.
func TestRemoteAgents(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		f := begun(t, &trowtest.Agent{Name: "own"})
		far := &trowtest.Agent{Name: "far", Slots: 3, Far: true, Parallel: true, Takes: time.Millisecond}
		put := func(server string) {
			row := &trowel.Agent{ID: "far", Name: "far", Remote: true, ServerID: server, StartedAt: time.Now(), SeenAt: time.Now(), LeaseEnds: time.Now().Add(24 * time.Hour)}
			trowtest.Update(t, f.Store, func(tx trowel.Tx) error { return tx.PutAgent(t.Context(), row) })
		}
		put("another")
		f.Attach(far)
		started := f.Begin(0, group(9, "_parallel", true))
		<-time.After(time.Minute)
		if far.Peak() != 0 {
			t.Errorf("an agent of another server was given %d tasks", far.Peak())
		}
		put("")
		f.Attach(far)
		if got := f.Status(started); got != "success" || far.Peak() != 3 {
			t.Errorf("attempt ended as %s with %d tasks at the same time, want success and 3", got, far.Peak())
		}
		f.Detach("far")
	})
}

// Who reports is told what became of it: stored, or not of the present try.
func TestReportAnswers(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var mu sync.Mutex
		var answers []error
		agent := &trowtest.Agent{Name: "own", Slots: 1, Parallel: true, Takes: time.Millisecond, Work: func(l *trowel.Lease) trowel.Report {
			r := trowtest.Success(l)
			r.Answer = func(err error) {
				mu.Lock()
				defer mu.Unlock()
				answers = append(answers, err)
			}
			return r
		}}
		f := begun(t, agent)
		started := f.Begin(0, param.Of("+a", param.Of("echo>", 1)))
		f.End(started)
		answer := make(chan error, 3)
		for _, r := range []trowel.Report{
			{AttemptID: started.Attempt.ID, TaskID: 2, Try: 1}, {AttemptID: 999, TaskID: 1, Try: 1},
		} {
			r.Outcome, r.Answer = trowel.OutcomeSuccess, func(err error) { answer <- err }
			f.Report(r)
			if err := <-answer; err == nil {
				t.Errorf("a late report of %d is accepted", r.AttemptID)
			}
		}
		second := f.Begin(time.Second, param.Of("+a", param.Of("sleep>", 1)))
		f.Report(trowel.Report{
			AttemptID: second.Attempt.ID, TaskID: 1, Try: 7, Outcome: trowel.OutcomeSuccess, Answer: func(err error) { answer <- err },
		})
		if err := <-answer; !errors.Is(err, trowel.ErrConflict) {
			t.Errorf("a report of another try: error = %v, want ErrConflict", err)
		}
		f.End(second)
		synctest.Wait()
		mu.Lock()
		defer mu.Unlock()
		if len(answers) != 2 || answers[0] != nil || answers[1] != nil {
			t.Errorf("answers = %v, want two without an error", answers)
		}
	})
}

// Leases that got lost on their way are given again, but only those of tries that the agent still has.
func TestResend(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		f := begun(t, &trowtest.Agent{Name: "own"})
		far := &deaf{Agent: &trowtest.Agent{Name: "far", Slots: 2}}
		f.Attach(far)
		started := f.Begin(0, group(2, "_parallel", true))
		synctest.Wait()
		lost := append([]*trowel.Lease(nil), far.lost...)
		if len(lost) == 0 {
			t.Fatal("nothing was given")
		}
		tries := []trowel.TryID{{Task: 4711, Number: 1}}
		for _, lease := range lost {
			tries = append(tries, lease.ID())
		}
		far.listen()
		if err := f.Resend(t.Context(), "far", tries); err != nil {
			t.Fatal(err)
		}
		if got := f.Status(started); got != "success" {
			t.Errorf("attempt ended as %s, want success", got)
		}
	})
}

// deaf is an agent that does not hear what it is given until it listens.
type deaf struct {
	*trowtest.Agent

	mu    sync.Mutex
	hears bool
	lost  []*trowel.Lease
}

func (d *deaf) listen() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.hears = true
}

func (d *deaf) Assign(leases []*trowel.Lease) {
	d.mu.Lock()
	hears := d.hears
	if !hears {
		d.lost = append(d.lost, leases...)
	}
	d.mu.Unlock()
	if hears {
		d.Agent.Assign(leases)
	}
}

// A task whose agents are lost again and again is set aside.
func TestPoison(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		f := begun(t, &trowtest.Agent{Name: "own"})
		started := f.Begin(0, param.Of("+a", param.Of("echo>", 1)))
		for i := range 3 {
			far := &deaf{Agent: &trowtest.Agent{Name: string(rune('a' + i)), Slots: 1}}
			f.Attach(far)
			<-time.After(time.Minute) // the agent is not stored, so its task is released at the next look around
			f.Detach(far.Name)
			f.Resync()
			<-time.After(time.Minute)
		}
		f.Attach(&trowtest.Agent{Name: "well", Slots: 9}) // for the alert
		if got := f.Status(started); got != "error" {
			t.Errorf("attempt ended as %s, want error", got)
		}
		for _, row := range f.Archived(started.Attempt.ID) {
			if message, _ := row.Error.Get("message"); row.FullName == "+w+a" && (row.Try != 3 || message == nil) {
				t.Errorf("task = try %d with error %v, want the third try and a reason", row.Try, message)
			}
		}
	})
}
