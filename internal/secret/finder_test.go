package secret_test

import (
	"context"

	"github.com/trowel-project/trowel/internal/secret"
)

// finderFunc is a Finder made of a function.
type finderFunc func(key string) (secret.Value, bool, error)

func (f finderFunc) Find(_ context.Context, key string) (secret.Value, bool, error) { return f(key) }
