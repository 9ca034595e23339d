package explain

import (
	"encoding/json"
	"errors"
	"maps"
	"slices"
	"strconv"
	"strings"

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/api"
	"github.com/trowel-project/trowel/internal/dig"
	"github.com/trowel-project/trowel/internal/param"
	"github.com/trowel-project/trowel/internal/reason"
	"github.com/trowel-project/trowel/internal/server/document"
	"github.com/trowel-project/trowel/internal/server/outline"
	"github.com/trowel-project/trowel/internal/server/rest"
)

// treeReader makes a page of the tasks of an attempt: first what the tree in memory has, and then what must be read.
type treeReader struct {
	*asker

	request *treeRequest
	page    api.TreePage
	waiting map[trowel.TaskID]int   // index in the page of tasks that do not run
	blocked []trowel.TaskOutline    // those of them that are blocked
	around  []trowel.TaskOutline    // groups and upstreams of blocked tasks
	cutOff  []trowel.TaskID         // upstreams that can never run
	whole   map[trowel.TaskID]bool  // tasks whose upstreams are in around
	listed  map[*trowel.TaskID]bool // lists of upstreams that are in around; tasks share them

	toMake      trowel.TaskID // whose children are asked for before they are made; zero for none
	toMakeDepth int
}

// take fills the page with what the tree has.
func (t *treeReader) take(tree *outline.Tree) error {
	t.waiting, t.whole, t.listed = map[trowel.TaskID]int{}, map[trowel.TaskID]bool{}, map[*trowel.TaskID]bool{}
	t.page = api.TreePage{Version: tree.Version, Status: t.summary.Attempt.Flags.Status(), Tasks: tree.Len(), Items: api.List[api.TreeItem]{}}
	if t.request.around != "" {
		n, err := t.find(tree, t.request.around)
		if err != nil {
			return err
		}
		above, siblings, next := tree.Around(n, t.request.limit)
		t.page.Total = api.Total{Value: 1, Exact: true}
		if n.Parent != nil {
			t.page.Total.Value = len(n.Parent.Children)
		}
		t.add(tree, append(above, siblings...), func(*outline.Node) bool { return true })
		t.next(next)
		return nil
	}
	if t.request.parent != "" {
		n, err := t.find(tree, t.request.parent)
		if err != nil {
			return err
		}
		t.request.query.Parent = n
		if n.Bodies > 0 && len(n.Children) == 0 && !n.State.Done() && !tree.Ended {
			t.toMake, t.toMakeDepth = n.ID, int(n.Depth)+1
		}
	}
	selected := tree.Select(t.request.query)
	t.page.Total = api.Total{Value: selected.Matches, Exact: true}
	nodes, next := selected.Page(t.request.after, t.request.limit)
	t.add(tree, nodes, selected.Has)
	t.next(next)
	return nil
}

func (t *treeReader) next(key *outline.Key) {
	if key != nil {
		t.page.Next = rest.NumberCursor(key.Value, int64(key.ID))
	}
}

func (t *treeReader) add(tree *outline.Tree, nodes []*outline.Node, matches func(*outline.Node) bool) {
	t.page.Items = slices.Grow(t.page.Items, len(nodes))
	for _, n := range nodes {
		item := itemOf(n)
		item.Matches = matches(n)
		never := tree.Unreached(n)
		if never {
			item.State = string(trowel.WaitNotReached)
		}
		if t.request.reasons && !n.State.Done() && n.State != trowel.TaskRunning && n.State != trowel.TaskPlanned {
			t.waiting[n.ID] = len(t.page.Items)
			if n.State == trowel.TaskBlocked {
				t.blocked = append(t.blocked, n.Outline())
				t.surround(tree, n)
			}
		}
		t.page.Items = append(t.page.Items, item)
	}
}

