package localrun

import (
	"fmt"
	"strings"
	"sync/atomic"

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/operator"
	"github.com/trowel-project/trowel/internal/param"
	"github.com/trowel-project/trowel/internal/runview"
	"github.com/trowel-project/trowel/internal/statusdir"
)

// hook passes over tasks that succeeded before or are not asked for, and runs nothing in a dry
// run (language A15, A19). It implements agent.Hook.
type hook struct {
	options  *Options
	statuses *statusdir.Writer
	passed   atomic.Bool // a task was passed over, as it had succeeded before
	asked    atomic.Bool // a task was run, or left out by the command line
}

// Before implements agent.Hook.
func (h *hook) Before(lease *trowel.Lease) (result trowel.Result, done bool) {
	if h.options.State.Dir != "" && !h.options.Sets.runs(lease.FullName) {
		h.asked.Store(true) // the command line chose
		return result, true
	}
	result, done = h.before(lease)
	if done {
		h.passed.Store(true)
	} else {
		h.asked.Store(true)
	}
	return result, done
}

// before returns the result of a task that succeeded before (server 1.9.2, "Skipping").
func (h *hook) before(lease *trowel.Lease) (result trowel.Result, done bool) {
	o := h.options
	if o.State.Dir == "" {
		return result, false
	}
	if !o.Sets.Any && !o.Sets.Resume[lease.FullName] {
		return result, false
	}
	if h.statuses.Has(lease.FullName) {
		return result, false // a group that is retried runs everything again (language X38)
	}
	result, found, err := o.State.Read(lease.FullName)
	if err != nil {
		o.Logs.ForTask(lease).Error(fmt.Sprintf("cannot tell whether the task succeeded before, so it is run: %v", err)) //nolint:sloglint // a line for people
		return trowel.Result{}, false
	}
	return result, found
}

// Instead implements agent.Hook.
func (h *hook) Instead(lease *trowel.Lease, selection operator.Selection) (result trowel.Result, done bool) {
	if h.options.ShowParams {
		h.options.Logs.ForTask(lease).Warn(runview.ParamsHead + param.IndentedYAML(selection.Config, 2)) //nolint:sloglint // the parameters are the message, as Digdag has it
	}
	if h.options.Dry {
		h.options.View.Would(lease, evaluatedCommand(selection))
	}
	return result, h.options.Dry
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
