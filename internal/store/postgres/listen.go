package postgres

import (
	"context"
	"log/slog"
	"time"

	"github.com/jackc/pgx/v5"
)

// listener receives notifications on a connection of its own.
type listener struct {
	config *pgx.ConnConfig
	log    *slog.Logger
}

// The wait between two connections grows from the first value to the last.
const (
	firstPause = 50 * time.Millisecond
	lastPause  = 5 * time.Second
)

// listen receives until ctx ends, and makes a new connection when one is lost. After each new connection it calls
// heard with an empty payload, as notifications may have been missed.
func (l *listener) listen(ctx context.Context, channel string, heard func(payload string)) error {
	for pause := firstPause; ; pause = min(2*pause, lastPause) {
		err := l.connected(ctx, channel, func(payload string) {
			pause = firstPause
			heard(payload)
		})
		if cause := context.Cause(ctx); cause != nil {
			return cause
		}
		l.log.Warn("connection for notifications lost", slog.Any("error", err))
		timer := time.NewTimer(pause)
		select {
		case <-ctx.Done():
			timer.Stop()
			return context.Cause(ctx)
		case <-timer.C:
		}
	}
}

// connected receives until the connection is lost. Keep-alive packets detect one that is cut.
func (l *listener) connected(ctx context.Context, channel string, heard func(payload string)) error {
	conn, err := pgx.ConnectConfig(ctx, l.config.Copy())
	if err != nil {
		return err
	}
	defer func() {
		limited, cancel := context.WithTimeout(context.WithoutCancel(ctx), lastPause)
		defer cancel()
		_ = conn.Close(limited) // nothing was written
	}()
	if _, err := conn.Exec(ctx, "LISTEN "+pgx.Identifier{channel}.Sanitize()); err != nil {
		return err
	}
	heard("")
	for {
		n, err := conn.WaitForNotification(ctx)
		if err != nil {
			return err
		}
		heard(n.Payload)
	}
}
