package engine

import (
	"errors"
	"strings"
	"time"

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/dig"
	"github.com/trowel-project/trowel/internal/param"
)

// Evaluation asks for the values of options of a task that is otherwise ready (control K109): those that
// template.Evaluator.Config makes of Scope and Values. Whoever evaluates them tells the result with
// Evaluated; until then the task is blocked, with WaitEvaluating.
type Evaluation struct {
	Task   trowel.TaskID
	Values *param.Map // by option, as they are written; each has an expression in it
	// Scope is what the expressions see (control K108). Both maps are shared: they must not be changed.
	Scope *param.Map
	Zone  *time.Location
}

// Evaluated tells the values of options, among which others may be: the task is ready, or it fails with Err, or because a value is
// of a wrong type (control K109, K110). For a task that does not wait for them it changes nothing.
type Evaluated struct {
	Task   trowel.TaskID
	Values *param.Map
	Err    error
}

func (e Evaluated) apply(a *applying) {
	t := a.img.tasks[e.Task]
	if t == nil || !t.evaluating() {
		return
	}
	if e.Err != nil {
		a.fail(t, optionError(e.Err, "template"))
		return
	}
	a.equip(t, trowel.MoveUnblock, e.Values)
}

// Evaluations returns what is still to be evaluated, in the order of the tasks: for an image that was
// read from the store.
func (img *Image) Evaluations() []Evaluation {
	var list []Evaluation
	for _, row := range img.List() {
		if t := img.tasks[row.ID]; t.evaluating() {
			list = append(list, img.evaluation(t))
		}
	}
	return list
}

func (img *Image) evaluation(t *task) Evaluation {
	values, scope := t.options().Templated(), img.Scope(t.ID)
	for key, value := range values.All() {
		if _, object := value.(*param.Map); object {
			scope.Delete(key) // a parameter of that name would be merged into it (control K105)
		}
	}
	return Evaluation{Task: t.ID, Values: values, Scope: scope, Zone: img.scopes.zone.Location}
}

// evaluating reports whether the task waits for the values of its options.
func (t *task) evaluating() bool { return t.State == trowel.TaskBlocked && t.WaitReason != "" }

// makeReady makes an operator task ready whose turn has come, as soon as its options are known.
func (a *applying) makeReady(t *task, m trowel.Move) {
	o := t.options()
	if o.Templated() == nil {
		a.equip(t, m, nil)
		return
	}
	a.move(t, trowel.MoveEvaluate, trowel.TaskBlocked, true)
	a.evaluating = append(a.evaluating, t)
}

// equip gives a task its needs and makes it ready.
func (a *applying) equip(t *task, m trowel.Move, evaluated *param.Map) {
	needs, err := a.img.needsOf(t, evaluated)
	if err != nil {
		a.fail(t, optionError(err, dig.KindConfig))
		return
	}
	detail := t.Needs != nil || needs != nil || m == trowel.MoveDue
	t.Needs = needs
	a.move(t, m, trowel.TaskReady, detail)
}

// optionError describes what is wrong with an option.
func optionError(err error, kind string) *param.Map {
	if known, ok := errors.AsType[*dig.Error](err); ok {
		kind = known.Kind
	}
	return quotedError(err.Error(), kind)
}

// quotedError is an error whose text may quote an expression. The _error tasks see it as a parameter: they
// would evaluate the expression, and fail by it as well.
func quotedError(text, kind string) *param.Map {
	return trowel.ErrorObject(strings.ReplaceAll(text, "${", "{"), kind)
}

// Full tells that a concurrency limit has no room for a ready task that must not wait for it: it fails
// (control K811). A task that is not ready is left alone.
type Full struct {
	Task   trowel.TaskID
	Reason string // one sentence
}

func (f Full) apply(a *applying) {
	t := a.img.tasks[f.Task]
	if t == nil || t.State != trowel.TaskReady {
		return
	}
	a.fail(t, quotedError(f.Reason, "limit"))
}
