package localrun

import (
	"fmt"
	"strings"

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/operator"
	"github.com/trowel-project/trowel/internal/param"
	"github.com/trowel-project/trowel/internal/runview"
)

// hook passes over tasks that succeeded before or are not asked for, and runs nothing in a dry
// run (language A15, A19). It implements agent.Hook.
type hook struct {
	run *run
}

// Before implements agent.Hook.
func (h *hook) Before(lease *trowel.Lease) (result trowel.Result, done bool) {
	if h.run.State.Dir != "" && !h.run.Sets.runs(lease.FullName) {
		h.run.asked.Store(true) // the command line chose
		return result, true
	}
	result, done = h.before(lease)
	if done {
		h.run.passed.Store(true)
	} else {
		h.run.asked.Store(true)
	}
	return result, done
}

// before returns the result of a task that succeeded before (server 1.9.2, "Skipping").
func (h *hook) before(lease *trowel.Lease) (result trowel.Result, done bool) {
	l := h.run
	if l.State.Dir == "" {
		return result, false
	}
	if !l.Sets.Any && !l.Sets.Resume[lease.FullName] {
		return result, false
	}
	if l.keeper.Has(lease.FullName) {
		return result, false // a group that is retried runs everything again (language X38)
	}
	result, found, err := l.State.Read(lease.FullName)
	if err != nil {
		l.Logs.ForTask(lease).Error(fmt.Sprintf("cannot tell whether the task succeeded before, so it is run: %v", err)) //nolint:sloglint // a line for people
		return trowel.Result{}, false
	}
	return result, found
}

// Instead implements agent.Hook.
func (h *hook) Instead(lease *trowel.Lease, selection operator.Selection) (result trowel.Result, done bool) {
	if h.run.ShowParams {
		h.run.Logs.ForTask(lease).Warn(runview.ParamsHead + param.IndentedYAML(selection.Config, 2)) //nolint:sloglint // the parameters are the message, as Digdag has it
	}
	if h.run.Dry {
		h.run.View.Would(lease, evaluatedCommand(selection))
	}
	return result, h.run.Dry
}

// evaluatedCommand is what a task would do: its operator and the value of its command, as they may
// stand in a file.
func evaluatedCommand(selection operator.Selection) string {
	command, _ := selection.Config.Get("_command")
	text, isText := param.AsString(command)
	switch {
	case command == nil:
		text = ""
	case !isText:
		text = param.JSON(command)
	}
	return strings.TrimRight(selection.Type+">: "+text, " \n")
}
