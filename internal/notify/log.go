package notify

import (
	"context"
	"log/slog"
)

// Log is the Sender of a server that has no other. It only writes a line in the log.
type Log struct{ log *slog.Logger }

// NewLog returns a Log.
func NewLog(log *slog.Logger) *Log { return &Log{log: log} }

// Send implements Sender. It never fails.
func (l *Log) Send(_ context.Context, n Notification) error {
	l.log.Info("notification", attributes(&n)...)
	return nil
}
