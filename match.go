package trowel

import (
	"context"
	"time"
)

// NameQuery selects things by what people type of their names.
type NameQuery struct {
	Words   []string  // parts of the name, in any order; letters of ASCII count the same whether they are capital ones
	Project ProjectID // only what belongs to it; zero for all
	Limit   int       // the largest number of results
}

// NamedWorkflow is a workflow of the newest revision of a project.
type NamedWorkflow struct {
	Project  Project
	Name     string
	Revision string // its name
	Zone     string
}

// SessionSpan selects the sessions of a project's workflow, or of all if Project is zero, from an instant until before another one.
type SessionSpan struct {
	Project  ProjectID
	Workflow string // empty if Project is zero
	From, To time.Time
	Limit    int // the largest number of results
}

// MatchTx is the part of a transaction that finds things by their names. Nothing of deleted projects is found.
type MatchTx interface {
	// MatchProjects returns projects with a revision: first those whose name is the last word, then those whose name begins with
	// it, then others.
	MatchProjects(ctx context.Context, q NameQuery) ([]Project, error)
	// MatchWorkflows returns workflows in the order of MatchProjects. A word may also be a part of the name of the project.
	MatchWorkflows(ctx context.Context, q NameQuery) ([]NamedWorkflow, error)
	// MatchRevisions returns revisions whose name begins with the only word, as it is written.
	MatchRevisions(ctx context.Context, q NameQuery) ([]ProjectRevision, error)
	// MatchAttempts returns attempts whose name begins with the only word, as it is written, the newest of each name last. It
	// looks at a few hundred attempts at most.
	MatchAttempts(ctx context.Context, q NameQuery) ([]*AttemptSummary, error)
	// MatchSessions returns the last attempts of sessions, those of the newest session times first.
	MatchSessions(ctx context.Context, span SessionSpan) ([]*AttemptSummary, error)
	// FindTaskAttempt returns the attempt and the full name of a task that is not archived.
	FindTaskAttempt(ctx context.Context, id TaskID) (*AttemptSummary, string, error)
}
