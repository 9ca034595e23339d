package agent_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/agent"
	"github.com/trowel-project/trowel/internal/archive"
	"github.com/trowel-project/trowel/internal/operator"
	"github.com/trowel-project/trowel/internal/param"
)

// disk is the folder of an agent's workspaces, in which nobody can write while it is blocked.
type disk struct {
	*archive.Workspaces

	work string
}

func newDisk(t *testing.T) *disk {
	t.Helper()
	var packed bytes.Buffer
	if err := archive.Pack(t.Context(), &packed, t.TempDir(), archive.PackOptions{}); err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	files, err := archive.NewWorkspaces(archive.WorkspaceOptions{
		Dir: dir,
		Fetch: func(context.Context, trowel.Archive) (io.ReadCloser, error) {
			return io.NopCloser(bytes.NewReader(packed.Bytes())), nil
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := files.Close(); err != nil {
			t.Error(err)
		}
	})
	return &disk{files, filepath.Join(dir, "0", "work")}
}

func (d *disk) block(t *testing.T) {
	t.Helper()
	if err := errors.Join(os.RemoveAll(d.work), os.WriteFile(d.work, nil, 0o600)); err != nil {
		t.Fatal(err)
	}
}

func (d *disk) free(t *testing.T) {
	t.Helper()
	if err := os.Remove(d.work); err != nil {
		t.Fatal(err)
	}
}

// cramped is an agent with a disk of its own, and what it says.
type cramped struct {
	*agent.Agent

	reports chan trowel.Report
	log     bytes.Buffer
	pauses  []string // "full", and "" when it goes on
	wakes   atomic.Int64
}

func newCramped(t *testing.T, d *disk, run func(context.Context, *operator.Request) (operator.Outcome, error)) *cramped {
	t.Helper()
	c := &cramped{}
	c.Agent, c.reports = begin(t, operators(run), func(o *agent.Options) {
		o.Workspaces, o.Log, o.Wake = d.Workspaces, slog.New(slog.NewTextHandler(&c.log, nil)), func() { c.wakes.Add(1) }
		o.Suspended = func(reason string) {
			if reason != "" {
				reason = "full"
			}
			c.pauses = append(c.pauses, reason)
		}
	})
	return c
}

// try gives the agent a try and returns how it ended.
func (c *cramped) try(id int64) trowel.Outcome {
	c.Assign([]*trowel.Lease{lease(id, param.Of("do>", 1))})
	r := <-c.reports
	return r.Outcome
}

// files is an operator that needs the files of its project.
func files(ctx context.Context, r *operator.Request) (operator.Outcome, error) {
	_, err := r.Files(ctx)
	return operator.Outcome{}, err
}

// An agent that cannot write gives tries back, takes nothing while that is so, and says once what is wrong and
// how to mend it. It tries again after growing delays.
func TestNoRoom(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		d := newDisk(t)
		c := newCramped(t, d, files)
		d.block(t)
		if got := c.try(1); got != trowel.OutcomeReleased {
			t.Errorf("the first try ended with outcome %d, want it given back", got)
		}
		if got := c.Free(); got != 0 {
			t.Errorf("Free() = %d without room, want 0", got)
		}
		if got := c.try(2); got != trowel.OutcomeReleased { // it was on its way
			t.Errorf("the second try ended with outcome %d, want it given back", got)
		}
		text := c.log.String()
		if n := strings.Count(text, "level=ERROR"); n != 1 || !strings.Contains(text, `fix="free space in `+filepath.Dir(d.work)) || !strings.Contains(text, "files of tasks cannot be written") {
			t.Errorf("%d errors are logged, want one that says what, where and how to mend it: %s", n, text)
		}
		<-time.After(6 * time.Second) // it has tried to write, in vain
		if got := c.Free(); got != 0 {
			t.Errorf("Free() = %d after a first look, want 0", got)
		}
		d.free(t)
		<-time.After(8 * time.Second)
		if got := c.Free(); got != 0 {
			t.Errorf("Free() = %d before the second look, want 0", got)
		}
		<-time.After(2 * time.Second)
		if got := c.Free(); got == 0 || c.wakes.Load() == 0 {
			t.Errorf("Free() = %d with room, and %d wakes, want some", got, c.wakes.Load())
		}
		if got := c.try(3); got != trowel.OutcomeSuccess {
			t.Errorf("the last try ended with outcome %d, want success", got)
		}
		if diff := cmp.Diff([]string{"full", ""}, c.pauses); diff != "" {
			t.Errorf("pauses (-want +got):\n%s", diff)
		}
	})
}

