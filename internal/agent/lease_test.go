package agent_test

import (
	"context"
	"errors"
	"testing"

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/agent"
	"github.com/trowel-project/trowel/internal/command"
	"github.com/trowel-project/trowel/internal/operator"
	"github.com/trowel-project/trowel/internal/param"
)

// An agent that lost its lease kills what it runs and gives it back; what was claimed in its former
// name is not begun any more, and what is claimed in the new one is.
func TestLostLease(t *testing.T) {
	t.Parallel()
	causes := make(chan error, 2)
	a, reports := begin(t, operators(func(ctx context.Context, r *operator.Request) (operator.Outcome, error) {
		if r.Lease.Try == 2 {
			return operator.Outcome{}, nil
		}
		<-ctx.Done()
		causes <- context.Cause(ctx)
		return operator.Outcome{}, context.Cause(ctx)
	}), nil)
	a.Assign([]*trowel.Lease{lease(1, param.Of("do>", 1))})
	a.Rebind("test") // nothing new
	a.Rebind("another")
	if cause := <-causes; !errors.Is(cause, agent.ErrLost) || !errors.Is(cause, command.ErrKill) {
		t.Errorf("cause = %v, want a lost lease that kills at once", cause)
	}
	if got := <-reports; got.TaskID != 1 || got.Outcome != trowel.OutcomeReleased {
		t.Errorf("report of task %d with outcome %d, want task 1 released", got.TaskID, got.Outcome)
	}
	late, next := lease(2, param.Of("do>", 1)), lease(1, param.Of("do>", 1))
	next.Try, next.AgentID = 2, "another"
	a.Assign([]*trowel.Lease{late})
	if got := <-reports; got.TaskID != 2 || got.Outcome != trowel.OutcomeReleased {
		t.Errorf("report of task %d with outcome %d, want task 2 released", got.TaskID, got.Outcome)
	}
	a.Assign([]*trowel.Lease{next})
	if got := <-reports; got.TaskID != 1 || got.Try != 2 || got.Outcome != trowel.OutcomeSuccess {
		t.Errorf("report of try %d with outcome %d, want a success of try 2", got.Try, got.Outcome)
	}
	if got := a.ID(); got != "another" {
		t.Errorf("ID() = %s, want another", got)
	}
}

// X61: a draining agent lets running tasks go on, and takes no more.
func TestDrain(t *testing.T) {
	t.Parallel()
	running, release := make(chan struct{}), make(chan struct{})
	a, reports := begin(t, operators(func(context.Context, *operator.Request) (operator.Outcome, error) {
		running <- struct{}{}
		<-release
		return operator.Outcome{}, nil
	}), nil)
	a.Assign([]*trowel.Lease{lease(1, param.Of("do>", 1)), lease(2, param.Of("do>", 1))})
	<-running
	<-running
	a.Drain()
	if free, n := a.Free(), a.Running(); free != 0 || n != 2 {
		t.Errorf("Free() = %d, Running() = %d of an agent that rests, want 0 and 2", free, n)
	}
	a.Assign([]*trowel.Lease{lease(3, param.Of("do>", 1))})
	if got := <-reports; got.TaskID != 3 || got.Outcome != trowel.OutcomeReleased {
		t.Errorf("report of task %d with outcome %d, want task 3 released", got.TaskID, got.Outcome)
	}
	close(release)
	a.Wait()
	if n := a.Running(); n != 0 {
		t.Errorf("Running() = %d in the end, want 0", n)
	}
	for range 2 {
		if got := <-reports; got.Outcome != trowel.OutcomeSuccess {
			t.Errorf("report of task %d with outcome %d, want a success", got.TaskID, got.Outcome)
		}
	}
}

// The last pieces of a log come with the report, after the log was closed.
func TestReportHasRestOfLog(t *testing.T) {
	t.Parallel()
	closed := false
	a, reports := begin(t, operators(func(context.Context, *operator.Request) (operator.Outcome, error) {
		return operator.Outcome{}, nil
	}), func(o *agent.Options) {
		open := o.OpenLog
		o.OpenLog = func(l *trowel.Lease) agent.Log {
			log := open(l)
			log.Output = closing{func() { closed = true }}
			log.Remainder = func() []trowel.LogChunk {
				if !closed {
					t.Error("the rest of the log is asked for before it is closed")
				}
				return []trowel.LogChunk{{File: "f", Seq: 3}}
			}
			return log
		}
	})
	a.Assign([]*trowel.Lease{lease(1, param.Of("do>", 1))})
	if got := <-reports; len(got.Logs) != 1 || got.Logs[0].Seq != 3 {
		t.Errorf("logs of the report = %v, want the rest", got.Logs)
	}
}

// closing is an output that tells when it is closed.
type closing struct{ told func() }

func (closing) Write(data []byte) (int, error) { return len(data), nil }

func (c closing) Close() error {
	c.told()
	return nil
}
