package remotecmd

import (
	"cmp"
	"slices"

	"github.com/trowel-project/trowel/internal/api"
	"github.com/trowel-project/trowel/internal/terminal"
)

// The tables of what can be run: projects, workflows and schedules.

func projectTable(v *listView, projects []api.Project) *listTable {
	t := &listTable{painted: -1, columns: []listColumn{
		{title: "ID", right: true}, {title: "PROJECT", least: 12}, {title: "REVISION", least: 8}, {title: "PUSHED", drop: 1}, {title: "CREATED", drop: 2},
	}}
	for i := range projects {
		p := &projects[i]
		t.rows = append(t.rows, listRow{cells: []string{p.ID.String(), p.Name, p.Revision, v.clock(p.UpdatedAt.Time), v.clock(p.CreatedAt.Time)}})
	}
	return t
}

// workflowTable returns the table of workflows, sorted by the names of project and workflow.
func workflowTable(workflows []api.Workflow) *listTable {
	t := &listTable{painted: -1, columns: []listColumn{
		{title: "PROJECT", least: 10}, {title: "WORKFLOW", least: 12}, {title: "ID", right: true}, {title: "TIME ZONE", drop: 1}, {title: "REVISION", least: 8, drop: 2},
	}}
	sorted := slices.SortedStableFunc(slices.Values(workflows), func(a, b api.Workflow) int {
		return cmp.Or(cmp.Compare(a.Project.Name, b.Project.Name), cmp.Compare(a.Name, b.Name))
	})
	for i := range sorted {
		w := &sorted[i]
		t.rows = append(t.rows, listRow{cells: []string{w.Project.Name, w.Name, w.ID.String(), w.Timezone, w.Revision}})
	}
	return t
}

// scheduleTable returns the table of schedules: those that run next come first, disabled ones last.
func scheduleTable(v *listView, schedules []api.Schedule) *listTable {
	t := &listTable{painted: 4, columns: []listColumn{
		{title: "ID", right: true}, {title: "WORKFLOW", least: 12}, {title: "NEXT RUN", drop: 1}, {title: "NEXT SESSION", drop: 2}, {title: "WHEN"},
	}}
	sorted := slices.SortedStableFunc(slices.Values(schedules), func(a, b api.Schedule) int {
		if (a.DisabledAt == nil) != (b.DisabledAt == nil) {
			if a.DisabledAt == nil {
				return -1
			}
			return 1
		}
		return a.NextRunTime.Compare(b.NextRunTime.Time)
	})
	for i := range sorted {
		s := &sorted[i]
		row := listRow{cells: []string{
			s.ID.String(), s.Project.Name + "/" + s.Workflow.Name, v.clock(s.NextRunTime.Time), v.clock(s.NextScheduleTime.Time), v.distance(s.NextRunTime.Time),
		}}
		if s.DisabledAt != nil {
			row.ink, row.cells[2], row.cells[4] = terminal.InkYellow, "", "disabled"
		}
		t.rows = append(t.rows, row)
	}
	return t
}