// surround notes what a blocked task and the groups above it wait for.
func (t *treeReader) surround(tree *outline.Tree, n *outline.Node) {
	for ; n != nil && !t.whole[n.ID]; n = n.Parent {
		t.whole[n.ID] = true
		t.around = append(t.around, n.Outline())
		if n.State != trowel.TaskBlocked || len(n.Upstreams) == 0 || t.listed[&n.Upstreams[0]] {
			continue
		}
		t.listed[&n.Upstreams[0]] = true
		for _, id := range n.Upstreams {
			up := tree.Find(id)
			if up == nil || up.State == trowel.TaskSuccess {
				continue
			}
			if tree.Unreached(up) {
				t.cutOff = append(t.cutOff, id)
			}
			t.around = append(t.around, up.Outline())
		}
	}
}

func itemOf(n *outline.Node) api.TreeItem {
	id := api.ID(n.ID)
	item := api.TreeItem{
		ID: &id, Name: n.Name(), FullName: n.FullName, Depth: int(n.Depth), Index: n.Index(), Kind: "operator", Operator: document.OptText(n.Operator),
		State: n.State.String(), Canceling: n.Flags&trowel.TaskCancelRequested != 0 && !n.State.Done(), Try: int(n.Try),
		ReadyAt: document.OptInstant(n.ReadyAt()), ClaimedAt: document.OptInstant(n.ClaimedAt()), StartedAt: document.OptInstant(n.StartedAt()),
		FinishedAt: document.OptInstant(n.FinishedAt()), RetryAt: document.OptInstant(n.RetryAt()), Children: len(n.Children),
		Agent: document.OptText(n.Agent), HasLog: !n.Group && n.Try > 0, Reused: n.ResumingID != 0, Counts: n.Counts.ByName(),
	}
	switch {
	case n.Made():
		item.Kind = "generated"
	case n.Group:
		item.Kind = "group"
	}
	if n.Parent != nil {
		parent := api.ID(n.Parent.ID)
		item.ParentID = &parent
	}
	for _, up := range n.Upstreams {
		item.Upstreams = append(item.Upstreams, api.ID(up))
	}
	if len(n.Children) == 0 && !n.State.Done() {
		item.ToMake = int(n.Bodies)
	}
	item.File, item.Line = placeOf(n.Place)
	return item
}

// placeOf splits file:line:column. What the place lacks is nil.
func placeOf(place string) (file *string, line *int) {
	rest, _, _ := cutLast(place)
	name, text, ok := cutLast(rest)
	n, err := strconv.Atoi(text)
	if !ok || err != nil {
		return document.OptText(place), nil
	}
	return &name, &n
}

func cutLast(text string) (before, after string, found bool) {
	at := strings.LastIndexByte(text, ':')
	if at < 0 {
		return text, "", false
	}
	return text[:at], text[at+1:], true
}

// complete adds what is not in the tree: tries, reasons, and tasks that are yet to be made.
func (t *treeReader) complete() error {
	var err error
	if t.toMake != 0 {
		err = t.addPlanned()
	}
	if t.request.tries {
		err = errors.Join(err, t.addTries())
	}
	if len(t.waiting) > 0 {
		err = errors.Join(err, t.addReasons())
	}
	return err
}

func (t *treeReader) addTries() error {
	var ids []trowel.TaskID
	at := map[trowel.TaskID]int{}
	for i := range t.page.Items {
		if id := t.page.Items[i].ID; id != nil {
			t.page.Items[i].Tries = &api.List[api.TreeTry]{}
			if t.page.Items[i].HasLog {
				ids = append(ids, trowel.TaskID(*id))
				at[trowel.TaskID(*id)] = i
			}
		}
	}
	tries, err := t.tx.ListTriesAmong(t.Ctx(), t.summary.Attempt.ID, ids)
	for i := range tries {
		try := &tries[i]
		list := t.page.Items[at[try.TaskID]].Tries
		*list = append(*list, api.TreeTry{
			document.OptInstant(try.ReadyAt), document.OptInstant(try.ClaimedAt), document.OptInstant(try.StartedAt), document.OptInstant(try.EndedAt), &try.Exit,
		})
	}
	return err
}

