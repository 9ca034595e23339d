//go:build unix

package kubernetes

import (
	"context"
	"errors"
	"net/http"
	"strconv"
	"sync"
	"testing"

	"github.com/trowel-project/trowel/internal/command"
	"github.com/trowel-project/trowel/internal/command/commandtest"
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

// isDead is one step, and reports whether the process is dead.
func (p *process) isDead() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.dead = p.dead || p.left == 0; p.dead {
		p.end(errCrash)
	}
	p.left--
	return p.dead
}

// A command whose agent is killed at any step runs in one pod and has one result.
func TestCrash(t *testing.T) {
	t.Parallel()
	for step := range 25 {
		t.Run(strconv.Itoa(step), func(t *testing.T) {
			t.Parallel()
			crashAt(t, step)
		})
	}
}

// crashAt runs a command to its end in agents of which the first is killed at a step.
func crashAt(t *testing.T, step int) {
	t.Helper()
	f := newFake(t)
	var p *process
	dies := func(w http.ResponseWriter, _ *fakeRequest) bool {
		if p.isDead() {
			refuseWith(w, http.StatusServiceUnavailable, "", "killed")
			return true
		}
		return false
	}
	f.answer, f.lost = dies, dies
	r := commandtest.NewRequest(t, &commandtest.Subject{Params: taskParams()}, `echo result > "${0%/*}/output"; exit 3`)
	var stored *param.Map
	var status command.Status
	for left := step; !status.Finished; left = -1 {
		ctx, end := context.WithCancelCause(t.Context())
		p = &process{end: end, left: left}
		e := f.executor(nil)
		for !status.Finished && ctx.Err() == nil {
			var next command.Status
			var err error
			if stored == nil {
				next, err = e.Run(ctx, r)
			} else {
				next, err = e.Poll(ctx, r, stored)
			}
			if p.isDead() {
				break // what it has is not stored
			}
			if err != nil {
				t.Fatalf("step %d: %v", step, err)
			}
			status, stored = next, next.State
		}
		end(nil)
	}
	out, err := status.ReadFile(r.Project, "output")
	if err != nil || string(out) != "result\n" || status.ExitCode != 3 {
		t.Errorf("step %d: exit code %d, output %q, %v", step, status.ExitCode, out, err)
	}
	if f.created != 1 || f.podOf(&r.Try) != nil {
		t.Errorf("step %d: %d pods were created, want 1, and none that is left", step, f.created)
	}
}
