package remote

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"time"

	"github.com/trowel-project/trowel/internal/api"
)

// beats renews the lease until ctx ends. A timer wakes it, and so does Drain; after a failure it tries again sooner. If
// servers have refused the agent for longer than a lease, it has lost its tries: they are stopped, and beats returns an
// error.
func (l *Link) beats(ctx context.Context) error {
	timer := time.NewTimer(l.state().Heartbeat)
	defer timer.Stop()
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-timer.C:
		case <-l.beatNow:
		}
		s := l.state()
		delay := s.Heartbeat
		if err := l.beat(ctx, &s); err != nil && ctx.Err() == nil {
			l.opts.Log.WarnContext(ctx, "lease not renewed", slog.String("server", l.server()), slog.Any("error", err))
			if refused, ok := errors.AsType[*RefusedError](err); ok && refused.lasting() && l.overdue(&s) {
				l.drop()
				return err
			}
			delay = min(delay, time.Second)
		}
		timer.Reset(delay)
	}
}

// overdue reports whether the last answered heartbeat is longer ago than a lease.
func (l *Link) overdue(s *Settings) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.opts.Now().Sub(l.lastBeat) > s.Lease
}

func (l *Link) beat(ctx context.Context, s *Settings) error {
	id, held := l.heldTries()
	var got api.AgentBeat
	err := l.post(ctx, max(s.Lease/2, time.Second), "/"+id+"/heartbeat", held, &got)
	if refused, ok := errors.AsType[*RefusedError](err); ok && refused.Status == http.StatusNotFound {
		return l.renew(ctx, id)
	}
	if err != nil {
		return err
	}
	l.setClock(got.NowMicros)
	l.mu.Lock()
	l.lastBeat = l.opts.Now()
	l.mu.Unlock()
	if len(got.Lost) > 0 {
		l.lose(ctx, got.Lost)
	}
	return nil
}
