package daemon

import (
	"context"

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/access"
	"github.com/trowel-project/trowel/internal/operator"
	"github.com/trowel-project/trowel/internal/retention"
	"github.com/trowel-project/trowel/internal/tasklog"
	"github.com/trowel-project/trowel/internal/telemetry"
)

// cleaner deletes what is old.
type cleaner struct{ storage *storage }

// options returns what a server deletes.
func (c cleaner) options() retention.Options {
	s := c.storage
	store := s.meters.metered(s.store, "retention")
	opts := retention.Options{
		Store: store, Now: s.opts.Now, Log: s.log, Keep: s.settings.KeepAttempts, KeepValues: operator.ParamTTL, LoginIdle: access.LoginIdle,
		Archives: map[string]retention.Blobs{},
		Deleted:  func(what string, n int) { s.meters.Add(telemetry.RetentionDeleted, float64(n), what) },
	}
	for kind, archives := range s.archives {
		opts.Archives[kind] = archives
	}
	if s.logs != nil {
		opts.DeleteLogs = func(ctx context.Context, id trowel.AttemptID) error {
			return tasklog.Delete(ctx, store, s.logs, id)
		}
	}
	return opts
}

// run deletes what is old, once an hour.
func (c cleaner) run(ctx context.Context) error {
	return retention.Run(ctx, c.options(), func(err error) {
		result := "success"
		if err != nil {
			result = "error"
		}
		c.storage.meters.Add(telemetry.RetentionPasses, 1, result)
	})
}

// Clean deletes, or only counts, what is old in the database of a server, which may be running or not. The result
// is what it did until an error, or nil if it could not begin.
func Clean(ctx context.Context, opts Options, store trowel.Store, dryRun bool) (*retention.Result, error) {
	p := &process{opts: opts, settings: opts.Settings, log: opts.Log}
	c := cleaner{&storage{process: p, meters: newMeters(opts.Now), store: store}}
	if err := c.storage.openBlobs(ctx); err != nil {
		return nil, err
	}
	clean := c.options()
	clean.DryRun = dryRun
	result, err := retention.Clean(ctx, clean)
	return &result, err
}
