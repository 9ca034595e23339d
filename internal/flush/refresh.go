package flush

import (
	"context"

	trowel "github.com/trowel-project/trowel"
)

// refreshRequest brings the task tree of an attempt up to date, and loads it if it is not in memory.
// Locking the attempt does that.
type refreshRequest struct {
	unanswered

	attempt trowel.AttemptID
}

func (r *refreshRequest) target() trowel.AttemptID { return r.attempt }

func (*refreshRequest) apply(context.Context, *txn) error { return nil }
