package pool

import (
	"context"
	"fmt"

	trowel "github.com/trowel-project/trowel"
)

// Removal asks to delete a pool. Its fields are those of a Change.
type Removal struct {
	Project trowel.ProjectID
	Name    string
	By      trowel.AuditRecord
	DryRun  bool
	Check   func(before *trowel.Pool) error
}

// ErrBuiltIn is the ErrConflict of the pool that cannot be deleted (control K802).
var ErrBuiltIn = fmt.Errorf("%w: the pool is built in", trowel.ErrConflict)

// Delete deletes a pool. Tasks that hold its slots run on; tasks that name it wait until a pool of that name exists
// again. A pool that does not exist is an ErrNotFound.
func Delete(ctx context.Context, tx trowel.Tx, r Removal) (*Changed, error) {
	before, err := lock(ctx, tx, r.Project, r.Name, r.Check)
	if err != nil {
		return nil, err
	}
	switch {
	case before == nil:
		return nil, &trowel.Error{Kind: trowel.ErrNotFound, Message: fmt.Sprintf("there is no pool %q", r.Name)}
	case before.ProjectID == 0 && before.Name == trowel.DefaultPool:
		return nil, &trowel.Error{
			Kind: ErrBuiltIn, Message: fmt.Sprintf("the pool %q cannot be deleted: it is that of tasks that name none", r.Name),
			Hint: "give it -1 slots to have no limit: trowel pools set default unlimited",
		}
	}
	done := &Changed{Action: ActionDelete, Before: before}
	if r.DryRun {
		return done, nil
	}
	if err := tx.DeletePool(ctx, before.ID); err != nil {
		return nil, err
	}
	return done, finish(ctx, tx, done, r.By)
}
