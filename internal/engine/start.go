package engine

import (
	"fmt"
	"time"

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/dig"
)

// Start builds the image of a new attempt from its compiled tasks and begins it: the root is
// planned or ready at once, and what has no upstreams follows (language X7, X9). More tasks than
// the limit allows are an ErrLimit with Digdag's text.
func Start(attempt trowel.Attempt, setting *trowel.Setting, tasks []dig.Task, at time.Time, ids IDs, limits Limits) (*Image, Applied, error) {
	if err := CheckSize(tasks, limits); err != nil {
		return nil, Applied{}, err
	}
	img, err := NewImage(attempt, setting, nil)
	if err != nil {
		return nil, Applied{}, err
	}
	a := &applying{img: img, at: at, ids: ids, limits: limits}
	root := a.insert(tasks, nil, nil, trowel.TaskInitial)
	a.unblock(root)
	a.settle()
	return img, a.out, nil
}

// CheckSize tells whether an attempt may begin with so many tasks. The root counts twice (language
// C37).
func CheckSize(tasks []dig.Task, limits Limits) error {
	if len(tasks)+1 > limits.Tasks {
		return tooMany(limits.Tasks, 1, len(tasks))
	}
	return nil
}

// LimitMessage is what is said when an attempt would have too many tasks (language C36).
func LimitMessage(limit, current, adding int) string {
	return fmt.Sprintf("Too many tasks. Limit: %d, Current: %d, Adding: %d", limit, current, adding)
}

func tooMany(limit, current, adding int) error {
	return &trowel.Error{
		Kind:    trowel.ErrLimit,
		Message: LimitMessage(limit, current, adding),
		Hint:    "raise executor.task_max_run, or split the workflow",
	}
}

// insert adds compiled tasks below parent, blocked, and returns the first of them, which is the
// root of the rest. upstreams are those of that root.
func (a *applying) insert(tasks []dig.Task, parent *task, upstreams []trowel.TaskID, flags trowel.TaskFlags) *task {
	nodes := make([]task, len(tasks))
	added := make([]*task, len(tasks))
	lists := map[*int][]trowel.TaskID{}
	for i, spec := range tasks {
		t := &nodes[i]
		added[i] = t
		t.Task = trowel.Task{
			ID: a.nextID(), AttemptID: a.img.Attempt.ID, FullName: spec.FullName, Group: spec.Group,
			Local: spec.Local, Export: spec.Export, Flags: flags, UpdatedAt: a.at,
		}
		switch {
		case spec.Parent >= 0:
			t.ParentID = nodes[spec.Parent].ID
		case parent != nil:
			t.ParentID, t.ParentRound, t.Upstreams = parent.ID, parent.Round, upstreams
		}
		if len(spec.Upstreams) > 0 {
			t.Upstreams = idList(lists, spec.Upstreams, nodes)
		}
	}
	a.img.attach(added)
	for _, t := range added {
		a.out.Changes = append(a.out.Changes, Change{Task: &t.Task, Move: trowel.MoveInsert, To: t.State, New: true})
	}
	return added[0]
}

// idList turns indexes into ids; one slice of indexes becomes one slice of ids, see gate.
func idList(lists map[*int][]trowel.TaskID, indexes []int, nodes []task) []trowel.TaskID {
	known, ok := lists[&indexes[0]]
	if ok && len(known) == len(indexes) {
		return known
	}
	list := make([]trowel.TaskID, len(indexes))
	for i, index := range indexes {
		list[i] = nodes[index].ID
	}
	lists[&indexes[0]] = list
	return list
}

func (a *applying) nextID() trowel.TaskID {
	id := a.ids.Next(a.img.lastID)
	a.img.lastID = id
	return id
}
