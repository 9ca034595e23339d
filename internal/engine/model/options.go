package model

import (
	"reflect"
	"slices"
	"strings"
	"time"

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/param"
)

// Options are the options that random cases have.
var Options = []string{"_pool", "_pool_slots", "_priority_weight", "_weight_rule", "_concurrency", "_queue", "_limits"} //nolint:gochecknoglobals // a list that never changes

// option finds the value of an option: of the nearest body that has it, plainly or in _defaults (K106,
// K107); above a handler tree only a plain _queue counts (K111).
func (m *Model) option(t *Task, key string) param.Value {
	if key == "_limits" {
		return m.limits(t)
	}
	handled := false
	for ; t != nil; t = m.Task(t.Parent) {
		if value, ok := t.Local.Get(key); ok && (!handled || key == "_queue") {
			return value
		}
		defaults, _ := t.Local.Get("_defaults")
		if object, ok := defaults.(*param.Map); ok && !handled && object.Has(key) {
			value, _ := object.Get(key)
			return value
		}
		handled = handled || m.handler(t)
	}
	return nil
}

// limits finds each part of _limits by itself (K823).
func (m *Model) limits(t *Task) param.Value {
	found := param.New()
	for _, part := range []string{"memory", "cpu", "pids", "disk"} {
		value, handled := param.Value(nil), false
		for at := t; at != nil && !handled && value == nil; at = m.Task(at.Parent) {
			defaults, _ := at.Local.Get("_defaults")
			of, _ := defaults.(*param.Map)
			for _, body := range []*param.Map{at.Local, of} {
				given, written := body.Get("_limits")
				object, _ := given.(*param.Map)
				own, named := object.Get(part)
				if !handled && value == nil && written {
					value, handled = own, named || given == nil // null ends the search
				}
			}
			handled = handled || m.handler(at)
		}
		if value != nil {
			found.Set(part, value)
		}
	}
	if found.Len() == 0 {
		return nil
	}
	return found
}

// suffix is what the name of a task adds to that of its parent.
func (m *Model) suffix(t *Task) string {
	if t.Parent == 0 {
		return ""
	}
	return strings.TrimPrefix(t.Name, m.Task(t.Parent).Name)
}

func (m *Model) handler(t *Task) bool {
	s := m.suffix(t)
	return strings.HasPrefix(s, "^") && s != "^sub" && s != "^check"
}

// Expressions returns the options of a task that have to be evaluated.
func (m *Model) Expressions(t *Task) []string {
	return slices.DeleteFunc(slices.Clone(Options), func(key string) bool { return !strings.Contains(param.JSON(m.option(t, key)), "${") })
}

// ready is what becomes of an operator task whose turn has come (K109).
func (m *Model) ready(t *Task) {
	if len(m.Expressions(t)) > 0 {
		t.State, t.Waits = trowel.TaskBlocked, true
		return
	}
	m.equip(t, nil)
}

// Evaluated tells the values of expressions (K109, K110).
func (m *Model) Evaluated(id trowel.TaskID, values *param.Map, failure error, now time.Time) {
	m.now = now
	t := m.Task(id)
	if t == nil || !t.Waits || m.Tasks[0].State.Done() {
		return
	}
	t.Waits = false
	if failure != nil {
		m.fail(t, trowel.ErrorObject(failure.Error(), "template"))
	} else {
		m.equip(t, values)
	}
	m.rounds()
}

// equip makes a task ready with what it needs.
func (m *Model) equip(t *Task, values *param.Map) {
	found := map[string]param.Value{}
	for _, key := range Options {
		value := m.option(t, key)
		if strings.Contains(param.JSON(value), "${") {
			value, _ = values.Get(key)
		}
		if value != nil {
			found[key] = value
		}
	}
	if _, number := param.AsInt(found["_priority_weight"]); found["_priority_weight"] != nil && !number {
		m.fail(t, trowel.ErrorObject(param.WrongType("_priority_weight", param.TypeInt, found["_priority_weight"]).Message, "config"))
		return
	}
	t.State, t.Needs = trowel.TaskReady, nil
	if len(found) > 0 {
		t.Needs = m.needs(t, found)
		if reflect.ValueOf(*t.Needs).IsZero() {
			t.Needs = nil
		}
	}
}

