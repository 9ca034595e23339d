package daemon

import (
	"context"
	"errors"

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/operator"
	"github.com/trowel-project/trowel/internal/retention"
	"github.com/trowel-project/trowel/internal/tasklog"
	"github.com/trowel-project/trowel/internal/telemetry"
)

// retentionOptions returns what this server deletes.
func (p *serverProcess) retentionOptions() retention.Options {
	store := p.meters.metered(p.store, "retention")
	opts := retention.Options{
		Store: store, Now: p.opts.Now, Log: p.log, Keep: p.settings.KeepAttempts, KeepValues: operator.ParamTTL,
		Archives: map[string]retention.Blobs{},
		Deleted:  func(what string, n int) { p.meters.Add(telemetry.RetentionDeleted, float64(n), what) },
	}
	for kind, archives := range p.archives {
		opts.Archives[kind] = archives
	}
	if p.logBlobs != nil {
		opts.DeleteLogs = func(ctx context.Context, id trowel.AttemptID) error {
			return tasklog.Delete(ctx, store, p.logBlobs, id)
		}
	}
	return opts
}

// runRetention deletes what is old, once an hour.
func (p *serverProcess) runRetention(ctx context.Context) error {
	return retention.Run(ctx, p.retentionOptions(), func(err error) {
		result := "success"
		if err != nil {
			result = "error"
		}
		p.meters.Add(telemetry.RetentionPasses, 1, result)
	})
}

// Clean deletes, or only counts, what is old in the database of a server, which may be running or not. The result
// is what it did until an error, or nil if it could not begin.
func Clean(ctx context.Context, opts Options, store trowel.Store, dryRun bool) (*retention.Result, error) {
	p := &serverProcess{opts: opts, settings: opts.Settings, log: opts.Log, meters: newMeters(opts.Now), store: store}
	if err := p.openBlobs(ctx); err != nil {
		return nil, errors.Join(err, p.close())
	}
	clean := p.retentionOptions()
	clean.DryRun = dryRun
	result, err := retention.Clean(ctx, clean)
	return &result, errors.Join(err, p.close())
}
