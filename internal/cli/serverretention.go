package cli

import (
	"context"

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/operator"
	"github.com/trowel-project/trowel/internal/retention"
	"github.com/trowel-project/trowel/internal/tasklog"
	"github.com/trowel-project/trowel/internal/telemetry"
)

// retentionOptions say what this server deletes.
func (p *serverProcess) retentionOptions() retention.Options {
	store := p.meters.metered(p.store, "retention")
	opts := retention.Options{
		Store: store, Now: p.env.Now, Log: p.log, Keep: p.settings.KeepAttempts, KeepValues: operator.ParamTTL,
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
