package queue

import (
	"reflect"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	trowel "github.com/trowel-project/trowel"
)

// Tasks of one lane take the same of all limits: what Demands looks at stands in laneKey.
func TestLanesTakeTheSame(t *testing.T) {
	t.Parallel()
	all := trowel.WorkflowLimits{}
	for _, field := range reflect.ValueOf(&all).Elem().Fields() {
		if field.Kind() == reflect.Int {
			field.SetInt(3)
		}
	}
	all.TasksPerAttempt = 0 // else every attempt has a lane of its own
	limits := &Limits{Pools: []*trowel.Pool{{ID: 1, Name: "a", Slots: 5}}, MaxRunning: 9}
	base := func() Ready {
		return Ready{Attempt: 1, Task: 2, At: time.Unix(1, 0), Workflow: trowel.WorkflowName{ProjectID: 1, Name: "w"}, Limits: all}
	}
	for name, change := range map[string]func(*Ready){
		"attempt": func(r *Ready) { r.Attempt = 7 }, "task": func(r *Ready) { r.Task = 7 }, "time": func(r *Ready) { r.At = time.Unix(7, 0) },
		"workflow": func(r *Ready) { r.Workflow.Name = "v" }, "queue": func(r *Ready) { r.Requirements = &trowel.Requirements{Queue: "q"} },
	} {
		one, other := base(), base()
		change(&other)
		if one.lane() != other.lane() {
			continue
		}
		ones, _ := limits.Demands(&one)
		others, _ := limits.Demands(&other)
		if diff := cmp.Diff(ones, others); diff != "" {
			t.Errorf("two tasks with another %s share a lane and do not take the same, add it to laneKey of ready.go (-one +other):\n%s", name, diff)
		}
	}
}
