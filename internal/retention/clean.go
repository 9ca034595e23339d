package retention

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/wait"
)

// How much one transaction deletes.
const (
	attemptsAtOnce  = 500
	rowsAtOnce      = 5000 // decisions and values are small
	revisionsAtOnce = 50
	blobsAtOnce     = 100
)

// Blobs is the part of a blob.Store that is needed.
type Blobs interface {
	// Delete deletes a blob, if it exists.
	Delete(ctx context.Context, key string) error
}

// Options say what is old. Store, Now and Log are required.
type Options struct {
	Store trowel.Store
	Now   func() time.Time
	Log   *slog.Logger
	// Keep is how long ended attempts, decisions and unused revisions are kept; zero is for ever.
	Keep time.Duration
	// KeepValues is how long values of param_set> are kept after they were written; zero is for ever.
	KeepValues time.Duration
	// LoginIdle is how long a login may be unused before it ends, after which it is deleted; zero deletes none.
	LoginIdle time.Duration
	// Archives are the stores of revisions' files, by type. An archive of a type that is missing here is left for
	// another pass.
	Archives map[string]Blobs
	// DeleteLogs deletes the logs of an attempt outside the database, before its rows are deleted. It may be nil.
	DeleteLogs func(ctx context.Context, id trowel.AttemptID) error
	// DryRun only counts.
	DryRun bool
	// Deleted is called with what was deleted, by the names of Result.Counts. It may be nil.
	Deleted func(what string, n int)
}

// Result is what a pass has deleted, or would delete if it is a dry run.
type Result struct {
	Attempts, Sessions, Decisions, Revisions, Values, Archives, Logins int
}

// Count is a part of a Result.
type Count struct {
	What string // the singular noun
	N    int
}

// Counts returns all parts in a fixed order.
func (r Result) Counts() []Count {
	return []Count{
		{"attempt", r.Attempts},
		{"session", r.Sessions},
		{"decision", r.Decisions},
		{"revision", r.Revisions},
		{"archive", r.Archives},
		{"value", r.Values},
		{"login", r.Logins},
	}
}

// Clean deletes what is old by now. It works in transactions of limited size and sleeps after each as long as that took,
// so that others get their turn. Every transaction leaves the database consistent: after an error or a crash the next
// pass continues where this one stopped. Several passes may run at the same time. The Result is right even if there is
// an error.
func Clean(ctx context.Context, opts Options) (Result, error) {
	p := &pass{opts: opts, now: opts.Now()}
	for _, step := range []func(context.Context) error{p.values, p.attempts, p.decisions, p.revisions, p.pending, p.archives, p.logins} {
		if err := step(ctx); err != nil {
			return p.result, err
		}
	}
	return p.result, nil
}

// pass is one run of Clean.
type pass struct {
	opts   Options
	now    time.Time
	result Result
}

// before returns the instant before which things are old, and whether anything can be.
func (p *pass) before() (time.Time, bool) { return p.now.Add(-p.opts.Keep), p.opts.Keep > 0 }

func (p *pass) deleted(counter *int, what string, n int) {
	*counter += n
	if n > 0 && p.opts.Deleted != nil && !p.opts.DryRun {
		p.opts.Deleted(what, n)
	}
}

// update runs a transaction and then sleeps for as long as that took.
func (p *pass) update(ctx context.Context, f func(tx trowel.Tx) error) error {
	began := p.opts.Now()
	if err := p.opts.Store.Update(ctx, f); err != nil {
		return err
	}
	return wait.Sleep(ctx, min(max(p.opts.Now().Sub(began), minSleep), maxSleep))
}

// The shortest and the longest sleep between two transactions.
const (
	minSleep = 2 * time.Millisecond
	maxSleep = time.Second
)

// attempts deletes old attempts, ordered by id.
func (p *pass) attempts(ctx context.Context) error {
	before, some := p.before()
	if !some {
		return nil
	}
	for after := trowel.AttemptID(0); ; {
		var old []trowel.AttemptID
		err := p.opts.Store.View(ctx, func(tx trowel.Tx) (err error) {
			old, after, err = tx.ListOldAttempts(ctx, before, after, attemptsAtOnce)
			return err
		})
		if err == nil && p.opts.DryRun {
			p.deleted(&p.result.Attempts, "attempt", len(old))
		} else if err == nil && len(old) > 0 {
			err = p.deleteAttempts(ctx, before, old)
		}
		if err != nil || after == 0 {
			return err
		}
	}
}

