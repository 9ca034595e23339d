package dig_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/trowel-project/trowel/internal/dig"
	"github.com/trowel-project/trowel/internal/param"
)

// FuzzOptions proves that options that compile and have no expressions can be read for every task and are within their
// bounds, and that the limits of a workflow are valid or refused with a message.
func FuzzOptions(f *testing.F) {
	for _, seed := range []string{
		`{"_pool":["a",{"name":"b","slots":2}],"_queue":{"name":"q","labels":["x",1]},"+a":{"echo>":1,"_pool_slots":"2"}}`,
		`{"_defaults":{"_priority_weight":-5,"_weight_rule":"upstream","_retry":1},"+a":{"_pool":null,"+b":{"x>":1}}}`,
		`{"+a":{"x>":1,"_concurrency":{"limit":1.5,"per":"site","key":true,"on_limit":"fail","include_waiting":"false"}}}`,
		`{"max_active_attempts":{"limit":2,"on_exceed":"reject"},"max_active_tasks":{"per_attempt":1,"per_workflow":"3"}}`,
		`{"_limits":{"memory":"2GiB","cpu":1.5,"pids":"7"},"+a":{"x>":1,"_limits":{"memory":null,"disk":"1.5 TB","cpu":"${c}"}}}`,
		`{"+a":{"x>":1,"_concurrency":"${n}","_pool":[{"name":"${p}"}]}}`,
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		body, err := param.ParseMap(text)
		if err != nil {
			return
		}
		var known *dig.Error
		control, err := dig.ControlOf(body)
		if err != nil && (!errors.As(err, &known) || known.Message == "") {
			t.Errorf("ControlOf: %v, want an *Error with a message", err)
		}
		if control.ActiveAttempts < 0 || control.TasksPerAttempt < 0 || control.TasksPerWorkflow < 0 {
			t.Errorf("ControlOf = %+v", control)
		}
		tasks, err := dig.Compile("", "+w", body)
		if err != nil {
			return
		}
		options := make([]*dig.Options, len(tasks))
		for i, task := range tasks {
			if task.Parent >= 0 {
				options[i] = options[task.Parent]
			}
			options[i] = options[i].Below(task.Local)
			needs, _, err := options[i].Needs(nil, task.FullName)
			if err != nil && (!errors.As(err, &known) || !strings.Contains(text, "${")) {
				t.Errorf("%s: %v", task.FullName, err)
			}
			for _, pool := range needs.PoolRequirements() {
				if pool.Slots < 1 || pool.Name == "" || len(needs.PoolRequirements()) > 4 {
					t.Errorf("%s: pools = %+v", task.FullName, needs.PoolRequirements())
				}
			}
			if w := needs.PriorityWeight(); w < -1_000_000 || w > 1_000_000 {
				t.Errorf("%s: weight = %d", task.FullName, w)
			}
			if needs != nil && needs.Concurrency != nil && (needs.Concurrency.Limit < 1 || needs.Concurrency.Key == "") {
				t.Errorf("%s: concurrency = %+v", task.FullName, needs.Concurrency)
			}
			if needs == nil || needs.Limits == nil {
				continue
			}
			if l := needs.Limits; len(l.Names()) == 0 || l.Memory < 0 || l.CPU < 0 || l.PIDs < 0 || l.Disk < 0 {
				t.Errorf("%s: limits = %+v", task.FullName, l)
			}
			_ = options[i].Handler().Templated()
		}
	})
}
