package scheduler

import (
	"context"
	"fmt"
	"slices"
	"time"

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/launch"
	"github.com/trowel-project/trowel/internal/schedule"
)

// Push is what schedules must know about a new revision.
type Push struct {
	Project   trowel.ProjectID
	Workflows []*trowel.Workflow // all workflows of the revision, stored
	From      time.Time          // the present for schedules that begin; zero for Now
	Clear     []string           // workflows whose schedules begin from the start (language S33)
	ClearAll  bool
	Now       time.Time
}

// Changes are the changes of a project's schedules by a push.
type Changes struct {
	Insert []*trowel.Schedule
	Update []*trowel.Schedule
	Delete []trowel.ScheduleID
}

// Reconcile matches the schedules of a project with the workflows of a new revision, by name (language S31). A schedule
// that has started a session continues after it with its new times. One that has not, or that is cleared, begins at
// From. A schedule whose workflow has none any more is deleted. It is an ErrInvalid to clear a workflow that the
// revision does not have, or if a schedule cannot be read.
func Reconcile(old []*trowel.Schedule, p Push) (*Changes, error) {
	if err := p.checkClear(); err != nil {
		return nil, err
	}
	from := p.From
	if from.IsZero() {
		from = p.Now
	}
	known := map[string]*trowel.Schedule{}
	for _, row := range old {
		known[row.Workflow] = row
	}
	c := &Changes{}
	for _, w := range p.Workflows {
		times, err := launch.ReadSchedule(w)
		if err != nil {
			return nil, fmt.Errorf("schedule of workflow %q: %w", w.Name, err)
		}
		if times == nil {
			continue
		}
		row := trowel.Schedule{ProjectID: p.Project, Workflow: w.Name, CreatedAt: p.Now}
		existing := known[w.Name]
		if existing != nil {
			row = *existing
			delete(known, w.Name)
		}
		if p.ClearAll || slices.Contains(p.Clear, w.Name) {
			row.LastSessionAt = time.Time{}
		}
		row.WorkflowID, row.UpdatedAt = w.ID, p.Now
		setNext(&row, nextAfterPush(times, row.LastSessionAt, from))
		if existing != nil {
			c.Update = append(c.Update, &row)
		} else {
			c.Insert = append(c.Insert, &row)
		}
	}
	for _, row := range old {
		if known[row.Workflow] != nil {
			c.Delete = append(c.Delete, row.ID)
		}
	}
	return c, nil
}

func nextAfterPush(times *schedule.Schedule, last, from time.Time) schedule.Time {
	if last.IsZero() {
		return times.First(from)
	}
	return times.Next(last)
}

func setNext(row *trowel.Schedule, next schedule.Time) {
	row.NextSessionAt, row.NextRunAt = next.Session, next.Run
}

// checkClear refuses to clear workflows that the revision does not have (language S33).
func (p *Push) checkClear() error {
	for _, name := range p.Clear {
		if !slices.ContainsFunc(p.Workflows, func(w *trowel.Workflow) bool { return w.Name == name }) {
			return &trowel.Error{
				Kind: trowel.ErrInvalid, Message: name + " does not exist", Hint: "clear schedules of workflows that the revision has",
			}
		}
	}
	return nil
}

// Apply changes the schedules of a project as a push requires, in the transaction that stores the revision. Wake the
// scheduler after the commit.
func Apply(ctx context.Context, tx trowel.Tx, p Push) error {
	old, err := tx.LockSchedules(ctx, p.Project)
	if err != nil {
		return err
	}
	c, err := Reconcile(old, p)
	if err != nil {
		return err
	}
	for _, row := range c.Insert {
		if err := tx.InsertSchedule(ctx, row); err != nil {
			return err
		}
	}
	for _, row := range c.Update {
		if err := tx.UpdateSchedule(ctx, row); err != nil {
			return err
		}
	}
	for _, id := range c.Delete {
		if err := tx.DeleteSchedule(ctx, id); err != nil {
			return err
		}
	}
	return nil
}
