package pool

import (
	"context"
	"fmt"

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/cluster"
	"github.com/trowel-project/trowel/internal/param"
)

// Change asks to create or change a pool. Nil fields stay as they are.
type Change struct {
	Project         trowel.ProjectID // zero for a pool of the site
	Name            string
	Slots           *int // needed for a new pool
	Description     *string
	IncludeDeferred *bool
	// By is the template of the record: its At, ActorKind, Actor, Source and Note say who asks.
	By trowel.AuditRecord
	// DryRun only says what would change.
	DryRun bool
	// Check is called with the present pool, nil if there is none. Its error ends the change. Check may be nil.
	Check func(before *trowel.Pool) error
}

// Actions of a Changed.
const (
	ActionCreate = "create"
	ActionUpdate = "update"
	ActionDelete = "delete"
	ActionNone   = "none" // nothing changed
)

// Changed says what was done to a pool.
type Changed struct {
	Action string
	Before *trowel.Pool // nil for a new one
	After  *trowel.Pool // nil for a deleted one
}

// Set creates or changes a pool. Invalid slots or names are an ErrInvalid. In its transaction nothing may touch limits
// before it.
func Set(ctx context.Context, tx trowel.Tx, c Change) (*Changed, error) {
	if err := c.check(); err != nil {
		return nil, err
	}
	before, err := lock(ctx, tx, c.Project, c.Name, c.Check)
	if err != nil {
		return nil, err
	}
	done := &Changed{Action: ActionUpdate, Before: before, After: c.apply(before)}
	switch {
	case before == nil && c.Slots == nil:
		return nil, &trowel.Error{Kind: trowel.ErrInvalid, Message: fmt.Sprintf("the new pool %q needs a number of slots", c.Name)}
	case before == nil:
		done.Action = ActionCreate
	case same(before, done.After):
		done.Action, done.After = ActionNone, before
	}
	if c.DryRun || done.Action == ActionNone {
		return done, nil
	}
	if before == nil {
		err = tx.InsertPool(ctx, done.After)
	} else {
		err = tx.UpdatePool(ctx, done.After)
	}
	if err != nil {
		return nil, err
	}
	return done, finish(ctx, tx, done, c.By)
}

func (c *Change) check() error {
	if err := trowel.CheckPoolName(c.Name); err != nil {
		return err
	}
	if c.Slots != nil && (*c.Slots < trowel.Unlimited || *c.Slots > trowel.MostSlots) {
		return &trowel.Error{
			Kind: trowel.ErrInvalid, Message: fmt.Sprintf("a pool has %d to %d slots, not %d", trowel.Unlimited, trowel.MostSlots, *c.Slots),
			Hint: "-1 (on the command line: unlimited) is without limit, and 0 starts nothing",
		}
	}
	return nil
}

// lock locks all limits for this transaction and returns a pool; nil if there is none.
func lock(ctx context.Context, tx trowel.Tx, project trowel.ProjectID, name string, check func(*trowel.Pool) error) (*trowel.Pool, error) {
	if err := tx.LockLimits(ctx); err != nil {
		return nil, err
	}
	pools, err := tx.ListPools(ctx)
	if err != nil {
		return nil, err
	}
	found := Find(pools, project, name)
	if check != nil {
		err = check(found)
	}
	return found, err
}

// Find returns the pool of that name in a project, or of the site if project is zero; nil if there is none.
func Find(pools []*trowel.Pool, project trowel.ProjectID, name string) *trowel.Pool {
	for _, p := range pools {
		if p.ProjectID == project && p.Name == name {
			return p
		}
	}
	return nil
}

// apply returns the changed pool.
func (c *Change) apply(before *trowel.Pool) *trowel.Pool {
	after := trowel.Pool{ProjectID: c.Project, Name: c.Name, CreatedAt: c.By.At}
	if before != nil {
		after = *before
	}
	if c.Slots != nil {
		after.Slots = *c.Slots
	}
	if c.Description != nil {
		after.Description = *c.Description
	}
	if c.IncludeDeferred != nil {
		after.IncludeDeferred = *c.IncludeDeferred
	}
	after.Actor, after.UpdatedAt = c.By.Actor, c.By.At
	return &after
}

func same(a, b *trowel.Pool) bool {
	return a.Slots == b.Slots && a.Description == b.Description && a.IncludeDeferred == b.IncludeDeferred
}

// finish recounts the counters, writes the record and notifies all servers.
func finish(ctx context.Context, tx trowel.Tx, done *Changed, by trowel.AuditRecord) error {
	if _, err := tx.RecountCounters(ctx); err != nil {
		return err
	}
	of := done.After
	if of == nil {
		of = done.Before
	}
	by.Action, by.ObjectKind, by.ObjectID = "pool."+done.Action, "pool", fmt.Sprint(int64(of.ID))
	by.Object, by.ProjectID, by.Before, by.After = of.Name, of.ProjectID, settings(done.Before), settings(done.After)
	if err := tx.InsertRecords(ctx, &by); err != nil {
		return err
	}
	return tx.Notify(ctx, cluster.Limits{}.String())
}

// settings is what a record says about a pool.
func settings(p *trowel.Pool) *param.Map {
	if p == nil {
		return nil
	}
	return param.Of("slots", p.Slots, "description", p.Description, "includeDeferred", p.IncludeDeferred)
}
