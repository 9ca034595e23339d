package cli

import (
	"fmt"
	"strings"

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/operator"
	"github.com/trowel-project/trowel/internal/param"
	"github.com/trowel-project/trowel/internal/runview"
)

// localHook passes over tasks that succeeded before or are not asked for, and runs nothing in a dry
// run (language A15, A19). It implements agent.Hook.
type localHook struct {
	run *localRun
}

// Before implements agent.Hook.
func (h *localHook) Before(lease *trowel.Lease) (result trowel.Result, done bool) {
	if h.run.state.Dir != "" && !h.run.sets.runs(lease.FullName) {
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
func (h *localHook) before(lease *trowel.Lease) (result trowel.Result, done bool) {
	l := h.run
	if l.state.Dir == "" {
		return result, false
	}
	if !l.sets.any && !l.sets.resume[lease.FullName] {
		return result, false
	}
	if l.keeper.Has(lease.FullName) {
		return result, false // a group that is retried runs everything again (language X38)
	}
	result, found, err := l.state.Read(lease.FullName)
	if err != nil {
		l.logs.ForTask(lease).Error(fmt.Sprintf("cannot tell whether the task succeeded before, so it is run: %v", err)) //nolint:sloglint // a line for people
		return trowel.Result{}, false
	}
	return result, found
}

// Instead implements agent.Hook.
func (h *localHook) Instead(lease *trowel.Lease, selection operator.Selection) (result trowel.Result, done bool) {
	if h.run.showParams {
		h.run.logs.ForTask(lease).Warn(runview.ParamsHead + indented(selection.Config, 2)) //nolint:sloglint // the parameters are the message, as Digdag has it
	}
	if h.run.dry {
		h.run.view.Would(lease, evaluatedCommand(selection))
	}
	return result, h.run.dry
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
