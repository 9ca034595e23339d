package daemon

import (
	"slices"
	"testing"

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/config"
)

// An agent claims for containers what its executor keeps (docs/ecs-kubernetes.md).
func TestKeptLimitsOfContainers(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		executor string
		name     string // of the cluster; empty for none
		want     []string
	}{
		{"docker", "", trowel.LimitNames()},
		{"ecs", "", trowel.LimitNames()}, // which is docker
		{"ecs", "main", []string{trowel.LimitMemory, trowel.LimitCPU}},
		{"kubernetes", "main", []string{trowel.LimitMemory, trowel.LimitCPU, trowel.LimitDisk}},
	} {
		settings := &config.Server{}
		settings.Agent.CommandExecutor, settings.Agent.Executors = c.executor, map[string]string{}
		if c.name != "" {
			settings.Agent.Executors[c.executor+".name"] = c.name
		}
		a := &localAgent{process: &process{settings: settings}}
		if got := a.keptLimits().Container; !slices.Equal(got, c.want) {
			t.Errorf("%s with the cluster %q: %v, want %v", c.executor, c.name, got, c.want)
		}
	}
}
