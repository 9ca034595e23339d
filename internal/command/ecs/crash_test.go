//go:build unix

package ecs

import (
	"context"
	"errors"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/trowel-project/trowel/internal/command"
	"github.com/trowel-project/trowel/internal/command/commandtest"
	"github.com/trowel-project/trowel/internal/command/ecs/ecstest"
	"github.com/trowel-project/trowel/internal/param"
)

var errCrash = errors.New("the process was killed")

// process is an agent that may be killed at one of its steps: a request that it sends, one whose answer it would get, or a
// state that it would store.
type process struct {
	end  context.CancelCauseFunc
	mu   sync.Mutex
	left int // steps until the kill; negative for never
	dead bool
}

// step is one step. The error is that the process is dead.
func (p *process) step() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.dead = p.dead || p.left == 0; p.dead {
		p.end(errCrash)
		return errCrash
	}
	p.left--
	return nil
}

// A command whose agent is killed at any step runs once and has one result.
func TestCrash(t *testing.T) {
	t.Parallel()
	const rounds = 50
	var crashed atomic.Int32
	t.Cleanup(func() {
		if n := crashed.Load(); n < rounds/2 {
			t.Errorf("only %d of %d rounds had a step to be killed at", n, rounds)
		}
	})
	for round := range rounds {
		t.Run(strconv.Itoa(round), func(t *testing.T) {
			t.Parallel()
			crashed.Add(crashAt(t, round))
		})
	}
}

// crashAt runs a command to its end in agents of which the first is killed at a step. It returns how often that happened.
func crashAt(t *testing.T, step int) (crashed int32) {
	t.Helper()
	f := ecstest.Start(t)
	subject := &commandtest.Subject{Params: taskParams()}
	r := commandtest.NewRequest(t, subject, `echo begun; echo result > "${0%/*}/output"; exit 3`)
	var stored *param.Map
	var status command.Status
	for left := step % 25; !status.Finished; left = -1 {
		ctx, end := context.WithCancelCause(t.Context())
		p := &process{end: end, left: left}
		before, after := p.step, p.step
		f.Answer = func(*ecstest.Request) *ecstest.Answer {
			if before() != nil {
				return &ecstest.Answer{Status: http.StatusServiceUnavailable, Body: "killed"}
			}
			return nil
		}
		f.Lost = func(*ecstest.Request) error { return after() }
		hook := func(w http.ResponseWriter, _ *http.Request) bool {
			if p.step() != nil {
				w.WriteHeader(http.StatusServiceUnavailable)
				return true
			}
			return false
		}
		f.Bucket.Answer.Store(&hook)
		e := executorOf(f, nil)
		for !status.Finished && ctx.Err() == nil {
			var next command.Status
			var err error
			if stored == nil {
				next, err = e.Run(ctx, r)
			} else {
				next, err = e.Poll(ctx, r, stored)
			}
			if p.step() != nil {
				break // what it has is not stored
			}
			if err != nil {
				t.Fatalf("step %d: %v", step, err)
			}
			status, stored = next, next.State
		}
		if p.dead {
			crashed = 1
		}
		end(nil)
	}
	out, err := status.ReadFile(r.Project, "output")
	if err != nil || string(out) != "result\n" || status.ExitCode != 3 {
		t.Errorf("step %d: exit code %d, output %q, %v", step, status.ExitCode, out, err)
	}
	if len(f.Tasks()) != 1 {
		t.Errorf("step %d: ECS has %d tasks, want 1", step, len(f.Tasks()))
	}
	if text, ok := r.Output.(*commandtest.Output); !ok || !strings.Contains(text.String(), "begun") {
		t.Errorf("step %d: output = %q", step, r.Output)
	}
	return crashed
}
