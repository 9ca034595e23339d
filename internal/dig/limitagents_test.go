package dig_test

import (
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/dig"
)

// K823: a push tells of limits that none of the agents keeps or allows, as far as they are known.
func TestLimitsWithoutAgents(t *testing.T) {
	t.Parallel()
	files := fstest.MapFS{"main.dig": {Data: []byte(`_limits: {memory: 4GiB, cpu: 1}
+a:
  _defaults: {_limits: {pids: 11}}
  +b: {sh>: x, _limits: {memory: 9GiB, pids: 10, disk: "${d}"}}
  +c: {sh>: x, _limits: {memory: 0, disk: null}}
`)}}
	watching := trowel.KeptLimits{Names: []string{"memory", "pids", "disk"}, Max: trowel.CommandLimits{Memory: 8 << 30, PIDs: 9}}
	small := trowel.KeptLimits{Names: []string{"memory", "pids"}, Max: trowel.CommandLimits{Memory: 1 << 30, PIDs: 10}}
	const unkept = "main.dig:1:25 No agent keeps the limit 'cpu': tasks with it wait until one does"
	contained := fstest.MapFS{"main.dig": {Data: []byte("_export: {docker: {image: x}}\n+a: {sh>: x, _limits: {cpu: 2}}\n")}}
	if found := dig.LimitsWithoutAgents(contained, "/p", func() []trowel.KeptLimits { return []trowel.KeptLimits{{Container: []string{"cpu"}}} }); len(found) > 0 {
		t.Errorf("findings about a task in a container: %v", found)
	}
	for _, c := range []struct {
		name   string
		agents []trowel.KeptLimits
		want   []string
	}{
		{"no agents are known", nil, nil},
		{"one", []trowel.KeptLimits{watching}, []string{
			unkept, "main.dig:3:25 No agent allows a limit of 11 of pids, at most 9: tasks with it fail",
			"main.dig:4:26 No agent allows a limit of 9GiB of memory, at most 8GiB: tasks with it fail",
			"main.dig:4:40 No agent allows a limit of 10 of pids, at most 9: tasks with it fail",
		}},
		{"two", []trowel.KeptLimits{small, watching}, []string{
			unkept, "main.dig:3:25 No agent allows a limit of 11 of pids, at most 10: tasks with it fail",
			"main.dig:4:26 No agent allows a limit of 9GiB of memory, at most 8GiB: tasks with it fail",
		}},
		{"one keeps all, but some only in containers", []trowel.KeptLimits{{Names: []string{"memory", "pids", "disk"}, Container: trowel.LimitNames()}}, []string{unkept}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			var got []string
			for _, f := range dig.LimitsWithoutAgents(files, "/project", func() []trowel.KeptLimits { return c.agents }) {
				if f.ID != "limit-agents" || f.Severity != dig.SeverityWarning {
					t.Errorf("finding %+v, want a warning limit-agents", f)
				}
				got = append(got, strings.Join([]string{f.String(), f.Message}, " "))
			}
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("findings (-want +got):\n%s", diff)
			}
		})
	}
}
