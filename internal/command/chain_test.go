package command_test

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"strings"
	"testing"
	"time"

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/command"
	"github.com/trowel-project/trowel/internal/param"
)

// station is an executor of a Chain that answers as it is told and notes what it was asked.
type station struct {
	err   error
	calls []string
}

func (s *station) Run(context.Context, *command.Request) (command.Status, error) {
	s.calls = append(s.calls, "run")
	if s.err != nil {
		return command.Status{}, s.err
	}
	return command.Status{State: param.Of("id", "c1"), PollIn: time.Second}, nil
}

func (s *station) Poll(_ context.Context, _ *command.Request, state *param.Map) (command.Status, error) {
	s.calls = append(s.calls, "poll "+param.JSON(state))
	return command.Status{State: state}, nil
}

func (s *station) Stop(_ context.Context, _ *command.Request, state *param.Map) error {
	s.calls = append(s.calls, "stop "+param.JSON(state))
	return nil
}

// Operators 4.1: the next executor runs a command that one is not asked to run, or cannot run as configured; only the
// latter is told. All other errors are those of the task.
func TestChainRun(t *testing.T) {
	t.Parallel()
	broken, wrong := errors.New("broken"), param.Errorf("no cluster")
	for name, c := range map[string]struct {
		ecs, docker  error
		calls        []int // of each executor
		err          error
		log          string
		startingName string
	}{
		"the first one":              {calls: []int{1, 0, 0}, startingName: "ecs"},
		"nobody asked for it":        {ecs: command.ErrNotAsked, calls: []int{1, 1, 0}, startingName: "docker"},
		"nobody asked for both":      {ecs: command.ErrNotAsked, docker: command.ErrNotAsked, calls: []int{1, 1, 1}, startingName: "simple"},
		"wrong settings":             {ecs: wrong, calls: []int{1, 1, 0}, startingName: "docker", log: `executor=ecs next=docker reason="no cluster"`},
		"wrong options of a task":    {ecs: command.ErrNotAsked, docker: wrong, calls: []int{1, 1, 0}, err: wrong},
		"an error that is no option": {ecs: broken, calls: []int{1, 0, 0}, err: broken},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			stations := []*station{{err: c.ecs}, {err: c.docker}, {}}
			chain := command.NewChain(
				command.Link{Name: "ecs", Executor: stations[0], Optional: true},
				command.Link{Name: "docker", Executor: stations[1]},
				command.Link{Name: "simple", Executor: stations[2]},
			)
			var log bytes.Buffer
			status, err := chain.Run(t.Context(), &command.Request{Log: slog.New(slog.NewTextHandler(&log, nil))})
			if !errors.Is(err, c.err) {
				t.Fatalf("Run = %v, want %v", err, c.err)
			}
			for i, s := range stations {
				if len(s.calls) != c.calls[i] {
					t.Errorf("executor %d was called %d times, want %d", i, len(s.calls), c.calls[i])
				}
			}
			if got, _ := status.State.Get("executor"); c.err == nil && got != c.startingName {
				t.Errorf("state = %s, want the executor %s", param.JSON(status.State), c.startingName)
			}
			if (c.log == "") != (log.Len() == 0) || !strings.Contains(log.String(), c.log) {
				t.Errorf("log = %q, want %q", log.String(), c.log)
			}
		})
	}
}

// A command is polled and stopped by the executor that has started it, which sees the state that it gave.
func TestChainGoesOn(t *testing.T) {
	t.Parallel()
	first, second := &station{}, &station{}
	chain := command.NewChain(command.Link{Name: "ecs", Executor: first}, command.Link{Name: "other", Executor: second})
	for _, state := range []*param.Map{param.Of("id", "c1", "executor", "other"), param.Of("id", "c2")} {
		status, err := chain.Poll(t.Context(), &command.Request{}, state)
		if err != nil {
			t.Fatal(err)
		}
		if err := chain.Stop(t.Context(), &command.Request{}, status.State); err != nil {
			t.Fatal(err)
		}
	}
	if got, want := strings.Join(first.calls, ", "), `poll {"id":"c2"}, stop {"id":"c2"}`; got != want {
		t.Errorf("calls of the first = %s, want %s", got, want)
	}
	if got, want := strings.Join(second.calls, ", "), `poll {"id":"c1"}, stop {"id":"c1"}`; got != want {
		t.Errorf("calls of the second = %s, want %s", got, want)
	}
	_, err := chain.Poll(t.Context(), &command.Request{}, param.Of("executor", "kubernetes"))
	if err == nil || !strings.Contains(err.Error(), `started by the command executor "kubernetes"`) {
		t.Errorf("Poll of a command of an executor that is not there = %v", err)
	}
}

// The key of a try stays the same until the task is retried, and no other installation has it.
func TestTryKey(t *testing.T) {
	t.Parallel()
	lease := func(session string, task trowel.TaskID, try, retry int) *trowel.Lease {
		return &trowel.Lease{
			TaskID: task, AttemptID: 3, Try: try, RetryCount: retry,
			Context: &trowel.AttemptContext{Session: trowel.Session{UUID: session}},
		}
	}
	try := command.TryOf(lease("s1", 7, 1, 0))
	if try.ID() != "7-1" || len(try.Key()) != 32 {
		t.Errorf("id and key = %s, %s", try.ID(), try.Key())
	}
	for name, c := range map[string]struct {
		lease *trowel.Lease
		same  bool
	}{
		"the next try after the agent was lost": {lease("s1", 7, 2, 0), true},
		"a retry":                               {lease("s1", 7, 2, 1), false},
		"another task":                          {lease("s1", 8, 1, 0), false},
		"another installation":                  {lease("s2", 7, 1, 0), false},
	} {
		other := command.TryOf(c.lease)
		if (other.Key() == try.Key()) != c.same {
			t.Errorf("%s: same key = %v, want %v", name, !c.same, c.same)
		}
	}
}

func TestLimitError(t *testing.T) {
	t.Parallel()
	for want, err := range map[string]*command.LimitError{
		"The command used more memory than its limit of 2GiB; its peak was 2.5GiB":              {Kind: command.LimitMemory, Limit: 2 << 30, Peak: 5 << 29},
		"The command used more processes than its limit of 500":                                 {Kind: command.LimitPIDs, Limit: 500},
		"The command used more space for files than its limit of 1000 bytes; its peak was 1KiB": {Kind: command.LimitDisk, Limit: 1000, Peak: 1024},
	} {
		if got := err.Error(); got != want {
			t.Errorf("error = %q, want %q", got, want)
		}
	}
}
