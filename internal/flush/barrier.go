package flush

import (
	"context"

	trowel "github.com/trowel-project/trowel"
)

// barrierRequest changes nothing. It is answered when everything that was submitted before is written.
type barrierRequest struct{ reply }

func newBarrier() *barrierRequest {
	r := &barrierRequest{}
	r.begin(0, "")
	return r
}

func (*barrierRequest) target() trowel.AttemptID { return 0 }

func (*barrierRequest) apply(context.Context, *txn) error { return nil }
