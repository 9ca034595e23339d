package engine

import (
	"errors"
	"strings"
	"time"

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/dig"
	"github.com/trowel-project/trowel/internal/param"
)

// Evaluation asks for option values of a task that is otherwise ready (control K109): template.Evaluator.Config makes
// them from Scope and Values. Send the result as Evaluated; until then the task is blocked with WaitEvaluating.
type Evaluation struct {
	Task   trowel.TaskID
	Values *param.Map // by option, as written; each has an expression in it
	// Scope is what the expressions see (control K108). Both maps are shared and must not be changed.
	Scope *param.Map
	Zone  *time.Location
}

// Evaluated brings the values of options; other values may be among them. The task becomes ready, or fails with Err or
// because a value has a wrong type (control K109, K110). It does nothing to a task that does not wait for it.
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
	a.equip(t, trowel.TransitionUnblock, e.Values)
}

// Evaluations returns what must still be evaluated, in the order of the tasks. It is for a task tree that was read from the
// store.
func (img *TaskTree) Evaluations() []Evaluation {
	var list []Evaluation
	for _, row := range img.List() {
		if t := img.tasks[row.ID]; t.evaluating() {
			list = append(list, img.evaluation(t))
		}
	}
	return list
}

func (img *TaskTree) evaluation(t *task) Evaluation {
	values, scope := t.options().Templated(), img.Scope(t.ID)
	for key, value := range values.All() {
		if _, object := value.(*param.Map); object {
			scope.Delete(key) // a parameter of that name would be merged with the option (control K105)
		}
	}
	return Evaluation{Task: t.ID, Values: values, Scope: scope, Zone: img.scopes.zone.Location}
}

// evaluating reports whether the task waits for the values of its options.
func (t *task) evaluating() bool { return t.State == trowel.TaskBlocked && t.WaitReason != "" }

// makeReady makes an operator task ready that may run now, once its options are known.
func (a *applying) makeReady(t *task, m trowel.Transition) {
	o := t.options()
	if o.Templated() == nil {
		a.equip(t, m, nil)
		return
	}
	a.move(t, trowel.TransitionEvaluate, trowel.TaskBlocked, true)
	a.evaluating = append(a.evaluating, t)
}

// equip sets the needs of a task and makes it ready.
func (a *applying) equip(t *task, m trowel.Transition, evaluated *param.Map) {
	needs, err := a.img.needsOf(t, evaluated)
	if err != nil {
		a.fail(t, optionError(err, dig.KindConfig))
		return
	}
	detail := t.Requirements != nil || needs != nil || m == trowel.TransitionDue
	t.Requirements = needs
	a.move(t, m, trowel.TaskReady, detail)
}

// optionError describes what is wrong with an option.
func optionError(err error, kind string) *param.Map {
	if known, ok := errors.AsType[*dig.Error](err); ok {
		kind = known.Kind
	}
	return quotedError(err.Error(), kind)
}

// quotedError is an error whose text may quote an expression. The _error tasks see it as a parameter, so they would
// evaluate the expression and fail too.
func quotedError(text, kind string) *param.Map {
	return trowel.ErrorObject(strings.ReplaceAll(text, "${", "{"), kind)
}

// ConcurrencyFull fails a ready task, because its concurrency limit is full and it must not wait for it (control K811). It does
// nothing to a task that is not ready, or that has a job outside, which would be left.
type ConcurrencyFull struct {
	Task   trowel.TaskID
	Reason string // one sentence
}

func (f ConcurrencyFull) apply(a *applying) {
	t := a.img.tasks[f.Task]
	if t == nil || t.State != trowel.TaskReady || t.hasJob() {
		return
	}
	a.fail(t, quotedError(f.Reason, "limit"))
}