func (m *Model) needs(t *Task, found map[string]param.Value) *trowel.Requirements {
	n := &trowel.Requirements{}
	slots, weight := 1, 1
	if value, ok := found["_pool_slots"]; ok {
		slots, _ = param.AsInt(value)
		n.Pools = []trowel.PoolRequirement{{Name: "default", Slots: slots}}
	}
	switch pool := found["_pool"].(type) {
	case string:
		n.Pools = []trowel.PoolRequirement{{Name: pool, Slots: slots}}
	case *param.Map:
		n.Pools = []trowel.PoolRequirement{{Name: text(pool, "name"), Slots: number(pool, "slots")}}
	}
	if value, ok := found["_priority_weight"]; ok {
		weight, _ = param.AsInt(value)
		n.Weight = &weight
	}
	if rule, _ := found["_weight_rule"].(string); rule != "" && rule != "absolute" {
		effective := m.weight(t, weight, rule)
		n.Weight = &effective
	}
	if value, ok := found["_concurrency"]; ok {
		n.Concurrency = m.concurrency(t, value)
	}
	n.Queue, _ = found["_queue"].(string)
	if object, ok := found["_limits"].(*param.Map); ok {
		n.Limits = &trowel.CommandLimits{PIDs: number(object, "pids")}
		memory, _ := object.Get("memory")
		n.Limits.Memory, _ = param.AsLong(memory)
		if text, ok := memory.(string); ok {
			n.Limits.Memory = map[string]int64{"1MiB": 1 << 20, "2KiB": 2048}[text]
		}
		cpu, _ := object.Get("cpu")
		n.Limits.CPU, _ = cpu.(float64)
	}
	return n
}

func text(m *param.Map, key string) string {
	value, _ := m.Get(key)
	s, _ := param.AsString(value)
	return s
}

func number(m *param.Map, key string) int {
	value, _ := m.Get(key)
	n, _ := param.AsInt(value)
	return n
}

// concurrency reads _concurrency; below a task that holds the same place it is not needed.
func (m *Model) concurrency(t *Task, value param.Value) *trowel.Concurrency {
	c := &trowel.Concurrency{Per: "workflow", Key: t.Name}
	if object, ok := value.(*param.Map); ok {
		c.Limit = number(object, "limit")
		if object.Has("key") {
			c.Key = text(object, "key")
		}
		waiting, _ := object.Get("include_waiting")
		c.RunningOnly = waiting == false
		c.Fail = text(object, "on_limit") == "fail"
	} else {
		c.Limit, _ = param.AsInt(value)
	}
	for p := m.Task(t.Parent); p != nil; p = m.Task(p.Parent) {
		if p.Needs != nil && p.Needs.Concurrency != nil && !p.Needs.Concurrency.RunningOnly && p.Needs.Concurrency.Key == c.Key {
			return nil
		}
	}
	return c
}

// weight adds up by a weight rule (K806).
func (m *Model) weight(t *Task, own int, rule string) int {
	var generator *Task
	for p := t; p.Parent != 0; p = m.Task(p.Parent) {
		if m.handler(p) {
			return own
		}
		if strings.HasPrefix(m.suffix(p), "^") {
			generator = m.Task(p.Parent)
		}
	}
	if generator != nil {
		return generator.Needs.PriorityWeight()
	}
	sum := own
	for p := t; p.Parent != 0; p = m.Task(p.Parent) {
		for _, s := range m.children(m.Task(p.Parent)) {
			if rule == "downstream" && m.isUpstream(p, s) || rule == "upstream" && m.isUpstream(s, p) {
				sum += m.total(s)
			}
		}
	}
	return sum
}

// total adds up the own weights of the operator tasks of a subtree, as the file states it.
func (m *Model) total(t *Task) (sum int) {
	list := []*Task{t}
	if t.Group {
		list = m.original(t)
	}
	for _, d := range list {
		if d.Group {
			continue
		}
		weight, ok := param.AsInt(m.option(d, "_priority_weight"))
		if !ok {
			weight = 1
		}
		sum += weight
	}
	return sum
}

// Full fails a ready task (K811).
func (m *Model) Full(id trowel.TaskID, reason string, now time.Time) {
	m.now = now
	if t := m.Task(id); t != nil && t.State == trowel.TaskReady && !m.Tasks[0].State.Done() && t.Flags&trowel.TaskHasJob == 0 {
		m.fail(t, trowel.ErrorObject(reason, "limit"))
		m.rounds()
	}
}

// Admit begins an attempt that waits (K813).
func (m *Model) Admit(now time.Time) {
	m.now = now
	if m.Wait == "" {
		return
	}
	m.Wait = ""
	m.begin()
}

// giveBack leaves to tasks what they may hold: all while they run, a place under a concurrency limit
// until they are done or are evaluated anew, nothing else (K804, K810).
func (m *Model) giveBack() {
	for _, t := range m.Tasks {
		if t.State == trowel.TaskRunning {
			continue
		}
		place := t.Needs != nil && t.Needs.Concurrency != nil && !t.Needs.Concurrency.RunningOnly && !t.State.Done() && !t.Waits
		left := trowel.Acquired{}
		for name, n := range t.Holds {
			if place && strings.HasPrefix(name, "concurrency:") {
				left[name] = n
			}
		}
		t.Holds = left
	}
}
