package explain

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/api"
	"github.com/trowel-project/trowel/internal/reason"
	"github.com/trowel-project/trowel/internal/server/document"
	"github.com/trowel-project/trowel/internal/server/rest"
)

// A chain has up to maxChain tasks. After maxHops blocked tasks in a row it skips to what all of them wait for.
const (
	maxChain = 40
	maxHops  = 3
)

// asker explains why tasks of one attempt do not run, and offers what can be done about it.
type asker struct {
	*reader

	offers api.List[api.Offer] // of the whole answer
}

// ofPath returns the task of the path.
func (a *asker) ofPath() (*trowel.Task, error) {
	id := trowel.TaskID(a.PathNumber(1))
	t, err := a.task(id)
	if err == nil && t == nil {
		err = rest.NotFound("attempt %d has no task %d", a.summary.Attempt.ID, id)
	}
	return t, err
}

// named finds the task whose full name ends in a name, and the newest if a retry of a group has made it more than once. A
// task whose whole name it is, or that is directly below the root, is preferred to others.
func (a *asker) named(name string) (*trowel.Task, error) {
	if !strings.HasPrefix(name, "+") && !strings.HasPrefix(name, "^") {
		name = "+" + name
	}
	ids, err := a.idsNamed(name)
	if err != nil {
		return nil, err
	}
	newest := map[string]*trowel.Task{} // by full name
	for _, id := range ids {
		t, err := a.task(id)
		if err != nil {
			return nil, err
		}
		newest[t.FullName] = t
	}
	names := slices.SortedFunc(maps.Keys(newest), func(a, b string) int {
		return cmp.Or(cmp.Compare(depth(a), depth(b)), cmp.Compare(a, b))
	})
	switch {
	case len(names) == 0:
		return nil, rest.NotFound("attempt %d has no task whose name ends in %s", a.summary.Attempt.ID, name).
			WithHint(fmt.Sprintf("trowel tasks %d lists its tasks", a.summary.Attempt.ID))
	case len(names) > 1 && names[0] != name && depth(names[0]) != 1+depth(name):
		return nil, rest.InvalidValue("task", "several tasks of attempt %d end in %s: %s", a.summary.Attempt.ID, name, strings.Join(names[:min(len(names), 5)], ", ")).
			WithHint("write more of the name")
	}
	return newest[names[0]], nil
}

// depth returns the number of parts of a full name.
func depth(name string) int { return strings.Count(name, "+") + strings.Count(name, "^") }

// why explains why a task does not run.
func (a *asker) why(t *trowel.Task) (api.Why, error) {
	if err := a.prepare(t); err != nil {
		return api.Why{}, err
	}
	shape := a.shape(t, reason.Explain(t, a.facts))
	var err error
	shape.Chain, err = a.chain(t)
	shape.Offers = a.offers
	return shape, err
}

// chain follows the reasons from a task to what causes them, and collects the offers on the way.
func (a *asker) chain(t *trowel.Task) (api.List[api.WhyLink], error) {
	chain := api.List[api.WhyLink]{}
	seen := map[trowel.TaskID]bool{}
	blocked := 0
	for len(chain) < maxChain && t != nil && !seen[t.ID] {
		seen[t.ID] = true
		if err := a.prepare(t); err != nil {
			return nil, err
		}
		link, next := a.link(t)
		chain = append(chain, link)
		if up := a.facts.Tree.Find(next); up == nil || up.State != trowel.TaskBlocked || t.State != trowel.TaskBlocked {
			blocked = 0
		} else if blocked++; blocked >= maxHops {
			next = a.facts.Tree.FollowUpstreams(next)
		}
		var err error
		if t, err = a.task(next); err != nil {
			return nil, err
		}
	}
	return chain, nil
}

// link returns the first reason of a task, or its state, and the task that causes it.
func (a *asker) link(t *trowel.Task) (api.WhyLink, trowel.TaskID) {
	link := api.WhyLink{
		Attempt: api.ID(t.AttemptID), Task: &api.TaskRef{ID: api.ID(t.ID), Name: t.FullName}, State: reason.Detail(t, a.facts),
	}
	if reasons := reason.Explain(t, a.facts); len(reasons) > 0 {
		link.Reason = reasonOf(reasons[0])
		a.offer(reasons[0].Offers)
		return link, reasons[0].Next
	}
	a.offer(reason.Mend(t, a.facts))
	link.Reason = api.Reason{Text: reason.Standing(t, a.facts), Since: document.OptInstant(t.UpdatedAt)}
	if t.State == trowel.TaskGroupError || t.State == trowel.TaskCanceled && t.Group {
		return link, a.facts.Tree.FailedChild(t.ID)
	}
	return link, 0
}

func (a *asker) path(attempt trowel.AttemptID, task trowel.TaskID) *string {
	path := "/api/attempts/" + strconv.FormatInt(int64(attempt), 10)
	if task != 0 {
		path += "/tasks/" + strconv.FormatInt(int64(task), 10)
	}
	return &path
}
