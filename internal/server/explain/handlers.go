package explain

import (
	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/api"
	"github.com/trowel-project/trowel/internal/server/outline"
	"github.com/trowel-project/trowel/internal/server/rest"
)

// handlers answer questions why tasks do not run.
type handlers struct {
	rules    rules
	lists    rules // for lists of tasks, which may be a moment old
	outlines *outline.Cache
}

// withAsker runs f with an asker of the attempt of the path.
func withAsker[T any](h *handlers, c *rest.Call, f func(a *asker) (T, error)) (any, error) {
	var answer T
	err := c.View(func(tx trowel.Tx) error {
		r, err := newReader(c, tx, &h.rules)
		if err == nil {
			answer, err = f(&asker{reader: r})
		}
		return err
	})
	return answer, err
}

func (h *handlers) getTask(c *rest.Call) (any, error) {
	return withAsker(h, c, func(a *asker) (api.TaskDetail, error) {
		t, err := a.ofPath()
		if err != nil {
			return api.TaskDetail{}, err
		}
		return a.detail(t)
	})
}

func (h *handlers) getTaskWhy(c *rest.Call) (any, error) {
	return withAsker(h, c, func(a *asker) (api.Why, error) {
		t, err := a.ofPath()
		if err != nil {
			return api.Why{}, err
		}
		return a.why(t)
	})
}

func (h *handlers) getAttemptWhy(c *rest.Call) (any, error) {
	return withAsker(h, c, func(a *asker) (why api.AttemptWhy, err error) {
		if c.Query.Has("task") {
			t, err := a.named(c.Query.Get("task"))
			if err != nil {
				return why, err
			}
			why.Why, err = a.why(t)
			return why, err
		}
		if why.Why, err = a.whyAttempt(); err != nil {
			return why, err
		}
		why.ByCode, err = a.byCode()
		return why, err
	})
}

// getReasons lists the first reason of each waiting task.
func (h *handlers) getReasons(c *rest.Call) (any, error) {
	limit, key, err := c.PageNumbers(1)
	if err != nil {
		return nil, err
	}
	after := trowel.TaskID(0)
	if key != nil {
		after = trowel.TaskID(key[0])
	}
	return withAsker(h, c, func(a *asker) (api.TaskReasonList, error) { return a.reasons(after, limit) })
}
