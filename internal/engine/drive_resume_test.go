package engine_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/engine"
	"github.com/trowel-project/trowel/internal/engine/model"
	"github.com/trowel-project/trowel/internal/param"
)

// resumed are the tasks of an earlier attempt that count as done, for the task tree and the model.
type resumed struct {
	rows []*trowel.Task
	want []*model.Task
}

// image builds a task tree from rows of the store.
func (d *drive) image(rows []*trowel.Task) (*engine.TaskTree, error) {
	_, setting := testSetting()
	img, err := engine.NewTaskTree(d.img.Attempt, setting, rows)
	if err == nil {
		img.SetResumed(engine.StillNeeded(d.resumed.rows))
	}
	return img, err
}

// sla makes the attempt late.
func (d *drive) sla() error {
	d.late = true
	alert, fail, body := d.SLA()
	config := param.Of("duration", "01:00", "alert", alert, "fail", fail)
	config.Merge(body)
	return d.apply("SLA "+param.JSON(config), engine.SLA{Config: config}, func() { d.want.SLA(alert, fail, body, d.now) })
}

// playResumed plays a case, to its end or until somewhere in it, and then an attempt that resumes
// it. An attempt that must not be resumed is played alone.
func playResumed(k model.Case, order uint64) (*drive, error) {
	rng := rand.New(rand.NewPCG(order, 3))
	first := newDrive(k, order, newMemory())
	events := maxEvents
	if rng.IntN(3) == 0 {
		events = rng.IntN(60)
	}
	if err := first.play(events); err != nil || first.want == nil {
		return first, err
	}
	second := newDrive(k, order+1, newMemory())
	second.Seed += 1000 // other outcomes
	if rng.IntN(3) == 0 {
		second.Body = model.NewCase(k.Seed + 1).Body // of another revision
	}
	second.now = first.now.Add(time.Hour)
	second.trace = slices.Concat(first.trace, []string{"resume"})
	var err error
	if second.resumed, err = first.chooseResumed(rng); err != nil {
		return second, err
	}
	if second.resumed.rows == nil {
		return second, nil
	}
	return second, second.play(maxEvents)
}

// chooseResumed chooses what to resume, and compares what task tree and model say about it.
func (d *drive) chooseResumed(rng *rand.Rand) (r resumed, err error) {
	rows := d.rows(-1)
	var refused, wantRefused error
	if rng.IntN(2) == 0 {
		r.rows, refused = engine.ResumeFailed(rows)
		r.want, wantRefused = d.want.ResumeFailed()
	} else {
		name := rows[rng.IntN(len(rows))].FullName
		if others(rows, name) {
			return r, nil // an ambiguous pattern
		}
		r.rows, refused = engine.ResumeFrom(rows, name)
		r.want, wantRefused = d.want.ResumeFrom(name)
	}
	if fmt.Sprint(refused) != fmt.Sprint(wantRefused) {
		return r, fmt.Errorf("refused with %q, want %q\n%s", fmt.Sprint(refused), fmt.Sprint(wantRefused), d.picture())
	}
	if len(r.rows) != len(r.want) {
		return r, fmt.Errorf("%d tasks are resumed, want %d\n%s", len(r.rows), len(r.want), d.picture())
	}
	for i, want := range r.want {
		if err := compareTask(r.rows[i], want); err != nil {
			return r, fmt.Errorf("resumed %s (%d): %w\n%s", want.Name, want.ID, err, d.picture())
		}
	}
	return r, nil
}

// others reports whether other names end with that name too.
func others(rows []*trowel.Task, name string) bool {
	for _, row := range rows {
		if row.FullName != name && strings.HasSuffix(row.FullName, name) {
			return true
		}
	}
	return false
}
