package flush_test

import (
	"errors"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/param"
)

// A remote agent gets tasks only as long as its row names this server, and no more than its slots.
func TestRemoteAgents(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		own := &crowd{id: "own", slots: 0}
		l := begun(t, own)
		far := &crowd{id: "far", slots: 3, remote: true, flusher: own.flusher}
		t.Cleanup(far.running.Wait)
		put := func(server string) {
			row := &trowel.Agent{ID: "far", Name: "far", Remote: true, ServerID: server, StartedAt: time.Now(), SeenAt: time.Now(), LeaseEnds: time.Now().Add(24 * time.Hour)}
			if err := l.store.Update(t.Context(), func(tx trowel.Tx) error { return tx.PutAgent(t.Context(), row) }); err != nil {
				t.Fatal(err)
			}
		}
		put("another")
		l.Attach(far)
		started := start(t, l.Flusher, l.setting, 0, group(9, "_parallel", true))
		<-time.After(time.Minute)
		if far.peak() != 0 {
			t.Errorf("an agent of another server was given %d tasks", far.peak())
		}
		put("")
		l.Attach(far)
		if got := end(t, started).Flags.Status(); got != "success" || far.peak() != 3 {
			t.Errorf("attempt ended as %s with %d tasks at the same time, want success and 3", got, far.peak())
		}
		l.Detach("far")
	})
}

// Who reports is told what became of it: stored, or not of the present try.
func TestReportAnswers(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var mu sync.Mutex
		var answers []error
		agent := &crowd{id: "own", slots: 1, run: func(l *trowel.Lease) trowel.Report {
			r := success(l)
			r.Answer = func(err error) {
				mu.Lock()
				defer mu.Unlock()
				answers = append(answers, err)
			}
			return r
		}}
		l := begun(t, agent)
		started := start(t, l.Flusher, l.setting, 0, param.Of("+a", param.Of("echo>", 1)))
		end(t, started)
		answer := make(chan error, 3)
		for _, r := range []trowel.Report{
			{AttemptID: started.Attempt.ID, TaskID: 2, Try: 1}, {AttemptID: 999, TaskID: 1, Try: 1},
		} {
			r.Outcome, r.Answer = trowel.OutcomeSuccess, func(err error) { answer <- err }
			l.Report(r)
			if err := <-answer; err == nil {
				t.Errorf("a late report of %d is accepted", r.AttemptID)
			}
		}
		second := start(t, l.Flusher, l.setting, time.Second, param.Of("+a", param.Of("sleep>", 1)))
		l.Report(trowel.Report{
			AttemptID: second.Attempt.ID, TaskID: 1, Try: 7, Outcome: trowel.OutcomeSuccess, Answer: func(err error) { answer <- err },
		})
		if err := <-answer; !errors.Is(err, trowel.ErrConflict) {
			t.Errorf("a report of another try: error = %v, want ErrConflict", err)
		}
		end(t, second)
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
		own := &crowd{id: "own", slots: 0}
		l := begun(t, own)
		far := &deaf{crowd: crowd{id: "far", slots: 2, flusher: own.flusher}}
		l.Attach(far)
		started := start(t, l.Flusher, l.setting, 0, group(2, "_parallel", true))
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
		if err := l.Resend(t.Context(), "far", tries); err != nil {
			t.Fatal(err)
		}
		if got := end(t, started).Flags.Status(); got != "success" {
			t.Errorf("attempt ended as %s, want success", got)
		}
	})
}

// deaf is an agent that does not hear what it is given until it listens.
type deaf struct {
	crowd

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
		d.crowd.Assign(leases)
	}
}

// A task whose agents are lost again and again is set aside.
func TestPoison(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		own := &crowd{id: "own", slots: 0}
		l := begun(t, own)
		started := start(t, l.Flusher, l.setting, 0, param.Of("+a", param.Of("echo>", 1)))
		for i := range 3 {
			far := &deaf{crowd: crowd{id: string(rune('a' + i)), slots: 1}}
			l.Attach(far)
			<-time.After(time.Minute) // the agent is not stored, so its task is released at the next look around
			l.Detach(far.id)
			l.Resync()
			<-time.After(time.Minute)
		}
		well := &crowd{id: "well", slots: 9, flusher: own.flusher} // for the alert
		t.Cleanup(well.running.Wait)
		l.Attach(well)
		if got := end(t, started).Flags.Status(); got != "error" {
			t.Errorf("attempt ended as %s, want error", got)
		}
		for _, row := range archived(t, l.store, started.Attempt.ID) {
			if message, _ := row.Error.Get("message"); row.FullName == "+w+a" && (row.Try != 3 || message == nil) {
				t.Errorf("task = try %d with error %v, want the third try and a reason", row.Try, message)
			}
		}
	})
}
