package trowel

import (
	"context"
	"time"
)

// ParamValue is a value that param_set> keeps for all workflows (operators 6.1).
type ParamValue struct {
	Key       string    // the name under which param_get> asks for it
	Value     string    // the value as a text
	UpdatedAt time.Time // when it was last set
}

// ParamTx is the part of a transaction about the values of param_set> and param_get>.
type ParamTx interface {
	// PutParamValues inserts values, or replaces those of their keys.
	PutParamValues(ctx context.Context, values []ParamValue) error
	// ListParamValues returns the values of those keys that were set at since or later.
	ListParamValues(ctx context.Context, keys []string, since time.Time) ([]ParamValue, error)
	// DeleteParamValues deletes up to limit values that were set before an instant, and returns their number.
	DeleteParamValues(ctx context.Context, before time.Time, limit int) (int, error)
}
