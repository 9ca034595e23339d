package scheduler_test

import (
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/param"
	"github.com/trowel-project/trowel/internal/scheduler"
)

// TestReconcile checks S31 to S33.
func TestReconcile(t *testing.T) {
	t.Parallel()
	now, created := tokyo("2024-03-10 12:00:00"), tokyo("2024-01-01 00:00:00")
	disabled := tokyo("2024-02-02 00:00:00")
	started := &trowel.Schedule{
		ID: 1, ProjectID: 7, Workflow: "w", WorkflowID: 3, CreatedAt: created, UpdatedAt: created, DisabledAt: disabled,
		LastSessionAt: tokyo("2024-03-01 00:00:00"), NextSessionAt: tokyo("2024-03-20 00:00:00"), NextRunAt: tokyo("2024-03-20 10:00:00"),
	}
	fresh := *started
	fresh.LastSessionAt = time.Time{}
	next := func(from trowel.Schedule, last, session, run string) *trowel.Schedule {
		from.WorkflowID, from.UpdatedAt = 8, now
		from.LastSessionAt = time.Time{}
		if last != "" {
			from.LastSessionAt = tokyo(last)
		}
		from.NextSessionAt, from.NextRunAt = tokyo(session), tokyo(run)
		return &from
	}
	const hourly = `{"schedule": {"hourly>": "30:00"}}`
	const plain = `{"+a": {"echo>": "hi"}}`
	tests := []struct {
		name string
		old  []*trowel.Schedule
		text string
		push scheduler.Push
		want scheduler.Changes
	}{
		{"new", nil, daily, scheduler.Push{}, scheduler.Changes{Insert: []*trowel.Schedule{
			next(trowel.Schedule{ProjectID: 7, Workflow: "w", CreatedAt: now}, "", "2024-03-11 00:00:00", "2024-03-11 10:00:00"),
		}}},
		{"new from", nil, daily, scheduler.Push{From: tokyo("2024-01-05 10:00:00")}, scheduler.Changes{Insert: []*trowel.Schedule{
			next(trowel.Schedule{ProjectID: 7, Workflow: "w", CreatedAt: now}, "", "2024-01-05 00:00:00", "2024-01-05 10:00:00"),
		}}},
		{"goes on after the last session by the new times", []*trowel.Schedule{started}, hourly, scheduler.Push{From: now}, scheduler.Changes{Update: []*trowel.Schedule{
			next(*started, "2024-03-01 00:00:00", "2024-03-01 01:00:00", "2024-03-01 01:30:00"),
		}}},
		{"never started", []*trowel.Schedule{&fresh}, daily, scheduler.Push{}, scheduler.Changes{Update: []*trowel.Schedule{
			next(fresh, "", "2024-03-11 00:00:00", "2024-03-11 10:00:00"),
		}}},
		{"cleared", []*trowel.Schedule{started}, daily, scheduler.Push{Clear: []string{"w"}}, scheduler.Changes{Update: []*trowel.Schedule{
			next(*started, "", "2024-03-11 00:00:00", "2024-03-11 10:00:00"),
		}}},
		{"all cleared", []*trowel.Schedule{started}, daily, scheduler.Push{ClearAll: true}, scheduler.Changes{Update: []*trowel.Schedule{
			next(*started, "", "2024-03-11 00:00:00", "2024-03-11 10:00:00"),
		}}},
		{"block removed", []*trowel.Schedule{started}, plain, scheduler.Push{}, scheduler.Changes{Delete: []trowel.ScheduleID{1}}},
		{"none", nil, plain, scheduler.Push{}, scheduler.Changes{}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			definition, err := param.ParseMap(test.text)
			if err != nil {
				t.Fatal(err)
			}
			p := test.push
			p.Project, p.Now = 7, now
			p.Workflows = []*trowel.Workflow{{ID: 8, Name: "w", Zone: "Asia/Tokyo", Definition: definition}}
			got, err := scheduler.Reconcile(test.old, p)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(&test.want, got); diff != "" {
				t.Errorf("Reconcile (-want +got):\n%s", diff)
			}
		})
	}
}

// TestReconcileRefused checks S33: a name that is not in the revision.
func TestReconcileRefused(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	err := f.push(t, scheduler.Push{Now: time.Now(), Clear: []string{"gone"}}, map[string]string{"w": daily})
	if !errors.Is(err, trowel.ErrInvalid) || err.Error() != "gone does not exist" {
		t.Errorf("push that clears an unknown workflow: error = %v", err)
	}
}