func (p *pass) deleteAttempts(ctx context.Context, before time.Time, old []trowel.AttemptID) error {
	if p.opts.DeleteLogs != nil {
		for _, id := range old {
			if err := p.opts.DeleteLogs(ctx, id); err != nil {
				return fmt.Errorf("delete the logs of attempt %d: %w", id, err)
			}
		}
	}
	var n trowel.DeletedAttempts
	err := p.update(ctx, func(tx trowel.Tx) (err error) {
		if n, err = tx.DeleteAttempts(ctx, before, old); err != nil || n.Attempts == 0 {
			return err
		}
		return tx.InsertRecords(ctx, &trowel.AuditRecord{
			At: p.now, ActorKind: trowel.ActorServer, Actor: "retention", Source: trowel.SourceServer, Action: "attempt.delete", ObjectKind: "attempt",
			Object: fmt.Sprintf("%d attempts that ended before %s", n.Attempts, before.UTC().Format(time.RFC3339)),
		})
	})
	if err == nil {
		p.deleted(&p.result.Attempts, "attempt", n.Attempts)
		p.deleted(&p.result.Sessions, "session", n.Sessions)
	}
	return err
}

// decisions deletes old decisions about sessions of schedules.
func (p *pass) decisions(ctx context.Context) error {
	before, some := p.before()
	if !some {
		return nil
	}
	return p.rows(ctx, &p.result.Decisions, "decision",
		func(tx trowel.Tx) (int, error) { return tx.CountDecisions(ctx, before) },
		func(tx trowel.Tx) (int, error) { return tx.DeleteDecisions(ctx, before, rowsAtOnce) })
}

// values deletes values that can no longer be read (operators 6.1).
func (p *pass) values(ctx context.Context) error {
	if p.opts.KeepValues <= 0 {
		return nil
	}
	before := p.now.Add(-p.opts.KeepValues)
	return p.rows(ctx, &p.result.Values, "value",
		func(tx trowel.Tx) (int, error) { return tx.CountParamValues(ctx, before) },
		func(tx trowel.Tx) (int, error) { return tx.DeleteParamValues(ctx, before, rowsAtOnce) })
}

// logins deletes logins of browsers that have ended.
func (p *pass) logins(ctx context.Context) error {
	if p.opts.LoginIdle <= 0 {
		return nil
	}
	before := p.now.Add(-p.opts.LoginIdle)
	return p.rows(ctx, &p.result.Logins, "login",
		func(tx trowel.Tx) (int, error) { return tx.CountEndedLogins(ctx, before, p.now) },
		func(tx trowel.Tx) (int, error) { return tx.DeleteEndedLogins(ctx, before, p.now, rowsAtOnce) })
}

// rows deletes rows until none is left, or counts them.
func (p *pass) rows(ctx context.Context, counter *int, what string, count, remove func(tx trowel.Tx) (int, error)) error {
	var n int
	if p.opts.DryRun {
		err := p.opts.Store.View(ctx, func(tx trowel.Tx) (err error) {
			n, err = count(tx)
			return err
		})
		p.deleted(counter, what, n)
		return err
	}
	for {
		err := p.update(ctx, func(tx trowel.Tx) (err error) {
			n, err = remove(tx)
			return err
		})
		if err != nil || n == 0 {
			return err
		}
		p.deleted(counter, what, n)
	}
}

// revisions deletes revisions that nothing refers to, project by project.
func (p *pass) revisions(ctx context.Context) error {
	before, some := p.before()
	if !some {
		return nil
	}
	for after := trowel.RevisionID(0); ; {
		var old []trowel.OldRevision
		err := p.opts.Store.View(ctx, func(tx trowel.Tx) (err error) {
			old, err = tx.ListOldRevisions(ctx, before, after, revisionsAtOnce)
			return err
		})
		if err != nil {
			return err
		}
		if p.opts.DryRun {
			p.deleted(&p.result.Revisions, "revision", len(old))
		} else if err := p.deleteRevisions(ctx, before, old); err != nil {
			return err
		}
		if len(old) < revisionsAtOnce {
			return nil
		}
		after = old[len(old)-1].ID
	}
}

func (p *pass) deleteRevisions(ctx context.Context, before time.Time, old []trowel.OldRevision) error {
	byProject := map[trowel.ProjectID][]trowel.RevisionID{}
	for _, r := range old {
		byProject[r.ProjectID] = append(byProject[r.ProjectID], r.ID)
	}
	for project, ids := range byProject {
		n := 0
		err := p.update(ctx, func(tx trowel.Tx) error {
			var archives []trowel.Archive
			var err error
			if n, archives, err = tx.DeleteRevisions(ctx, before, project, ids); err != nil {
				return err
			}
			return doom(ctx, tx, archives)
		})
		if errors.Is(err, trowel.ErrConflict) { // an attempt of one of them is beginning; the next pass looks again
			continue
		}
		if err != nil {
			return err
		}
		p.deleted(&p.result.Revisions, "revision", n)
	}
	return nil
}
