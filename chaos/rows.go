package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/secret"
	"github.com/trowel-project/trowel/internal/tasklog"
)

// checkRows looks at all rows. No server runs.
func (a *arena) checkRows(ctx context.Context) (err error) {
	store, err := a.database.open(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, store.Close()) }()
	c := &rows{arena: a, allowed: map[trowel.Transition]bool{}}
	for _, t := range trowel.Transitions() {
		t.Rule = ""
		c.allowed[t] = true
	}
	err = store.View(ctx, func(tx trowel.Tx) error {
		attempts, err := tx.ListAttempts(ctx, trowel.AttemptFilter{Limit: -1})
		if err != nil {
			return err
		}
		for _, s := range attempts {
			if err := c.attempt(ctx, tx, s); err != nil {
				return fmt.Errorf("check attempt %d: %w", s.Attempt.ID, err)
			}
		}
		c.backfills(attempts)
		for _, p := range a.projects {
			if err := errors.Join(c.secret(ctx, tx, p), c.schedule(ctx, tx, p, attempts)); err != nil {
				return err
			}
		}
		agents, err := tx.ListAgents(ctx)
		if len(agents) > 0 {
			now := time.Now()
			for _, agent := range agents {
				if agent.LeaseEnds.After(now.Add(5 * time.Second)) {
					a.violation("agent %s is there after its end", agent.Name)
				}
			}
		}
		return err
	})
	if err != nil {
		return err
	}
	return c.logs(ctx, store)
}

// rows checks what a database has.
type rows struct {
	*arena

	allowed map[trowel.Transition]bool
	printed []printed
}

// printed is a try that has printed lines.
type printed struct {
	attempt trowel.AttemptID
	try     trowel.Try
}

// attempt checks one attempt: it has ended as it should, and so have its tasks.
func (c *rows) attempt(ctx context.Context, tx trowel.Tx, s *trowel.AttemptSummary) error {
	id := s.Attempt.ID
	if s.Attempt.Flags&trowel.AttemptDone == 0 || s.Attempt.FinishedAt.IsZero() {
		c.violation("attempt %d of %s has not ended", id, s.Session.Workflow)
		return nil
	}
	if want := wanted(s); s.Attempt.Flags&trowel.AttemptCancelRequested == 0 && s.Attempt.Flags.Status() != want {
		c.violation("attempt %d of %s ended as %s, want %s", id, s.Session.Workflow, s.Attempt.Flags.Status(), want)
	}
	live, err := tx.ListTasks(ctx, id, -1)
	if err != nil {
		return err
	}
	if len(live) > 0 {
		c.violation("attempt %d has ended, and has %d live tasks", id, len(live))
	}
	tasks, err := tx.ListArchivedTasks(ctx, id)
	if errors.Is(err, trowel.ErrNotFound) && s.Attempt.Flags&trowel.AttemptCancelRequested != 0 {
		return nil // it was killed before its turn
	}
	if err != nil {
		return err
	}
	if err := c.tries(ctx, tx, id, tasks); err != nil {
		return err
	}
	return c.audits(ctx, tx, id, tasks)
}

// wanted is how an attempt ends that nobody kills.
func wanted(s *trowel.AttemptSummary) string {
	for _, w := range workflows() {
		if w.name == s.Session.Workflow && s.Attempt.Name == "" {
			return w.end
		}
	}
	return endSuccess
}

// tries checks the history of tasks: each try has ended once, no task has succeeded twice, and each
// that is a success by its operator has a try that says so.
func (c *rows) tries(ctx context.Context, tx trowel.Tx, id trowel.AttemptID, tasks []*trowel.Task) error {
	tries, err := tx.ListTries(ctx, id)
	if err != nil {
		return err
	}
	ended, succeeded := map[trowel.TryID]bool{}, map[trowel.TaskID]int{}
	for _, t := range tries {
		c.count("tries")
		key := trowel.TryID{Task: t.TaskID, Number: t.Number}
		if ended[key] {
			c.violation("attempt %d: try %d of %s has ended twice", id, t.Number, t.FullName)
		}
		ended[key] = true
		switch t.Exit {
		case trowel.ExitSuccess:
			succeeded[t.TaskID]++
			if strings.Contains(t.FullName[strings.LastIndexByte(t.FullName, '+'):], "+lines") {
				c.printed = append(c.printed, printed{id, t})
			}
		case trowel.ExitLost:
			c.count("tries lost")
		}
	}
	for _, t := range tasks {
		n := succeeded[t.ID]
		switch {
		case n > 1:
			c.violation("attempt %d: %s has succeeded %d times", id, t.FullName, n)
		case n == 0 && !t.Group && t.State == trowel.TaskSuccess && t.ResumingID == 0:
			c.violation("attempt %d: %s is a success without a try", id, t.FullName)
		case t.State != trowel.TaskBlocked && !t.State.Done():
			c.violation("attempt %d has ended, but %s is %s", id, t.FullName, t.State)
		}
		for number := 1; number <= t.Try; number++ {
			if !ended[trowel.TryID{Task: t.ID, Number: number}] && !t.Group {
				c.violation("attempt %d: try %d of %d of %s has no end", id, number, t.Try, t.FullName)
			}
		}
	}
	return nil
}

