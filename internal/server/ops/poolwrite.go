package ops

import (
	"errors"
	"fmt"
	"log/slog"

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/api"
	"github.com/trowel-project/trowel/internal/pool"
	"github.com/trowel-project/trowel/internal/server/find"
	"github.com/trowel-project/trowel/internal/server/rest"
	"github.com/trowel-project/trowel/internal/textutil"
)

// Limits hears of changes after which tasks or attempts may begin. A flusher is one.
type Limits interface {
	// LimitsChanged is called after pools have changed.
	LimitsChanged()
	// Admit is called when waiting attempts of a workflow may begin.
	Admit(w trowel.WorkflowName)
}

// poolChanges are the handlers that change pools.
type poolChanges struct{ limits Limits }

// put creates or changes a pool.
func (h *poolChanges) put(c *rest.Call) (any, error) {
	var request api.PoolRequest
	if err := c.Decode(&request); err != nil {
		return nil, err
	}
	return h.change(c, request.DryRun, request.Expect, func(tx trowel.Tx, of poolTarget) (*pool.Changed, error) {
		return pool.Set(c.Ctx(), tx, pool.Change{
			Project: of.project, Name: c.PathText(), Slots: request.Slots, Description: request.Description, IncludeDeferred: request.IncludeDeferred,
			By: recordWithNote(c, request.Note), DryRun: request.DryRun, Check: of.check,
		})
	})
}

// delete deletes a pool. It does not change tasks.
func (h *poolChanges) delete(c *rest.Call) (any, error) {
	dryRun := c.FlagParam("dryRun")
	return h.change(c, dryRun, c.Query.Get("expect"), func(tx trowel.Tx, of poolTarget) (*pool.Changed, error) {
		return pool.Delete(c.Ctx(), tx, pool.Removal{
			Project: of.project, Name: c.PathText(), By: recordWithNote(c, c.Query.Get("note")), DryRun: dryRun, Check: of.check,
		})
	})
}

// recordWithNote returns a record of the caller with a note.
func recordWithNote(c *rest.Call, note string) trowel.AuditRecord {
	by := c.NewRecord()
	by.Note = note
	return by
}

// poolTarget is the project of the pool to change, and the check of the precondition.
type poolTarget struct {
	project trowel.ProjectID
	check   func(before *trowel.Pool) error
}

func (h *poolChanges) change(c *rest.Call, dryRun bool, expect string, change func(trowel.Tx, poolTarget) (*pool.Changed, error)) (any, error) {
	var answer api.PoolChange
	err := c.Update(func(tx trowel.Tx) error {
		project, err := find.ProjectParam(c, tx)
		if err == nil && project == nil {
			err = c.Authorize(0)
		}
		if err != nil {
			return err
		}
		done, err := change(tx, poolTarget{projectID(project), func(before *trowel.Pool) error {
			return rest.CheckPrecondition(expect, poolState(before), fmt.Sprintf("the pool %q", c.PathText()))
		}})
		if err != nil {
			return poolError(c, err, project)
		}
		answer, err = poolChange(c, tx, done, dryRun)
		return err
	})
	if err != nil || dryRun || answer.Action == pool.ActionNone {
		return answer, err
	}
	h.limits.LimitsChanged()
	c.Log().Info("pool changed", slog.String("pool", c.PathText()), slog.String("action", answer.Action), slog.Int("slots", answer.Pool.Slots),
		slog.String("actor", c.Caller.Name))
	return answer, nil
}

// poolError adds a code, a field and a hint to an error.
func poolError(c *rest.Call, err error, project *trowel.Project) error {
	known, ok := errors.AsType[*trowel.Error](err)
	switch {
	case !ok:
		return err
	case errors.Is(err, pool.ErrBuiltIn):
		return rest.Conflict(rest.CodeBuiltIn, "%s", known.Message).WithHint(known.Hint)
	case errors.Is(err, trowel.ErrNotFound):
		return noPool(c, project)
	case errors.Is(err, trowel.ErrInvalid):
		where := "slots"
		if trowel.CheckPoolName(c.PathText()) != nil {
			where = "name"
		}
		return rest.InvalidValue(where, "%s", known.Message).WithHint(known.Hint)
	}
	return err
}

// poolChange returns the document of a change, with what it means to tasks.
func poolChange(c *rest.Call, tx trowel.Tx, done *pool.Changed, dryRun bool) (api.PoolChange, error) {
	of := done.After
	if of == nil {
		of = done.Before
	}
	b, err := readPools(c, tx, of)
	if err != nil {
		return api.PoolChange{}, err
	}
	answer := api.PoolChange{Pool: poolOf(c, b, of), Action: done.Action, DryRun: dryRun, Expect: poolState(done.Before), Notes: api.List[string]{}}
	if done.After == nil {
		answer.Notes = deletedNotes(&answer.Pool)
		return answer, nil
	}
	answer.Startable = answer.Pool.Waiting
	if answer.Pool.Open != nil {
		answer.Startable = b.counts[of.ID].startable(*answer.Pool.Open)
	}
	answer.Notes = setNotes(&answer)
	return answer, nil
}

// deletedNotes say what happens to the tasks of a deleted pool.
func deletedNotes(p *api.Pool) api.List[string] {
	notes := api.List[string]{}
	if p.Used > 0 {
		notes = append(notes, fmt.Sprintf("%s in use: the tasks that hold them run on", textutil.Count(p.Used, "slot is", "slots are")))
	}
	if p.Waiting > 0 {
		notes = append(notes, fmt.Sprintf("%s for it: they wait (pool_missing) until there is a pool %q again", textutil.Count(p.Waiting, "task waits", "tasks wait"), p.Name))
	}
	return notes
}

// setNotes say what happens to the tasks of a new or changed pool.
func setNotes(done *api.PoolChange) api.List[string] {
	notes := api.List[string]{}
	p := &done.Pool
	switch {
	case p.Slots == 0 && p.Project == nil && p.Name == trowel.DefaultPool:
		notes = append(notes, "0 slots: no task that names no pool starts")
	case p.Slots == 0:
		notes = append(notes, "0 slots: no task that names the pool starts")
	case p.Open != nil && *p.Open < 0:
		notes = append(notes, fmt.Sprintf("%d more slots are in use than there are: nothing is stopped, and nothing starts until they are free", -*p.Open))
	}
	if done.Startable > 0 {
		notes = append(notes, fmt.Sprintf("there is room for %s", textutil.Count(done.Startable, "waiting task", "waiting tasks")))
	}
	return notes
}
