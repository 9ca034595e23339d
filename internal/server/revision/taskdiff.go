package revision

import (
	"maps"
	"slices"
	"strings"

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/api"
	"github.com/trowel-project/trowel/internal/dig"
	"github.com/trowel-project/trowel/internal/launch"
	"github.com/trowel-project/trowel/internal/param"
)

const (
	maxTaskDiffs  = 500
	maxShownValue = 2000 // bytes
)

const scheduleKey = "schedule"

// compareWorkflows returns the workflows that differ, by name.
func compareWorkflows(before, after []*trowel.Definition) (api.List[api.WorkflowDiff], error) {
	old, fresh := byName(before), byName(after)
	list := api.List[api.WorkflowDiff]{}
	names := maps.Clone(old)
	maps.Copy(names, fresh)
	for _, name := range slices.Sorted(maps.Keys(names)) {
		d, err := compareWorkflow(old[name], fresh[name])
		if err != nil {
			return nil, err
		}
		if d != nil {
			d.Name = name
			list = append(list, *d)
		}
	}
	return list, nil
}

func byName(list []*trowel.Definition) map[string]*trowel.Definition {
	all := make(map[string]*trowel.Definition, len(list))
	for _, d := range list {
		all[d.Workflow.Name] = d
	}
	return all
}

// compareWorkflow returns how a workflow differs; nil if it does not.
func compareWorkflow(before, after *trowel.Definition) (*api.WorkflowDiff, error) {
	d := &api.WorkflowDiff{Status: "changed"}
	var oldTasks, newTasks []dig.Task
	var err error
	if before == nil {
		d.Status = "added"
	} else if oldTasks, err = tasksOf(before); err != nil {
		return nil, err
	}
	if after == nil {
		d.Status = "removed"
	} else if newTasks, err = tasksOf(after); err != nil {
		return nil, err
	}
	d.Schedule = differing(scheduleOf(before), scheduleOf(after))
	d.Timezone = differing(zoneOf(before), zoneOf(after))
	all := compareTasks(oldTasks, newTasks)
	if d.Status == "changed" && d.Schedule == nil && d.Timezone == nil && len(all) == 0 {
		return nil, nil //nolint:nilnil // nothing differs
	}
	d.TaskCount, d.Tasks = len(all), all[:min(len(all), maxTaskDiffs)]
	return d, nil
}

func tasksOf(d *trowel.Definition) ([]dig.Task, error) {
	plan, err := launch.NewPlan(*d)
	if err != nil {
		return nil, err
	}
	return plan.Tasks, nil
}

func scheduleOf(d *trowel.Definition) param.Value {
	if d == nil {
		return nil
	}
	value, _ := d.Workflow.Definition.Get(scheduleKey)
	return value
}

func zoneOf(d *trowel.Definition) param.Value {
	if d == nil {
		return nil
	}
	return d.Workflow.Zone
}

// compareTasks returns the tasks that differ, in the order of the newer workflow, and then those that are gone.
func compareTasks(before, after []dig.Task) api.List[api.TaskDiff] {
	old := make(map[string]int, len(before))
	for i := range before {
		old[before[i].FullName] = i
	}
	list := api.List[api.TaskDiff]{}
	seen := make(map[string]bool, len(after))
	for i := range after {
		t := &after[i]
		seen[t.FullName] = true
		d := api.TaskDiff{Task: t.FullName, Keys: api.List[api.KeyDiff]{}, Place: placeOf(t)}
		at, ok := old[t.FullName]
		switch {
		case !ok:
			d.Status = "added"
		default:
			d.Keys = slices.DeleteFunc(compareKeys(before[at].Config(), t.Config()), func(k api.KeyDiff) bool {
				return i == 0 && k.Key == scheduleKey // the workflow has it apart
			})
			if d.Status = "changed"; len(d.Keys) > 0 {
				break
			}
			if slices.Equal(upstreamsOf(before, at), upstreamsOf(after, i)) {
				continue
			}
			d.Status = "moved"
		}
		list = append(list, d)
	}
	for i := range before {
		if t := &before[i]; !seen[t.FullName] {
			list = append(list, api.TaskDiff{Task: t.FullName, Status: "removed", Keys: api.List[api.KeyDiff]{}, Place: placeOf(t)})
		}
	}
	return list
}

// upstreamsOf returns the names of what a task waits for.
func upstreamsOf(tasks []dig.Task, at int) []string {
	var names []string
	for _, upstream := range tasks[at].Upstreams {
		names = append(names, tasks[upstream].Name)
	}
	slices.Sort(names)
	return names
}

func placeOf(t *dig.Task) *string {
	if t.Origin.Place == "" {
		return nil
	}
	return &t.Origin.Place
}

// compareKeys returns the keys that differ, without those of tasks inside.
func compareKeys(before, after *param.Map) api.List[api.KeyDiff] {
	list := api.List[api.KeyDiff]{}
	note := func(key string) {
		was, _ := before.Get(key)
		is, _ := after.Get(key)
		if d := differing(was, is); d != nil && !strings.HasPrefix(key, "+") {
			list = append(list, api.KeyDiff{Key: key, ValueDiff: *d})
		}
	}
	for key := range after.All() {
		note(key)
	}
	for key := range before.All() {
		if !after.Has(key) {
			note(key)
		}
	}
	return list
}

// differing returns both values as texts; nil if they are the same.
func differing(before, after param.Value) *api.ValueDiff {
	if param.Equal(before, after) {
		return nil
	}
	return &api.ValueDiff{From: shown(before), To: shown(after)}
}

func shown(value param.Value) *string {
	if value == nil {
		return nil
	}
	text := param.JSON(value)
	if len(text) > maxShownValue {
		text = strings.ToValidUTF8(text[:maxShownValue], "") + "..."
	}
	return &text
}
