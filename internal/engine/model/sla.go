package model

import (
	"strings"
	"time"

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/dig"
	"github.com/trowel-project/trowel/internal/param"
)

// SLA adds the tasks of an attempt that is late (S46): not to one that is killed (S45a is mended).
func (m *Model) SLA(alert, fail bool, body *param.Map, now time.Time) {
	m.now = now
	root := m.Tasks[0]
	if root.State.Done() || m.Flags&trowel.AttemptCancelRequested != 0 {
		return
	}
	if alert {
		m.addCommand(root, "^sla^alert", "notify")
	}
	if fail {
		m.addCommand(root, "^sla^fail", "fail")
	}
	tree, err := dig.Compile(root.Name, "^sla", body)
	if err == nil && dig.CheckExports(tree) == nil {
		m.insert(tree, root.ID, nil, 0)
	}
	m.rounds()
}

func (m *Model) addCommand(root *Task, name, operator string) {
	local := param.Of("_type", operator, "_command", "SLA violation")
	m.insert([]dig.Task{{Parent: -1, FullName: root.Name + name, Local: local, Export: param.New()}}, root.ID, nil, 0)
}

// ofSLA reports whether the task is the root of a tree that SLA added.
func (m *Model) ofSLA(t *Task) bool {
	return t.Parent == 1 && strings.HasPrefix(t.Name, m.Tasks[0].Name+"^sla")
}

// SLA makes the block sla: of a case without its time, and what it says about alert and fail.
func (k Case) SLA() (alert, fail bool, body *param.Map) {
	c := k.chooser("sla")
	tasks := 1 + c.IntN(4)
	body = param.New()
	if c.one(4) {
		body = c.operator(&tasks, 1)
	} else if !c.one(4) {
		body = c.group(&tasks, 1, false)
	}
	if k.May&Mistakes != 0 && c.one(6) {
		body.Set("+mistake", int64(3))
	}
	return c.one(2), c.one(3), body
}
