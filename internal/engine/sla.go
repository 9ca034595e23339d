package engine

import (
	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/dig"
	"github.com/trowel-project/trowel/internal/param"
	"github.com/trowel-project/trowel/internal/schedule"
)

// SLA is the instant at which an attempt is late (language S46). It adds tasks to the root, which run beside the others
// and count in every round of the root (language S45b). It does nothing to an attempt that has ended or is being killed
// (differs from S45a, see docs/compatibility.md). It must be sent only once.
type SLA struct {
	Config *param.Map // the sla: block
}

func (s SLA) apply(a *applying) {
	root := a.img.root
	if root == nil || a.img.Attempt.Flags&trowel.AttemptCancelRequested != 0 {
		return
	}
	sla, err := schedule.ParseSLA(s.Config)
	if err != nil {
		a.warn("cannot add the SLA tasks of " + root.FullName + ": " + err.Error())
		return
	}
	const violation = "SLA violation"
	if sla.Alert {
		a.insertSLA(root, []dig.Task{command(root, "^sla^alert", "notify", violation)})
	}
	if sla.Fail {
		a.insertSLA(root, []dig.Task{command(root, "^sla^fail", "fail", violation)})
	}
	tree, err := compile(root, root.Origin.Of("sla"), "^sla", sla.Tasks)
	if err != nil {
		a.warn("cannot add the tasks of the SLA of " + root.FullName + ": " + err.Error())
	} else {
		a.insertSLA(root, tree)
	}
	if root.State == trowel.TaskPlanned {
		a.then(root, opened)
	}
}

func (a *applying) insertSLA(root *task, tree []dig.Task) {
	a.insertIn(tree, root, everyRound, nil, 0)
}

// command is a task with one operator, as Digdag writes it.
func command(parent *task, name, operator, text string) dig.Task {
	return dig.Task{
		Parent: -1, Name: name, FullName: parent.FullName + name,
		Local: param.Of("_type", operator, "_command", text), Export: param.New(),
	}
}
