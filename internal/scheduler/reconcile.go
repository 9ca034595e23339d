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

// Push is what schedules need to know of a new revision.
type Push struct {
	Project   trowel.ProjectID
	Workflows []*trowel.Workflow // all of the revision, stored
	From      time.Time          // what counts as now for schedules that begin; zero for Now
	Clear     []string           // workflows whose schedules begin afresh (language S33)
	ClearAll  bool
	Now       time.Time
}

// Changes is what a push does to the schedules of a project.
type Changes struct {
	Insert []*trowel.Schedule
	Update []*trowel.Schedule
	Delete []trowel.ScheduleID
}

// Reconcile matches the schedules of a project with the workflows of a new revision, by name
// (language S31). A schedule that has started a session goes on after that one, by its new times; one
// that has not, or that is cleared, begins at From. Those without a schedule any more are deleted. A
// workflow that is to be cleared and is not in the revision, and a schedule that cannot be read, is an
// ErrInvalid.
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

// checkClear refuses names that the revision does not have (language S33).
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

// Apply does to the schedules of a project what a push asks for, in the transaction that stores the
// revision. Wake the scheduler after it is committed.
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
