package flush

import (
	"context"
	"log/slog"
	"time"

	trowel "github.com/trowel-project/trowel"
)

// putAsideFor is how long an attempt is left alone that the store refuses to write, or that is not understood.
const putAsideFor = time.Minute

// understood returns an ErrUnknown if a later version has written an attempt, or one of its tasks, in a way that the
// engine does not know.
func understood(row *trowel.Attempt, tasks []*trowel.Task) error {
	err := trowel.CheckKnown(row.ID, row.Flags)
	for i := 0; i < len(tasks) && err == nil; i++ {
		err = trowel.CheckKnownTask(tasks[i])
	}
	return err
}

// leave leaves an attempt alone that is not understood, and logs each new reason once. The attempt is read again
// after a while, and when another server has changed it.
func (l *loader) leave(ctx context.Context, id trowel.AttemptID, version int64, why error) {
	a := l.cache.entry(id)
	if a.leftAlone == nil || a.leftAlone.Error() != why.Error() {
		l.log.WarnContext(ctx, "attempt left alone", slog.Int64("attempt_id", int64(id)), slog.Any("error", why))
		if l.onLeave != nil {
			l.onLeave()
		}
	}
	a.leftAlone, a.version = why, version
	l.timers.drop(a)
	l.putAside(id)
}

// putAside evicts an attempt and loads it again after a while, when the store may take what it refused now.
// Those who wait for its end still do.
func (l *loader) putAside(id trowel.AttemptID) {
	if a := l.cache.get(id); a != nil {
		l.cache.evict(a)
		l.backlog.Drop(id)
		l.timers.setRefresh(a, l.now().Add(putAsideFor))
	}
}

// leaves reports whether nothing is to be done about an attempt without a tree in memory, as it is not understood. If
// it was not, and has changed since, its tree is loaded, which shows whether it is now.
func (l *loader) leaves(ctx context.Context, row *trowel.RunningAttempt) bool {
	if err := trowel.CheckKnown(row.ID, row.Flags); err != nil {
		l.leave(ctx, row.ID, row.Version, err)
		return true
	}
	a := l.cache.get(row.ID)
	if a == nil || a.leftAlone == nil {
		return false
	}
	if a.version != row.Version {
		l.timers.setRefresh(a, l.now())
	}
	a.version = row.Version
	return true
}
