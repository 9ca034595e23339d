package trowel

import (
	"context"
	"time"
)

// ParamValue is a value that param_set> keeps for all workflows (operators 6.1).
type ParamValue struct {
	Key       string
	Value     string
	UpdatedAt time.Time
}

// ParamTx is the part of a transaction about the values of param_set> and param_get>.
type ParamTx interface {
	// PutParamValues inserts values, or replaces what their keys had.
	PutParamValues(ctx context.Context, values []ParamValue) error
	// ListParamValues returns the values of those keys that were written at since or later.
	ListParamValues(ctx context.Context, keys []string, since time.Time) ([]ParamValue, error)
	// DeleteParamValues deletes up to limit values that were written before that time, and returns
	// how many it were.
	DeleteParamValues(ctx context.Context, before time.Time, limit int) (int, error)
}