// addReasons explains the tasks of the page that do not run.
func (t *treeReader) addReasons() error {
	if t.summary.Attempt.Flags&trowel.AttemptDone == 0 {
		if err := t.readAdmission(); err != nil {
			return err
		}
	}
	slices.SortFunc(t.around, func(a, b trowel.TaskOutline) int { return int(a.ID - b.ID) })
	t.facts.Tree.Add(t.around...)
	for _, id := range t.cutOff {
		if !t.whole[id] {
			t.facts.Tree.CutOff(id)
		}
	}
	for i := range t.blocked {
		o := &t.blocked[i]
		task := &trowel.Task{
			ID: o.ID, AttemptID: t.summary.Attempt.ID, ParentID: o.ParentID, FullName: o.FullName, State: o.State, Flags: o.Flags, Round: o.Round,
			ParentRound: o.ParentRound, Upstreams: o.Upstreams, WaitReason: o.WaitReason, UpdatedAt: o.UpdatedAt,
		}
		if err := t.readKiller(task); err != nil {
			return err
		}
		t.explain(task)
	}
	return t.explainOthers()
}

func (t *treeReader) explain(task *trowel.Task) {
	if reasons := reason.Explain(task, t.facts); len(reasons) > 0 {
		first := reasonOf(reasons[0])
		t.page.Items[t.waiting[task.ID]].Reason = &first
	}
	delete(t.waiting, task.ID)
}

// maxExplained is how many ready tasks of a page are explained one by one. Of more, those with equal needs share a reason.
const maxExplained = 20

// explainOthers explains tasks that wait for something other than tasks.
func (t *treeReader) explainOthers() error {
	ids := slices.Sorted(maps.Keys(t.waiting))
	if err := t.read(ids...); err != nil {
		return err
	}
	alike := map[string]*api.Reason{} // reasons of ready tasks by what they need
	for _, id := range ids {
		task := t.rows[id]
		if task == nil {
			continue // it has ended meanwhile
		}
		key := ""
		if task.State == trowel.TaskReady && len(ids) > maxExplained {
			key = needsKey(task)
			if known := alike[key]; known != nil {
				t.page.Items[t.waiting[id]].Reason = known
				continue
			}
		}
		if err := t.prepare(task); err != nil {
			return err
		}
		at := t.waiting[id]
		t.explain(task)
		if key != "" {
			alike[key] = t.page.Items[at].Reason
		}
	}
	return nil
}

// needsKey is the same for tasks that wait for the same.
func needsKey(task *trowel.Task) string {
	text, err := json.Marshal([]any{task.Flags, task.Requirements, task.Acquired})
	if err != nil {
		return "" // there are no values that cannot be written
	}
	return string(text)
}

// addPlanned adds the tasks that a task will make, as far as its bodies say.
func (t *treeReader) addPlanned() error {
	if err := t.read(t.toMake); err != nil {
		return err
	}
	owner := t.rows[t.toMake]
	if owner == nil {
		return nil
	}
	for _, key := range []string{"_do", "_else_do"} {
		value, _ := owner.Local.Get(key)
		if body, ok := value.(*param.Map); ok {
			// A body that cannot be compiled makes no tasks: the task will say why.
			if tasks, err := dig.CompileAt(owner.Origin.Of(key), owner.FullName, "^sub", body); err == nil {
				t.planned(owner, tasks)
			}
		}
	}
	t.page.Total.Value = len(t.page.Items)
	return nil
}

// planned adds the tasks of a body. The first one stands for the body, and is left out if it is a group.
func (t *treeReader) planned(owner *trowel.Task, tasks []dig.Task) {
	parent := api.ID(owner.ID)
	depths := make([]int, len(tasks))
	for i := range tasks {
		own := &tasks[i]
		if own.Parent >= 0 {
			depths[i] = depths[own.Parent] + 1
		}
		if i == 0 && own.Group || len(t.page.Items) == t.request.limit {
			depths[i] = -1
			continue
		}
		item := api.TreeItem{
			Name: own.Name, FullName: own.FullName, Depth: t.toMakeDepth + depths[i], Index: len(t.page.Items), Kind: "planned",
			State: trowel.TaskBlocked.String(), Matches: true, Counts: map[string]int{},
		}
		if depths[i] == 0 {
			item.ParentID = &parent
		}
		if !own.Group {
			item.Operator = document.OptText(dig.OperatorOf(own.Local))
		}
		item.File, item.Line = placeOf(own.Origin.Place)
		t.page.Items = append(t.page.Items, item)
	}
}
