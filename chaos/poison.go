package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/chaos/verify"
	"github.com/trowel-project/trowel/internal/param"
)

// A task that kills its agents must not kill one after the other for ever. In this mode a few do, and
// other tasks of those agents must survive.

// deadlyName is the workflow of such tasks.
const deadlyName = "deadly"

// deadly returns a workflow with a task that kills its agent, the parent of its shell.
func deadly() workflow {
	return workflow{deadlyName, endError, "+before: {echo>: before}\n+kills: {sh>: 'sleep 1; sh kill.sh $PPID'}\n+never: {echo>: never}\n"}
}

// deadlyScript kills the process with a number, if it is the parent of the shell that has called this. An agent that
// is gone by then may have left its number to another process.
const deadlyScript = `test "$(ps -o ppid= -p $PPID | tr -d ' ')" = "$1" && kill -KILL "$1"
`

// quick returns the workflows whose tasks take less time than a deadly one. Longer ones could be
// lost with its agents again and again.
func quick(list []workflow) []workflow {
	return slices.DeleteFunc(slices.Clone(list), func(w workflow) bool { return w.name == "long" })
}

// poisoning lets tasks kill their agents until the tasks are set aside, two at a time.
func poisoning(ctx context.Context, a *arena) (int, error) {
	const (
		share  = 50 // of the kills, as each kills some agents, and takes as many leases
		atOnce = 2
		most   = 10 * time.Minute
	)
	if err := a.cluster.begin(ctx); err != nil {
		return 0, err
	}
	limited, cancel := context.WithTimeout(ctx, most)
	defer cancel()
	total := max(a.kills/share, atOnce)
	for {
		begun, ended := a.countOf(deadlyName)
		if ended == total {
			return total * a.mode.poison, a.cluster.calm(ctx)
		}
		if p := a.project(0); p != nil && begun < total && begun-ended < atOnce {
			a.startOne(limited, p, a.apart[0])
		}
		if !sleep(limited, 100*time.Millisecond) {
			return 0, fmt.Errorf("%d of %d tasks that kill their agents are not set aside after %v", total-ended, total, most)
		}
	}
}

// poison checks that each task that kills its agents was set aside and says why, that no other was, and that
// the audit has each lost agent once, with its tries.
func (c *rows) poison(ctx context.Context, store trowel.Store) error {
	want := fmt.Sprintf("The task is set aside: %d agents in a row were lost while they ran it", c.mode.poison)
	for _, a := range c.history.Attempts {
		for _, t := range a.Tasks {
			kills := a.Workflow == deadlyName && strings.HasSuffix(t.FullName, "+kills")
			text := param.JSON(t.Error)
			switch aside := strings.Contains(text, want); {
			case aside && !kills:
				c.violation("attempt %d: %s was set aside, and kills nobody: %s", a.ID, t.FullName, text)
			case aside:
				c.count("tasks set aside")
				c.died(a, t)
			case kills:
				c.violation("attempt %d: %s kills its agents, and is %s with the error %s", a.ID, t.FullName, t.State, text)
			}
		}
	}
	if c.counts["tasks set aside"] == 0 {
		c.violation("no task was set aside")
	}
	var records []*trowel.AuditRecord
	err := store.View(ctx, func(tx trowel.Tx) (err error) {
		records, err = tx.ListRecords(ctx, trowel.RecordFilter{Action: trowel.ActionAgentLost, Limit: 10_000})
		return err
	})
	return errors.Join(err, c.lostAgents(records))
}

// died checks that each try of a task was the last one of a different agent.
func (c *rows) died(a *verify.Attempt, t *trowel.Task) {
	agents := map[string]bool{}
	for i := range a.Tries {
		if try := &a.Tries[i]; try.TaskID == t.ID {
			agents[try.AgentID] = true
		}
	}
	if len(agents) != c.mode.poison || t.Try != c.mode.poison {
		c.violation("attempt %d: %s was set aside after %d tries of %d agents, of %d", a.ID, t.FullName, t.Try, len(agents), c.mode.poison)
	}
}

// lostAgents compares the records of lost agents with the tries that were lost.
func (c *rows) lostAgents(records []*trowel.AuditRecord) error {
	lost := map[string]int{}
	for _, a := range c.history.Attempts {
		for i := range a.Tries {
			if a.Tries[i].Exit == trowel.ExitLost {
				lost[a.Tries[i].AgentID]++
			}
		}
	}
	seen := map[string]bool{}
	for _, r := range records {
		tries, err := param.NewReader(r.After).Int("tries")
		if err != nil {
			return fmt.Errorf("record %d: %w", r.ID, err)
		}
		if seen[r.ObjectID] || tries < lost[r.ObjectID] { // a server may have had a result that it had not written yet
			c.violation("the audit has agent %s lost with %d tries (before: %t), and %d were lost", r.ObjectID, tries, seen[r.ObjectID], lost[r.ObjectID])
		}
		seen[r.ObjectID] = true
	}
	for id, tries := range lost {
		if !seen[id] {
			c.violation("the audit does not have agent %s lost, and %d of its tries were", id, tries)
		}
	}
	return nil
}
