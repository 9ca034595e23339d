package remotecmd

import (
	"context"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/trowel-project/trowel/internal/advice"
	"github.com/trowel-project/trowel/internal/api"
	"github.com/trowel-project/trowel/internal/cli/cmd"
	"github.com/trowel-project/trowel/internal/client"
	"github.com/trowel-project/trowel/internal/dig"
	"github.com/trowel-project/trowel/internal/operator/builtin"
	why "github.com/trowel-project/trowel/internal/reason"
	"github.com/trowel-project/trowel/internal/runview/live"
)

// outputPatience is how long the summary of an attempt waits for the output of its failed tasks.
const outputPatience = 5 * time.Second

// taskFacts is what a server knows about the tasks of an attempt beyond their list. It is empty for servers that do not
// say, such as Digdag's.
type taskFacts struct {
	places map[api.ID]string
	lines  map[api.ID][]string // last lines of output of failed tasks
}

// factsOf asks a server about the tasks of an attempt that did not succeed, and for the output of those failed tasks
// that a summary shows.
func factsOf(ctx context.Context, server *client.Client, id api.ID, tasks []api.Task) taskFacts {
	facts := taskFacts{places: taskPlaces(ctx, server, id), lines: map[api.ID][]string{}}
	ctx, cancel := context.WithTimeout(ctx, outputPatience)
	defer cancel()
	asked := 0
	for _, t := range lastRounds(tasks) {
		if t.State != "error" {
			continue
		}
		if asked++; asked > live.SummaryFails {
			break
		}
		lines, err := lastOutput(ctx, server, id, t.ID)
		if err != nil {
			break // the others would fail too
		}
		facts.lines[t.ID] = lines
	}
	return facts
}

// lastOutput returns the last lines of output of a failed task.
func lastOutput(ctx context.Context, server *client.Client, attempt, task api.ID) ([]string, error) {
	detail, err := server.FindTask(ctx, attempt, task)
	if err != nil || len(detail.Tries) == 0 {
		return nil, err
	}
	return detail.Tries[len(detail.Tries)-1].LastLines, nil
}

// mostExplained is how many failed tasks trowel why shows with their output.
const mostExplained = 5

// outputBehind returns the last lines of output of the failed tasks in an answer, by their ids.
func outputBehind(ctx context.Context, server *client.Client, answer *api.Why) map[api.ID][]string {
	lines := map[api.ID][]string{}
	for i := range answer.Chain {
		link := &answer.Chain[i]
		if link.State != "error" || link.Task == nil || len(lines) == mostExplained {
			continue
		}
		found, err := lastOutput(ctx, server, link.Attempt, link.Task.ID)
		if err != nil {
			break // what is known is enough
		}
		lines[link.Task.ID] = found
	}
	return lines
}

// fixOnServer says what to do about a failed task of a server, judging by its message and by what the tasks of
// the attempt have; empty if that is not known.
func fixOnServer(c *cmd.Call, a *api.Attempt, message string, tasks []api.Task) string {
	if fix := why.SetSecret(message, a.Project.Name); fix != "" {
		return c.OnServer(fix)
	}
	if name, found := strings.CutPrefix(strings.TrimSuffix(message, " (config)"), "Unknown task type: "); found {
		return dig.OperatorHint(name, builtin.Names())
	}
	if fix := advice.OfRefusedKeys(message); fix != "" {
		return fix
	}
	known := map[string]bool{}
	for i := range tasks {
		for _, name := range append(tasks[i].ExportParams.Keys(), tasks[i].StoreParams.Keys()...) {
			known[name] = true
		}
	}
	return advice.OfUndefined(message, slices.Sorted(maps.Keys(known)))
}
