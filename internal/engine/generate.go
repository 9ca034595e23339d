package engine

import (
	"errors"

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/dig"
	"github.com/trowel-project/trowel/internal/param"
)

// following are the trees that a successful operator adds.
type following struct{ sub, check []dig.Task }

// compileFollowing compiles the ^sub and ^check trees of a task that succeeded (language X18, X22).
func (a *applying) compileFollowing(t *task, r trowel.Report) (f following, err error) {
	if subtasks := r.Result.Subtasks; subtasks.Len() > 0 {
		if f.sub, err = compile(t, t.originOf(r), "^sub", subtasks); err != nil {
			return f, err
		}
	}
	if check := t.directive("_check"); check.Len() > 0 {
		if f.check, err = compile(t, t.Origin.Of("_check"), "^check", check); err != nil {
			return f, err
		}
	}
	current := a.img.Len()
	for _, tree := range [][]dig.Task{f.sub, f.check} {
		if current+len(tree) > a.limits.Tasks && len(tree) > 0 {
			return f, tooMany(a.limits.Tasks, current, len(tree))
		}
		current += len(tree)
	}
	return f, nil
}

// compile compiles a tree below t.
func compile(t *task, origin trowel.Origin, name string, body *param.Map) ([]dig.Task, error) {
	tree, err := dig.CompileAt(origin, t.FullName, name, body)
	if err != nil {
		return nil, err
	}
	return tree, dig.CheckExports(tree)
}

// originOf says where the subtasks of a report were written: in the file that the operator read, or in the body of the
// task that they were made from.
func (t *task) originOf(r trowel.Report) trowel.Origin {
	if r.Origin.Place != "" {
		return r.Origin
	}
	do, other := t.Origin.Of("_do"), t.Origin.Of("_else_do")
	if other.Place == t.Origin.Place || param.Equal(r.Result.Subtasks, t.raw("_do")) {
		return do
	}
	if do.Place == t.Origin.Place || param.Equal(r.Result.Subtasks, t.raw("_else_do")) {
		return other
	}
	return trowel.Origin{Place: t.Origin.Place}
}

func (a *applying) insertFollowing(t *task, f following) {
	var upstreams []trowel.TaskID
	if len(f.sub) > 0 {
		sub := a.insert(f.sub, t, nil, trowel.TaskInitial)
		upstreams = []trowel.TaskID{sub.ID}
	}
	if len(f.check) > 0 {
		a.insert(f.check, t, upstreams, 0)
	}
}

// errorObject describes an error of the engine in the form of an operator's error (language X33).
func errorObject(err error) *param.Map {
	if known, ok := errors.AsType[*dig.Error](err); ok {
		return trowel.ErrorObject(known.Message, known.Kind)
	}
	if errors.Is(err, trowel.ErrLimit) {
		return trowel.ErrorObject(err.Error(), "task limit exceeded")
	}
	return trowel.ErrorObject(err.Error(), "runtime")
}

// directive returns the object under a key that may be in the task's own body or in its _export (language C3); nil if
// there is none.
func (t *task) directive(key string) *param.Map {
	object, _ := t.raw(key).(*param.Map)
	return object
}

// raw returns the unevaluated value of a key: the task's own key, or else that of its _export.
func (t *task) raw(key string) param.Value {
	exported, _ := t.Export.Get(key)
	value, own := t.Local.Get(key)
	if !own {
		return exported
	}
	above, isMap := value.(*param.Map)
	if below, ok := exported.(*param.Map); ok && isMap {
		return param.Merged(below, above)
	}
	return value
}

// insertErrorTasks adds the ^error tree of a failed task, if it has an _error body, and reports whether it did (language
// X19). The tree sees exports as parameters, besides the error object. A tree that cannot be compiled is left out with a
// warning (language X22, C39).
func (a *applying) insertErrorTasks(t *task, object, exports *param.Map) bool {
	tree := a.compileErrorTasks(t, object, exports)
	if len(tree) == 0 || !a.roomFor(t, tree, 0) {
		return false
	}
	a.insert(tree, t, nil, 0)
	return true
}

func (a *applying) compileErrorTasks(t *task, object, exports *param.Map) []dig.Task {
	body := t.directive("_error")
	if body.Len() == 0 {
		return nil
	}
	own, _ := body.Get("_export")
	export, _ := own.(*param.Map)
	export = param.Merged(export, exports).Clone()
	export.Set("error", object)
	body = body.Clone()
	body.Set("_export", export)
	tree, err := compile(t, t.Origin.Of("_error"), "^error", body)
	if err != nil {
		a.warnOfHandler(t, err.Error())
		return nil
	}
	return tree
}

// roomFor reports whether the limit allows the _error tasks and more others.
func (a *applying) roomFor(t *task, tree []dig.Task, more int) bool {
	current := a.img.Len() + more
	if current+len(tree) <= a.limits.Tasks {
		return true
	}
	a.warnOfHandler(t, LimitMessage(a.limits.Tasks, current, len(tree)))
	return false
}

func (a *applying) warnOfHandler(t *task, reason string) {
	a.warn("cannot add the _error tasks of " + t.FullName + ": " + reason)
}

func (a *applying) warn(text string) { a.out.Warnings = append(a.out.Warnings, text) }
