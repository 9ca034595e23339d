package engine_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/engine"
)

// waiting lists the tasks whose options are being evaluated.
func (d *drive) waiting() []trowel.TaskID {
	var ids []trowel.TaskID
	for _, t := range d.want.Tasks {
		if t.Waits {
			ids = append(ids, t.ID)
		}
	}
	return ids
}

// evaluate evaluates the options of a task; now and then that fails.
func (d *drive) evaluate(id trowel.TaskID) error {
	t := d.want.Task(id)
	var e engine.Evaluation
	for _, e = range d.img.Evaluations() {
		if e.Task == id {
			break
		}
	}
	keys := d.want.Expressions(t)
	if got := e.Values.Keys(); !slices.Equal(slices.Sorted(slices.Values(got)), slices.Sorted(slices.Values(keys))) {
		return fmt.Errorf("%s: evaluate %v, want %v", t.Name, got, keys)
	}
	if err := d.compareScope(id); err != nil {
		return err
	}
	var failure error
	values := d.Values(t, keys)
	if d.rng.IntN(6) == 0 {
		failure = errors.New("ReferenceError: pool is not defined")
	}
	ev := engine.Evaluated{Task: id, Values: values, Err: failure}
	return d.apply("evaluate "+t.Name, ev, func() { d.want.Evaluated(id, values, failure, d.now) })
}

// given checks what a change gives back to limits.
func (d *drive) given(c *engine.Change) error {
	for name, n := range c.Given {
		d.uses[name] -= n
	}
	left := !c.New && c.From == trowel.TaskRunning && c.To != trowel.TaskRunning
	if c.Freed != left {
		return fmt.Errorf("%s from %s to %s: freed = %v", c.Task.FullName, c.From, c.To, c.Freed)
	}
	return nil
}

// compareHolds checks that what tasks hold is what claims took and no change gave back, and that the
// tasks whose options are evaluated are those that wait for it.
func (d *drive) compareHolds(rows []*trowel.Task) error {
	holds, running := trowel.Acquired{}, 0
	for _, row := range rows {
		if row.State == trowel.TaskRunning {
			running++
		}
		for name, n := range row.Acquired {
			holds[name] += n
		}
	}
	maps.DeleteFunc(d.uses, func(_ string, n int) bool { return n == 0 })
	if !maps.Equal(holds, d.uses) {
		return fmt.Errorf("tasks hold %v, by the changes it is %v", holds, d.uses)
	}
	if d.img.Running() != running {
		return fmt.Errorf("%d tasks run, want %d", d.img.Running(), running)
	}
	var ids []trowel.TaskID
	for _, e := range d.img.Evaluations() {
		ids = append(ids, e.Task)
	}
	if want := d.waiting(); !slices.Equal(ids, want) {
		return fmt.Errorf("options of %v are to be evaluated, want %v", ids, want)
	}
	return nil
}

func asJSON(v any) string {
	text, err := json.Marshal(v)
	if err != nil {
		return err.Error()
	}
	return string(text)
}
