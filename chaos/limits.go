package main

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/chaos/verify"
)

// The workflows of a cluster's load share limits. The name of a task says what the task takes, so that the
// checker need not trust how servers read the options. Everything before the first "_" is the task's kind.

// Limits of the load.
const (
	dbSlots        = 3
	webSlots       = 4
	defaultSlots   = 12
	gateLimit      = 2
	perAttempt     = 3
	perWorkflow    = 5
	activeAttempts = 2
	specialQueue   = "special"
)

// makePools makes the pools in a new database.
func (d *database) makePools(ctx context.Context) (err error) {
	store, err := d.create(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, store.Close()) }()
	return store.Update(ctx, func(tx trowel.Tx) error {
		if err := tx.LockLimits(ctx); err != nil {
			return err
		}
		list, err := tx.ListPools(ctx)
		if err != nil {
			return err
		}
		for _, p := range list {
			p.Slots = defaultSlots
			if err := tx.UpdatePool(ctx, p); err != nil {
				return err
			}
		}
		now := time.Now()
		for _, p := range []*trowel.Pool{{Name: "db", Slots: dbSlots, CreatedAt: now, UpdatedAt: now}, {Name: "web", Slots: webSlots, CreatedAt: now, UpdatedAt: now}} {
			if err := tx.InsertPool(ctx, p); err != nil {
				return err
			}
		}
		_, err = tx.RecountCounters(ctx)
		return err
	})
}

// limited returns workflows whose tasks use limits. Tasks of the special queue wait for ever if no agent
// serves it.
func limited(isSpecial bool) []workflow {
	first := `test -e "${marks}/${session_uuid}_limited" || { touch "${marks}/${session_uuid}_limited"; exit 1; }`
	short := "{sh>: sh lines.sh 12 0.1}"
	var wide strings.Builder
	wide.WriteString("max_active_tasks: {per_attempt: 3, per_workflow: 5}\n+all:\n  _parallel: true\n")
	for n := range 12 {
		fmt.Fprintf(&wide, "  +capped_%d: {echo>: '%d'}\n", n, n)
	}
	list := []workflow{
		{"pooled", endSuccess, "_pool: db\n+all:\n  _parallel: true\n  +db_1: " + short + "\n  +db_2: " + short + "\n  +db_3: {echo>: three}\n" +
			"  +wide_1: {_pool: {name: db, slots: 2}, sh>: sh lines.sh 11 0.2}\n  +web_1: {_pool: web, sh>: sh lines.sh 11 0.1}\n" +
			"  +both_1: {_pool: [db, web], _priority_weight: 5, sh>: sh lines.sh 11 0.1}\n  +both_2: {_pool: [db, {name: web, slots: 2}], echo>: both}\n"},
		{"single", endSuccess, "+alone_lines: {_concurrency: 1, _retry: {limit: 3, interval: 1}, sh>: '" + first + "; sh lines.sh 11 0.1'}\n" +
			"+gate_1: {_concurrency: {limit: 2, per: site, key: gate}, sh>: sh lines.sh 11 0.2}\n+db_1: {_pool: db, _queue: default, echo>: one}\n"},
		{"capped", endSuccess, wide.String()},
		{"queueing", endSuccess, "max_active_attempts: 2\n+a: {sh>: sh lines.sh 11 0.2}\n+b: {echo>: b}\n"},
		{"fan", endSuccess, "+fan:\n  loop>: 30\n  _parallel: true\n  _do:\n    +say: {_priority_weight: '${i}', echo>: '${i}'}\n+after: {echo>: after}\n"},
		{"regroup", endSuccess, "+group:\n  _retry: 3\n  _pool: web\n  +web_first: {echo>: first}\n  +web_second: {sh>: '" + first + "'}\n+after: {echo>: after}\n"},
	}
	if !isSpecial {
		return list
	}
	return append(list, workflow{
		"special", endSuccess, "_queue: {name: special, labels: [big]}\n+special_1: {echo>: one}\n" +
			"+special_2: {_pool: web, sh>: sh lines.sh 11 0.1}\n+plain: {_queue: default, echo>: plain}\n",
	})
}

// kindOf returns the kind of a task, from its name.
func kindOf(t *trowel.Task) string {
	name := t.FullName[strings.LastIndexByte(t.FullName, '+')+1:]
	kind, _, _ := strings.Cut(name, "_")
	return kind
}

// bounds returns the limits of the load, for the checker. Slots of agents are among them if the clocks of
// servers are right.
func bounds(isTrue bool) []verify.Bound {
	pool := func(name string, slots int, amount map[string]int) verify.Bound {
		return verify.Bound{Name: "pool " + name, Max: slots, Takes: func(a *verify.Attempt, t *trowel.Task, _ string) (string, int) {
			if a.Workflow == "special" && name == "web" && strings.HasSuffix(t.FullName, "+special_2") {
				return name, 1
			}
			if t.FullName == "+pooled+all+both_2" && name == "web" {
				return name, 2
			}
			return name, amount[kindOf(t)]
		}}
	}
	inPool := map[string]bool{"db": true, "wide": true, "web": true, "both": true}
	list := []verify.Bound{
		pool("db", dbSlots, map[string]int{"db": 1, "wide": 2, "both": 1}),
		pool("web", webSlots, map[string]int{"web": 1, "both": 1}),
		{Name: "pool default", Max: defaultSlots, Takes: func(_ *verify.Attempt, t *trowel.Task, _ string) (string, int) {
			if inPool[kindOf(t)] || strings.HasSuffix(t.FullName, "+special_2") {
				return "", 0
			}
			return "default", 1
		}},
		{Name: "concurrency of a task", Max: 1, Term: verify.UntilDone, Takes: func(a *verify.Attempt, t *trowel.Task, _ string) (string, int) {
			if kindOf(t) != "alone" {
				return "", 0
			}
			return fmt.Sprintf("project %d %s", a.ProjectID, t.FullName), 1
		}},
		{Name: "concurrency of the site", Max: gateLimit, Term: verify.UntilDone, Takes: func(_ *verify.Attempt, t *trowel.Task, _ string) (string, int) {
			if kindOf(t) != "gate" {
				return "", 0
			}
			return "gate", 1
		}},
		{Name: "max_active_tasks of an attempt", Max: perAttempt, Takes: func(a *verify.Attempt, _ *trowel.Task, _ string) (string, int) {
			if a.Workflow != "capped" {
				return "", 0
			}
			return fmt.Sprintf("attempt %d", a.ID), 1
		}},
		{Name: "max_active_tasks of a workflow", Max: perWorkflow, Takes: func(a *verify.Attempt, _ *trowel.Task, _ string) (string, int) {
			if a.Workflow != "capped" {
				return "", 0
			}
			return fmt.Sprintf("project %d", a.ProjectID), 1
		}},
		{Name: "max_active_attempts", Max: activeAttempts, Term: verify.WhileActive, Takes: func(a *verify.Attempt, _ *trowel.Task, _ string) (string, int) {
			if a.Workflow != "queueing" {
				return "", 0
			}
			return fmt.Sprintf("project %d", a.ProjectID), 1
		}},
	}
	if !isTrue {
		return list
	}
	return append(list, verify.Bound{
		Name: "slots", Max: slots, Works: true, Takes: func(_ *verify.Attempt, _ *trowel.Task, agent string) (string, int) { return "agent " + agent, 1 },
	})
}
