package agent_test

import (
	"bytes"
	"context"
	"io"
	"log/slog"
	"strings"
	"testing"

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/agent"
	"github.com/trowel-project/trowel/internal/command"
	"github.com/trowel-project/trowel/internal/operator"
	"github.com/trowel-project/trowel/internal/param"
)

// Control K823: commands may use what the task asks for, and no more than the bounds of the agent.
func TestLimits(t *testing.T) {
	t.Parallel()
	bounds := trowel.CommandLimits{Memory: 8 << 30, PIDs: 100}
	for _, row := range []struct {
		name  string
		asked *trowel.CommandLimits
		want  command.Limits
		err   string
	}{
		{"nothing is asked for", nil, command.Limits{Memory: 8 << 30, PIDs: 100}, ""},
		{"within the bounds", &trowel.CommandLimits{Memory: 1, CPU: 0.5, PIDs: 100, Disk: 5}, command.Limits{Memory: 1, CPU: 0.5, PIDs: 100, Disk: 5}, ""},
		{"some", &trowel.CommandLimits{PIDs: 3}, command.Limits{Memory: 8 << 30, PIDs: 3}, ""},
		{
			"above a bound", &trowel.CommandLimits{Memory: 9 << 30, PIDs: 101},
			command.Limits{},
			"Parameter '_limits.memory' is 9GiB, but this agent allows at most 8GiB (agent.limits.memory) (config)",
		},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			var got command.Limits
			table := operator.Table{"op": {Run: func(_ context.Context, r *operator.Request) (operator.Outcome, error) {
				got = r.Limits
				return operator.Outcome{}, nil
			}}}
			a, reports := begin(t, table, func(o *agent.Options) { o.Limits = trowel.KeptLimits{Names: trowel.LimitNames(), Max: bounds} })
			a.Assign([]*trowel.Lease{{TaskID: 1, Try: 1, AgentID: "test", FullName: "+a", Limits: row.asked, Scope: param.New(), Local: param.Of("op>", 1)}})
			report := <-reports
			message := ""
			if report.Error != nil {
				message, _ = param.NewReader(report.Error).String("message")
			}
			if message != row.err || got != row.want {
				t.Errorf("limits = %+v, error = %q, want %+v, %q", got, message, row.want, row.err)
			}
		})
	}
}

// The only agent of a local run says once that it does not keep a limit, and goes on.
func TestLimitsThatAreNotKept(t *testing.T) {
	t.Parallel()
	var log bytes.Buffer
	table := operator.Table{"op": {Run: func(context.Context, *operator.Request) (operator.Outcome, error) { return operator.Outcome{}, nil }}}
	a, reports := begin(t, table, func(o *agent.Options) {
		o.Anything, o.Limits.Names = true, []string{trowel.LimitMemory}
		o.OpenLog = func(*trowel.Lease) agent.Log {
			return agent.Log{Output: discarding{io.Discard}, Logger: slog.New(slog.NewTextHandler(&log, nil))}
		}
	})
	for id := range trowel.TaskID(3) {
		lease := &trowel.Lease{TaskID: id + 1, Try: 1, AgentID: "test", FullName: "+a", Scope: param.New(), Local: param.Of("op>", 1)}
		lease.Limits = &trowel.CommandLimits{Memory: 5, CPU: 2}
		if !a.Serves(&trowel.Requirements{Limits: lease.Limits}) {
			t.Fatal("the agent does not serve a task with a limit that it does not keep")
		}
		a.Assign([]*trowel.Lease{lease})
		if r := <-reports; r.Outcome != trowel.OutcomeSuccess {
			t.Errorf("outcome = %v, want success", r.Outcome)
		}
	}
	if got := strings.Count(log.String(), "limits of commands are not kept here"); got != 1 || !strings.Contains(log.String(), "limits=cpu") {
		t.Errorf("log = %s, want one line about cpu", log.String())
	}
}