// audits checks that each task went from state to state as the table of transitions says, without a
// gap, and never out of a final one.
func (c *rows) audits(ctx context.Context, tx trowel.Tx, id trowel.AttemptID, tasks []*trowel.Task) error {
	entries, err := tx.ListAudits(ctx, id)
	if err != nil {
		return err
	}
	at := map[trowel.TaskID]string{}
	final := map[string]bool{}
	states := map[string]trowel.TaskState{}
	for s := trowel.TaskBlocked; s <= trowel.TaskAwaitingInput; s++ {
		states[s.String()], final[s.String()] = s, s.Done()
	}
	for _, e := range entries {
		if e.TaskID == 0 {
			continue
		}
		before, known := at[e.TaskID]
		switch {
		case final[before]:
			c.violation("attempt %d: task %d leaves %s for %s", id, e.TaskID, before, e.To)
		case known && before != e.From:
			c.violation("attempt %d: task %d was %s, and goes from %s to %s", id, e.TaskID, before, e.From, e.To)
		case known && !c.allowed[trowel.Transition{From: states[e.From], Move: trowel.Move(e.Cause), To: states[e.To]}]:
			c.violation("attempt %d: task %d goes from %s to %s by %s", id, e.TaskID, e.From, e.To, e.Cause)
		}
		at[e.TaskID] = e.To
	}
	for _, t := range tasks {
		got, moved := at[t.ID]
		if !moved && (t.State == trowel.TaskBlocked || t.ResumingID != 0) {
			continue // it never left the state in which it was made
		}
		if got != t.State.String() {
			c.violation("attempt %d: %s is %s, and the audit ends with %q", id, t.FullName, t.State, got)
		}
	}
	return nil
}

// secret checks that the value is the one that was accepted last, or one of later requests.
func (c *rows) secret(ctx context.Context, tx trowel.Tx, p *project) error {
	if p.token.value == "" {
		return nil
	}
	stored, err := tx.FindSecret(ctx, trowel.ProjectID(p.id), trowel.SecretProject, "token")
	if err != nil {
		c.violation("the secret of %s is gone: %v", p.name, err)
		return nil
	}
	crypter, err := secret.NewCrypter(secretKey)
	if err != nil {
		return err
	}
	value, err := crypter.Decrypt(stored.Value)
	if err != nil {
		c.violation("the secret of %s: %v", p.name, err)
		return nil
	}
	if value != p.token.value && !slices.Contains(p.token.maybe, value) {
		c.violation("the secret of %s is %q, want %q", p.name, value, p.token.value)
	}
	return nil
}

// backfills checks that each has all of its sessions or none.
func (c *rows) backfills(attempts []*trowel.AttemptSummary) {
	type key struct {
		project trowel.ProjectID
		name    string
	}
	found := map[key]int{}
	for _, s := range attempts {
		if strings.HasPrefix(s.Attempt.Name, "again-") {
			found[key{s.Project.ID, s.Attempt.Name}]++
		}
	}
	for k, n := range found {
		if n != backfillSessions {
			c.violation("backfill %s has %d attempts, want %d", k.name, n, backfillSessions)
		}
	}
	for _, b := range c.ledger.backfills {
		if found[key{trowel.ProjectID(b.project), b.name}] == 0 {
			c.violation("backfill %s is gone", b.name)
		}
	}
}

// schedule checks that each session of a schedule was started once, and none left out.
func (c *rows) schedule(ctx context.Context, tx trowel.Tx, p *project, attempts []*trowel.AttemptSummary) error {
	if !p.ticks {
		return nil
	}
	project := trowel.ProjectID(p.id)
	started := map[time.Time]int{}
	var last time.Time
	for _, s := range attempts {
		if s.Project.ID == project && s.Session.Workflow == "tick" && s.Attempt.Name == "" {
			started[s.Session.Time]++
			c.count("sessions of schedules")
			if s.Session.Time.After(last) {
				last = s.Session.Time
			}
		}
	}
	first := last
	for at, n := range started {
		if n > 1 {
			c.violation("%s: session %s was started %d times", p.name, at, n)
		}
		if at.Before(first) {
			first = at
		}
	}
	for at := first; at.Before(last); at = at.Add(time.Minute) {
		if started[at] == 0 {
			c.violation("%s: session %s was left out", p.name, at)
		}
	}
	decisions, err := tx.ListDecisions(ctx, project, "tick", 10_000)
	if err != nil {
		return err
	}
	decided := map[time.Time]int{}
	for _, d := range decisions {
		if d.What == trowel.DecisionStarted {
			decided[d.SessionAt]++
		}
	}
	for at, n := range decided {
		if n > 1 || started[at] == 0 {
			c.violation("%s: session %s has %d decisions to start it and %d attempts", p.name, at, n, started[at])
		}
	}
	return nil
}

// logs checks that successful tasks have all lines that they have printed, once and in their order.
func (c *rows) logs(ctx context.Context, store trowel.Store) error {
	blobs, err := c.logBlobs()
	if err != nil {
		return err
	}
	reader := tasklog.NewReader(store, blobs, false)
	for _, p := range c.printed {
		if err := c.log(ctx, reader, p); err != nil {
			return fmt.Errorf("read the log of %s of attempt %d: %w", p.try.FullName, p.attempt, err)
		}
	}
	return nil
}
