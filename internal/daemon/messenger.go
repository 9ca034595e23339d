package daemon

import (
	"context"
	"log/slog"

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/cluster"
	"github.com/trowel-project/trowel/internal/flush"
	"github.com/trowel-project/trowel/internal/scheduler"
	"github.com/trowel-project/trowel/internal/server/events"
)

// messenger acts on the messages of the servers on one database, this one among them, and sends those about schedules.
type messenger struct {
	*process

	storage   *storage
	events    *events.Feed
	flusher   *flush.Flusher
	scheduler *scheduler.Scheduler // nil if this server has none
	agents    *serverAgents
	// recheckLogins ends streams of browsers that were signed out.
	recheckLogins func()
}

// listen acts on messages until ctx ends.
func (m *messenger) listen(ctx context.Context) error {
	return m.storage.store.Listen(ctx, m.heard)
}

// heard acts on a message. Nobody waits for the database here.
func (m *messenger) heard(text string) {
	message := cluster.Parse(text)
	m.events.Publish(streamEvents(message)...)
	switch c := message.(type) {
	case cluster.Gap:
		m.flusher.Resync()
		m.wakeScheduler()
		m.parts.background(m.checkWriters)
		m.recheckLogins()
	case cluster.Logins:
		m.recheckLogins()
	case cluster.Writers:
		m.parts.background(m.checkWriters)
	case cluster.Schedules:
		m.wakeScheduler()
	case cluster.Limits:
		m.flusher.LimitsChanged()
	case cluster.Admit:
		m.flusher.Admit(trowel.WorkflowName(c))
		m.wakeScheduler()
	case cluster.Agents:
		m.parts.background(m.agents.refresh)
	case cluster.Attempts:
		m.flusher.OnNotify(c)
		if m.scheduler != nil {
			m.scheduler.AttemptsEnded()
		}
	}
}

func (m *messenger) wakeScheduler() {
	if m.scheduler != nil {
		m.scheduler.Wake()
	}
}

// schedulesChanged wakes the schedulers of all servers. one is the schedule that was changed, or nil if there are
// several.
func (m *messenger) schedulesChanged(one *trowel.Schedule) {
	m.wakeScheduler()
	if m.storage.exclusive {
		return
	}
	var message cluster.Schedules // any
	if one != nil {
		message = cluster.Schedules{ID: one.ID, ProjectID: one.ProjectID, Workflow: one.Workflow}
	}
	m.parts.background(func(ctx context.Context) {
		// If the message gets lost, the other servers look for themselves soon.
		_ = m.storage.store.Update(ctx, func(tx trowel.Tx) error { return tx.Notify(ctx, message.String()) })
	})
}

// checkWriters ends the server if only later versions may write to the database.
func (m *messenger) checkWriters(ctx context.Context) {
	var writers trowel.Writers
	err := m.storage.store.View(ctx, func(tx trowel.Tx) (err error) {
		writers, err = tx.FindWriters(ctx)
		return err
	})
	if err != nil {
		if ctx.Err() == nil {
			m.log.WarnContext(ctx, "not known who may write to the database", slog.Any("error", err))
		}
		return
	}
	if err := writers.Check(); err != nil {
		m.parts.fail(err)
	}
}
