package operator

import (
	"context"
	"maps"
	"slices"
	"time"

	trowel "github.com/trowel-project/trowel"
)

// StoreParams is a ParamServer in Trowel's own database.
type StoreParams struct {
	Store ParamStore
	Now   func() time.Time
}

// ParamStore is what StoreParams needs of a trowel.Store.
type ParamStore interface {
	Update(ctx context.Context, do func(tx trowel.Tx) error) error
	View(ctx context.Context, do func(tx trowel.Tx) error) error
}

// SetParams implements ParamServer.
func (s *StoreParams) SetParams(ctx context.Context, values map[string]string) error {
	now := s.Now()
	list := make([]trowel.ParamValue, 0, len(values))
	for _, key := range slices.Sorted(maps.Keys(values)) {
		list = append(list, trowel.ParamValue{Key: key, Value: values[key], UpdatedAt: now})
	}
	return s.Store.Update(ctx, func(tx trowel.Tx) error { return tx.PutParamValues(ctx, list) })
}

// FindParams implements ParamServer.
func (s *StoreParams) FindParams(ctx context.Context, keys []string) (map[string]string, error) {
	var list []trowel.ParamValue
	err := s.Store.View(ctx, func(tx trowel.Tx) (err error) {
		list, err = tx.ListParamValues(ctx, keys, s.Now().Add(-ParamTTL))
		return err
	})
	values := map[string]string{}
	for _, v := range list {
		values[v.Key] = v.Value
	}
	return values, err
}
