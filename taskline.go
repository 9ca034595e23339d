package trowel

import (
	"context"
	"time"
)

// TaskLine is a task as lists of a whole attempt show it: without its parameters, so that 100,000 of them can be kept. All
// fields but Operator, Bodies and Place are those of Task.
type TaskLine struct {
	ID          TaskID    // the task
	ParentID    TaskID    // zero for the root
	FullName    string    // the path of names from the root
	Group       bool      // it has no operator
	Operator    string    // such as "sh"; empty for a group
	Bodies      int       // how many tasks its _do and _else_do have, which it makes at run time; those inside are not counted
	Place       string    // where it is written; empty if that is not known
	Upstreams   []TaskID  // siblings that must succeed first; one may stand twice
	State       TaskState // the present state
	Flags       TaskFlags // zero for none
	Round       int       // how often its own subtree was repeated
	ParentRound int       // the Round of the parent in which it was made
	Try         int       // the present or last try, from 1; zero before the first claim
	WaitReason  WaitCode  // empty unless it waits
	RetryAt     time.Time // when a waiting task is due; zero otherwise
	ReadyAt     time.Time // when it last became ready; zero before
	ClaimedAt   time.Time // when it was last claimed; zero before
	StartedAt   time.Time // when it was first claimed; zero before
	UpdatedAt   time.Time // when it last changed; for a done task when it ended
	AgentID     string    // who has or had the last try; empty before the first claim
	ResumingID  TaskID    // the task of an earlier attempt whose success stands for this one; zero for none
}

// TaskLineTx is the part of a transaction that reads all tasks of an attempt, without their parameters.
type TaskLineTx interface {
	// EachTaskLine calls f with those live tasks of an attempt whose id is larger than after, in the order of their ids,
	// until f returns an error. The line is f's own.
	EachTaskLine(ctx context.Context, attempt AttemptID, after TaskID, f func(t *TaskLine) error) error
	// FindTaskLines returns the live tasks with these ids, as far as there are any, in the order of their ids.
	FindTaskLines(ctx context.Context, attempt AttemptID, ids []TaskID) ([]*TaskLine, error)
	// EachArchivedLine calls f with the archived tasks of an attempt, in the order of their ids, until f returns an error. If
	// there is no archive, that is an ErrNotFound.
	EachArchivedLine(ctx context.Context, attempt AttemptID, f func(t *TaskLine) error) error
	// HasFewTasks reports whether an attempt has at most so many live tasks. It does not look at more.
	HasFewTasks(ctx context.Context, attempt AttemptID, most int) (bool, error)
	// FindLastAudit returns the largest id of the audit rows of an attempt, or zero if there are none.
	FindLastAudit(ctx context.Context, attempt AttemptID) (int64, error)
	// ListTriesAmong returns the ended tries of some tasks of an attempt, in the order of tasks and numbers.
	ListTriesAmong(ctx context.Context, attempt AttemptID, tasks []TaskID) ([]Try, error)
}
