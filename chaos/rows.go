package main

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/chaos/verify"
	"github.com/trowel-project/trowel/internal/secret"
	"github.com/trowel-project/trowel/internal/tasklog"
)

// checkRows checks all rows, while no server runs.
func (a *arena) checkRows(ctx context.Context) (err error) {
	store, err := a.database.open(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, store.Close()) }()
	c := &rows{arena: a}
	if c.history, err = a.database.history(ctx); err != nil {
		return err
	}
	c.history.Poison = a.mode.poison
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
	if a.mode.poison > 0 {
		if err := c.poison(ctx, store); err != nil {
			return err
		}
	}
	findings := verify.Judge(&c.history.History, a.bounds)
	for _, finding := range findings {
		a.violation("%s", finding)
	}
	if len(findings) > 0 {
		if err := c.history.write(filepath.Join(a.dir, "history.log")); err != nil {
			return err
		}
	}
	return c.logs(ctx, store)
}

// rows checks the content of a database.
type rows struct {
	*arena

	history *history
	printed []printed
}

// printed is a try that has printed lines.
type printed struct {
	attempt trowel.AttemptID
	try     trowel.Try
}

// attempt reads one attempt, and checks that it has ended as it should.
func (c *rows) attempt(ctx context.Context, tx trowel.Tx, s *trowel.AttemptSummary) error {
	a, err := c.history.add(ctx, tx, s)
	if err != nil {
		return err
	}
	if want := c.wanted(s); a.Flags&trowel.AttemptDone != 0 && a.Flags&trowel.AttemptCancelRequested == 0 && a.Flags.Status() != want {
		c.violation("attempt %d of %s ended as %s, want %s", a.ID, a.Workflow, a.Flags.Status(), want)
	}
	byID := map[trowel.TaskID]*trowel.Task{}
	for _, t := range a.Tasks {
		byID[t.ID] = t
	}
	for _, t := range a.Tries {
		c.count("tries")
		if task := byID[t.TaskID]; c.cluster != nil && task != nil {
			c.cluster.served(a, task, &t)
		}
		switch t.Exit {
		case trowel.ExitSuccess:
			if strings.Contains(t.FullName[strings.LastIndexByte(t.FullName, '+'):], "+lines") {
				c.printed = append(c.printed, printed{a.ID, t})
			}
		case trowel.ExitLost:
			c.count("tries lost")
		}
	}
	return nil
}

// wanted returns how an attempt should end that nobody kills.
func (l *load) wanted(s *trowel.AttemptSummary) string {
	for _, w := range append(slices.Clone(l.workflows), l.apart...) {
		if w.name == s.Session.Workflow && s.Attempt.Name == "" {
			return w.end
		}
	}
	return endSuccess
}

// secret checks that the value is the last accepted one, or one of later requests.
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
	value, _, err := crypter.Decrypt(secret.PlaceOf(stored), stored.Value)
	if err != nil {
		c.violation("the secret of %s: %v", p.name, err)
		return nil
	}
	if value != p.token.value && !slices.Contains(p.token.maybe, value) {
		c.violation("the secret of %s is %q, want %q", p.name, value, p.token.value)
	}
	return nil
}

// backfills checks that each backfill has all of its sessions or none.
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

// schedule checks that each session of a schedule was started once.
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
	decisions, err := tx.ListDecisions(ctx, trowel.DecisionFilter{Project: project, Workflow: "tick", Limit: 10_000})
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

// logs checks that successful tasks have all lines that they printed, once and in order.
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
