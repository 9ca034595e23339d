package engine

import (
	"fmt"
	"time"

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/dig"
)

// NewAttempt is an attempt that will begin: its rows as they will be stored, and its tasks. If its Attempt has an id, it
// is already stored without tasks, because it waited for its turn in a backfill (language S40).
type NewAttempt struct {
	Context trowel.AttemptContext // Project, Revision and Workflow must be stored; Session is found or created
	Attempt trowel.Attempt
	Tasks   []dig.Task
	// Resumed are tasks of an earlier attempt that count as done (see ResumeFailed and ResumeFrom).
	Resumed []*trowel.Task
	// SLATimer is the SLA; nil without one. It gets the id of the attempt.
	SLATimer *trowel.SLATimer
	// KeepTooLarge stores an attempt with too many tasks as a failed one instead of refusing it, see Begin (differs from
	// S27a and S40a, see docs/compatibility.md).
	KeepTooLarge bool
	// Record is the entry of the audit about who asked for it; nil for none. Its object is filled in.
	Record *trowel.AuditRecord
}

// Begin inserts the tasks of an attempt. The root is planned or ready at once, and so are tasks without upstreams
// (language X7, X9). It does nothing if the attempt has tasks or has ended.
type Begin struct {
	Tasks   []dig.Task
	Resumed []*trowel.Task
	// Refused is why the attempt cannot run. Only the root is inserted, and it fails at once with this error, as a group
	// whose children have failed.
	Refused error
	// Wait is why the attempt must not begin yet, WaitAttemptsLimit or WaitWorkflowPaused. Its root stays blocked until
	// Admit. Empty to begin at once.
	Wait trowel.WaitCode
}

func (b Begin) apply(a *applying) {
	if a.img.root != nil {
		return
	}
	if b.Refused != nil {
		a.refuse(b)
		return
	}
	a.img.resume(b.Resumed)
	a.img.Attempt.WaitReason = b.Wait
	root := a.insert(b.Tasks, nil, nil, trowel.TaskInitial)
	if b.Wait == "" {
		a.unblock(root)
	}
	a.img.resume(StillNeeded(b.Resumed))
}

// refuse inserts only the root and lets it fail, with the alert and the workflow's _error tasks, which see the reason.
func (a *applying) refuse(b Begin) {
	only := b.Tasks[0]
	only.Group = true
	root := a.insert([]dig.Task{only}, nil, nil, trowel.TaskInitial)
	a.unblock(root)
	root.Error = errorObject(b.Refused)
	a.insertFailureTrees(root, root.Error, nil)
	root.Flags |= trowel.TaskDelayedGroupError
	a.move(root, trowel.TransitionFailureTasks, trowel.TaskPlanned, true)
	a.then(root, opened)
}

// Start builds the task tree of a new attempt and begins it. Too many tasks are an ErrLimit with Digdag's text.
func Start(attempt trowel.Attempt, setting *trowel.AttemptContext, b Begin, at time.Time, ids IDs, limits Limits) (*TaskTree, Applied, error) {
	if b.Refused == nil {
		if err := CheckSize(b.Tasks, limits); err != nil {
			return nil, Applied{}, err
		}
	}
	img, err := NewTaskTree(attempt, setting, nil)
	if err != nil {
		return nil, Applied{}, err
	}
	return img, img.Apply(b, at, ids, limits), nil
}

// CheckSize returns an error if an attempt may not begin with so many tasks. The root counts twice (language C37).
func CheckSize(tasks []dig.Task, limits Limits) error {
	if len(tasks)+1 > limits.Tasks {
		return tooMany(limits.Tasks, 1, len(tasks))
	}
	return nil
}

// TooManyAttempts is the error when no further attempt may begin (language C40). It is an ErrLimit.
func TooManyAttempts(limit, running int) error {
	return &trowel.Error{
		Kind:    trowel.ErrLimit,
		Message: fmt.Sprintf("Too many attempts running. Limit: %d, Current: %d", limit, running),
		Hint:    "raise executor.attempt_max_run, or wait until some have ended",
	}
}

// LimitHint says what to do about an attempt with too many tasks on a server.
const LimitHint = "split the workflow, or raise executor.task_max_run in the server's configuration"

// LimitMessage is the text about an attempt with too many tasks (language C36).
func LimitMessage(limit, current, adding int) string {
	return fmt.Sprintf("Too many tasks. Limit: %d, Current: %d, Adding: %d", limit, current, adding)
}

func tooMany(limit, current, adding int) error {
	return &trowel.Error{
		Kind:    trowel.ErrLimit,
		Message: LimitMessage(limit, current, adding),
		Hint:    LimitHint,
	}
}

// insert adds compiled tasks below parent, blocked, and returns the first, which is the root of the others. upstreams
// are the upstreams of that root.
func (a *applying) insert(tasks []dig.Task, parent *task, upstreams []trowel.TaskID, flags trowel.TaskFlags) *task {
	round := 0
	if parent != nil {
		round = parent.Round
	}
	return a.insertIn(tasks, parent, round, upstreams, flags)
}

// insertIn is insert for a given round of the parent.
func (a *applying) insertIn(tasks []dig.Task, parent *task, round int, upstreams []trowel.TaskID, flags trowel.TaskFlags) *task {
	nodes := make([]task, len(tasks))
	added := make([]*task, len(tasks))
	lists := map[*int][]trowel.TaskID{}
	for i, spec := range tasks {
		t := &nodes[i]
		added[i] = t
		t.Task = trowel.Task{
			ID: a.nextID(), AttemptID: a.img.Attempt.ID, FullName: spec.FullName, Group: spec.Group,
			Local: spec.Local, Export: spec.Export, Origin: spec.Origin, Flags: flags, UpdatedAt: a.at,
		}
		switch {
		case spec.Parent >= 0:
			t.ParentID = nodes[spec.Parent].ID
		case parent != nil:
			t.ParentID, t.ParentRound, t.Upstreams = parent.ID, round, upstreams
		}
		if len(spec.Upstreams) > 0 {
			t.Upstreams = idList(lists, spec.Upstreams, nodes)
		}
		a.img.takeOver(t)
	}
	a.img.attach(added)
	for _, t := range added {
		a.out.Changes = append(a.out.Changes, Change{Task: &t.Task, Transition: trowel.TransitionInsert, To: t.State, New: true})
	}
	a.tookOver(added, parent)
	return added[0]
}

// idList turns indexes into ids. Tasks that share a slice of indexes share a slice of ids, see barrier.
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
