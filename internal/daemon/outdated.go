package daemon

import (
	"context"
	"log/slog"

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/telemetry"
)

// outdated ends the server, as later versions alone may write to the database. It does not wait.
func (p *serverProcess) outdated(err error) {
	select {
	case p.failures <- err:
	default: // it ends already
	}
}

// leftAlone counts an attempt that is left alone.
func (p *serverProcess) leftAlone() { p.meters.Add(telemetry.AttemptsLeftAlone, 1) }

// checkWriters looks whether this server may still write to the database.
func (p *serverProcess) checkWriters() {
	ctx, cancel := context.WithTimeout(p.partsCtx, requestTimeout)
	defer cancel()
	var writers trowel.Writers
	err := p.store.View(ctx, func(tx trowel.Tx) (err error) {
		writers, err = tx.FindWriters(ctx)
		return err
	})
	if err != nil {
		if ctx.Err() == nil {
			p.log.WarnContext(ctx, "not known who may write to the database", slog.Any("error", err))
		}
		return
	}
	if err := writers.Check(); err != nil {
		p.outdated(err)
	}
}
