package outline

import (
	"strings"
	"time"

	trowel "github.com/trowel-project/trowel"
)

// States is one more than the largest state of a task that is counted.
const States = int(trowel.TaskAwaitingInput) + 1

// Counts are numbers of tasks by state. Those that Tree.Unreached are at Unreached, and not at TaskBlocked.
type Counts [States + 1]int32

// Unreached is the index in Counts of blocked tasks that can never run.
const Unreached = States

// ByName returns the numbers that are not zero, by the name of their state.
func (c *Counts) ByName() map[string]int {
	counts := map[string]int{}
	if c == nil {
		return counts
	}
	for state, n := range c {
		switch {
		case n == 0:
		case state == Unreached:
			counts[string(trowel.WaitNotReached)] = int(n)
		default:
			counts[trowel.TaskState(state).String()] = int(n) //nolint:gosec // an index of an array
		}
	}
	return counts
}

// Node is a task in a Tree. It must not be changed.
type Node struct {
	ID          trowel.TaskID
	FullName    string
	Operator    string // empty for a group
	Place       string // empty if it is not known
	Agent       string // who has or had the last try; empty before the first claim
	Upstreams   []trowel.TaskID
	WaitReason  trowel.WaitCode
	ResumingID  trowel.TaskID
	Parent      *Node   // nil for the root
	Children    []*Node // of the present round, by id
	Counts      *Counts // tasks below that are no groups, without those of earlier rounds; nil for a task without children
	Round       int32
	ParentRound int32
	Try         int32
	Bodies      int32 // tasks in its _do and _else_do
	Flags       trowel.TaskFlags
	State       trowel.TaskState
	Group       bool
	Old         bool // it belongs to an earlier round of its parent, or of a group above
	Depth       int16

	retryAt, readyAt, claimedAt, startedAt, updatedAt int64 // microseconds; zero for never

	parentID trowel.TaskID
	judged   bool  // never is known
	never    bool  // see Tree.Unreached
	shown    int32 // the number of the last selection in which it is, by itself or as what is above
	matched  int32 // the number of the last selection that it matches
}

// nodeBytes is about what a node takes besides its texts and lists.
const nodeBytes = 300

func (n *Node) set(row *trowel.TaskLine) {
	n.ID, n.parentID, n.FullName, n.Operator, n.Place, n.Agent = row.ID, row.ParentID, row.FullName, row.Operator, row.Place, row.AgentID
	n.Upstreams, n.WaitReason, n.ResumingID, n.Group = row.Upstreams, row.WaitReason, row.ResumingID, row.Group
	n.Round, n.ParentRound, n.Try, n.Bodies = int32(row.Round), int32(row.ParentRound), int32(row.Try), int32(row.Bodies) //nolint:gosec // small numbers
	n.State, n.Flags = row.State, row.Flags
	n.retryAt, n.readyAt, n.claimedAt = micros(row.RetryAt), micros(row.ReadyAt), micros(row.ClaimedAt)
	n.startedAt, n.updatedAt = micros(row.StartedAt), micros(row.UpdatedAt)
}

func micros(at time.Time) int64 {
	if at.IsZero() {
		return 0
	}
	return at.UnixMicro()
}

func instant(us int64) time.Time {
	if us == 0 {
		return time.Time{}
	}
	return time.UnixMicro(us).UTC()
}

// ReadyAt is when the task last became ready. Zero before.
func (n *Node) ReadyAt() time.Time { return instant(n.readyAt) }

// ClaimedAt is when the task was last claimed. Zero before.
func (n *Node) ClaimedAt() time.Time { return instant(n.claimedAt) }

// StartedAt is when the task was first claimed; for a group, when the first task below it was. Zero before.
func (n *Node) StartedAt() time.Time { return instant(n.startedAt) }

// RetryAt is when a waiting task is due. Zero otherwise.
func (n *Node) RetryAt() time.Time { return instant(n.retryAt) }

// UpdatedAt is when the task last changed.
func (n *Node) UpdatedAt() time.Time { return instant(n.updatedAt) }

// FinishedAt is when the task ended. Zero before.
func (n *Node) FinishedAt() time.Time {
	if !n.State.Done() {
		return time.Time{}
	}
	return instant(n.updatedAt)
}

// Name is the task's own part of its full name.
func (n *Node) Name() string {
	if n.Parent == nil {
		return n.FullName
	}
	return strings.TrimPrefix(n.FullName, n.Parent.FullName)
}

// Made reports whether the task was made at run time.
func (n *Node) Made() bool {
	return n.Parent != nil && (!n.Parent.Group || n.Flags&trowel.TaskInitial == 0 || strings.HasPrefix(n.Name(), "^"))
}

// took is how long the task has run so far, in microseconds, or ran.
func (n *Node) took(now int64) int64 {
	switch {
	case n.startedAt == 0:
		return 0
	case n.State.Done():
		return n.updatedAt - n.startedAt
	default:
		return now - n.startedAt
	}
}

// Outline returns the outline of the task.
func (n *Node) Outline() trowel.TaskOutline {
	return trowel.TaskOutline{
		ID: n.ID, ParentID: n.parentID, FullName: n.FullName, State: n.State, Flags: n.Flags, Round: int(n.Round), ParentRound: int(n.ParentRound),
		Upstreams: n.Upstreams, WaitReason: n.WaitReason, UpdatedAt: n.UpdatedAt(),
	}
}

// failing reports whether a planned task has failed, so that only what handles the failure still runs.
func (n *Node) failing() bool {
	return n.Flags&(trowel.TaskDelayedError|trowel.TaskDelayedGroupError) != 0
}

// handler reports whether the task handles the failure of its parent.
func (n *Node) handler() bool {
	name := n.Name()
	return strings.HasPrefix(name, "^error") || strings.HasPrefix(name, "^failure-alert")
}