// Suspensions that follow each other closely have growing delays, up to a minute; after a good minute they are
// short again.
func TestDelaysGrow(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		d := newDisk(t)
		c := newCramped(t, d, files)
		for n, want := range []float64{5, 10, 20, 40, 60, 60, 5} {
			if n == 6 {
				<-time.After(61 * time.Second)
			}
			d.block(t)
			began := time.Now()
			c.try(int64(n))
			d.free(t)
			<-time.After(time.Second / 2) // so that it is never looked at the instant of a change
			for c.Free() == 0 {
				<-time.After(time.Second)
			}
			if got := time.Since(began).Truncate(time.Second).Seconds(); got != want {
				t.Errorf("delay %d took %v s, want %v s", n, got, want)
			}
		}
	})
}

// An agent that is to end does not wait for room.
func TestRestWithoutRoom(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		d := newDisk(t)
		c := newCramped(t, d, files)
		d.block(t)
		c.try(1)
		began := time.Now()
		c.Drain()
		c.Wait()
		if took := time.Since(began); took != 0 {
			t.Errorf("it waited %v for room, want not at all", took)
		}
		d.free(t)
	})
}

// What is no lack of room stays the task's failure, and so is what a task has begun, even if the disk is full.
func TestFailuresOfTasksWithoutRoom(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		d := newDisk(t)
		for _, row := range []struct {
			name string
			run  func(context.Context, *operator.Request) (operator.Outcome, error)
			want trowel.Outcome
		}{
			{"its command fails", func(_ context.Context, r *operator.Request) (operator.Outcome, error) {
				r.OnWait()
				return operator.Outcome{}, &operator.Failure{Message: "Command failed with code 1"}
			}, trowel.OutcomeFailure},
			{"its command has left no file", func(_ context.Context, r *operator.Request) (operator.Outcome, error) {
				r.OnWait()
				_, err := os.ReadFile(filepath.Join(d.work, "out.json"))
				return operator.Outcome{}, err
			}, trowel.OutcomeFailure},
			{"an error that says nothing of files", func(context.Context, *operator.Request) (operator.Outcome, error) {
				return operator.Outcome{}, errors.New("no luck")
			}, trowel.OutcomeFailure},
			{"its script cannot be written", func(context.Context, *operator.Request) (operator.Outcome, error) {
				return operator.Outcome{}, os.WriteFile(filepath.Join(d.work, "runner.sh"), nil, 0o600)
			}, trowel.OutcomeReleased},
			{"a retry is left", func(context.Context, *operator.Request) (operator.Outcome, error) {
				err := os.WriteFile(filepath.Join(d.work, "runner.sh"), nil, 0o600)
				return operator.Outcome{Again: &operator.Again{Cause: err}}, nil
			}, trowel.OutcomeReleased},
		} {
			c := newCramped(t, d, row.run)
			d.block(t)
			if got := c.try(1); got != row.want {
				t.Errorf("%s: outcome %d, want %d", row.name, got, row.want)
			}
			if paused := c.Free() == 0; paused != (row.want == trowel.OutcomeReleased) {
				t.Errorf("%s: paused is %t", row.name, paused)
			}
			d.free(t)
		}
	})
}
