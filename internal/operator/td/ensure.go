package td

import (
	"context"

	"github.com/trowel-project/trowel/internal/operator/td/tdclient"
)

// ensure creates a thing unless it exists, and once more if it is not there afterwards (operators 8.2).
func ensure(create func() error, exists func() (bool, error)) error {
	for range 2 {
		if err := create(); err != nil && !tdclient.Exists(err) {
			return err
		}
		if there, err := exists(); err != nil || there {
			return err
		}
	}
	return nil
}

func ensureTable(ctx context.Context, client *tdclient.Client, database, table string) error {
	return ensure(
		func() error { return client.CreateTable(ctx, database, table) },
		func() (bool, error) { return client.HasTable(ctx, database, table) },
	)
}

func ensureDatabase(ctx context.Context, client *tdclient.Client, name string) error {
	return ensure(
		func() error { return client.CreateDatabase(ctx, name) },
		func() (bool, error) { return client.HasDatabase(ctx, name) },
	)
}

// gone returns nil for the error about deleting a thing that there is not.
func gone(err error) error {
	if tdclient.NotFound(err) {
		return nil
	}
	return err
}
