package launch

import (
	"context"
	"errors"
	"strings"

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/engine"
	"github.com/trowel-project/trowel/internal/param"
)

// Revisions of a Retry that are not names.
const (
	RevisionSame   = "same"   // that of the earlier attempt
	RevisionLatest = "latest" // the newest one of the project
)

// ModeAll is the mode of a Retry that runs all tasks. The others are those of a Resume.
const ModeAll = "all"

// Retry asks for another attempt of a session, and what it takes over from an earlier one.
type Retry struct {
	Attempt  trowel.AttemptID // the earlier attempt
	Mode     string           // ModeAll, ResumeFailed or ResumeFrom
	From     string           // of ResumeFrom
	Revision string           // RevisionSame, RevisionLatest or the name of a revision
	Params   *param.Map       // merged over those of the earlier attempt
	Name     string           // of the new attempt
	Actor    string
	Record   *trowel.AuditRecord // stored with the new attempt
}

// RetryPlan is what a Retry does when it begins.
type RetryPlan struct {
	Attempt  engine.NewAttempt
	Earlier  *trowel.AttemptSummary
	Revision trowel.Revision // of the new attempt
	Newest   trowel.Revision // of the project
	Run      []RetriedTask   // what will run or may run, in the order of the workflow, without what is generated
	Reused   []RetriedTask   // what counts as done
	Lost     []string        // tasks of the workflow that the earlier attempt had and the new one has not
}

// RetriedTask is a task of a new attempt.
type RetriedTask struct {
	FullName string
	Group    bool
	Before   *trowel.Task // the same task in the earlier attempt; nil if it has none
}

// PlanRetry works out what a Retry does, without doing it. Errors are those of Start.
func (l *Launcher) PlanRetry(ctx context.Context, r Retry) (*RetryPlan, error) {
	p := &RetryPlan{}
	request := Request{RetryName: r.Name, Cause: CauseRetry, Actor: r.Actor, Record: r.Record}
	if r.Mode != ModeAll {
		request.Resume = &Resume{Attempt: r.Attempt, Mode: r.Mode, From: r.From}
	}
	var rows []*trowel.Task
	err := l.Store.View(ctx, func(tx trowel.Tx) (err error) {
		if p.Earlier, err = tx.FindAttemptSummary(ctx, r.Attempt); err != nil {
			return err
		}
		if request.WorkflowID, err = p.workflow(ctx, tx, r.Revision); err != nil {
			return err
		}
		rows, err = tasksOf(ctx, tx, r.Attempt)
		if errors.Is(err, trowel.ErrNotFound) {
			return nil // it has not begun
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	if request.Resume != nil {
		request.Resume.rows = rows
	}
	request.SessionTime, request.Params = p.Earlier.Session.Time, param.Merged(p.Earlier.Attempt.Params, r.Params)
	a, err := l.prepare(ctx, &request)
	if err != nil {
		return nil, err
	}
	p.Attempt, p.Revision = *a, a.Context.Revision
	return p, p.compare(rows)
}

// BeginRetry begins the attempt of a plan. Errors are those of Begin.
func (l *Launcher) BeginRetry(ctx context.Context, p *RetryPlan) (*trowel.AttemptSummary, error) {
	return l.Begin(ctx, p.Attempt)
}

// workflow finds the workflow in the revision that is wanted, and the newest revision.
func (p *RetryPlan) workflow(ctx context.Context, tx trowel.Tx, revision string) (trowel.WorkflowID, error) {
	project, name := p.Earlier.Attempt.ProjectID, p.Earlier.Session.Workflow
	newest, err := tx.FindRevision(ctx, project, "")
	if err != nil {
		return 0, err
	}
	p.Newest = *newest
	switch revision {
	case RevisionSame:
		return p.Earlier.Attempt.WorkflowID, nil
	case RevisionLatest:
		revision = ""
	}
	found, err := tx.FindRevision(ctx, project, revision)
	if errors.Is(err, trowel.ErrNotFound) {
		return 0, trowel.NotFound("revision name=%s in project id=%d", revision, project)
	}
	if err != nil {
		return 0, err
	}
	list, err := tx.ListWorkflows(ctx, trowel.WorkflowFilter{Revision: found.ID, Name: name, Limit: 1})
	if err != nil {
		return 0, err
	}
	if len(list) == 0 {
		missing := trowel.NotFound("workflow name=%s in revision %s of project id=%d", name, found.Name, project)
		missing.Hint = "choose a revision that has the workflow, or that of the attempt"
		return 0, missing
	}
	return list[0].Workflow.ID, nil
}

// compare begins the attempt in memory, and notes which of its tasks count as done.
func (p *RetryPlan) compare(rows []*trowel.Task) error {
	a := &p.Attempt
	_, applied, err := engine.Start(a.Attempt, &a.Context, engine.Begin{Tasks: a.Tasks, Resumed: a.Resumed}, p.Earlier.Attempt.CreatedAt, counting{},
		engine.Limits{Tasks: len(a.Tasks) + 1})
	if err != nil {
		return err
	}
	before := make(map[string]*trowel.Task, len(rows)) // of several tasks of one name the last counts
	for _, row := range rows {
		before[row.FullName] = row
	}
	for _, change := range applied.Changes {
		if !change.New {
			continue
		}
		t := RetriedTask{FullName: change.Task.FullName, Group: change.Task.Group, Before: before[change.Task.FullName]}
		if change.Task.ResumingID != 0 {
			p.Reused = append(p.Reused, t)
		} else {
			p.Run = append(p.Run, t)
		}
		delete(before, t.FullName)
	}
	for _, row := range rows {
		if before[row.FullName] == row && !strings.Contains(row.FullName, "^") {
			p.Lost = append(p.Lost, row.FullName)
		}
	}
	return nil
}

// counting hands out ids of tasks that are never stored.
type counting struct{}

// Next implements engine.IDs.
func (counting) Next(after trowel.TaskID) trowel.TaskID { return after + 1 }
