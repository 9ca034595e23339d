package remote

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"time"

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/api"
)

// silences is after how many silent intervals a stream counts as ended.
const silences = 3

// streams keeps a stream of leases open until ctx ends. After each end it opens another one, on the next server if there
// is one, and waits longer each time that fails. If it dies half-way, the server learns from the next stream what has
// arrived.
func (l *Link) streams(ctx context.Context) {
	retry := newBackoff(min(l.state().Lease/6, 5*time.Second))
	for ctx.Err() == nil {
		server := l.current.Load()
		began := time.Now()
		id, err := l.stream(ctx)
		if ctx.Err() != nil {
			return
		}
		if refused, ok := errors.AsType[*RefusedError](err); ok && refused.Status == http.StatusNotFound {
			if err = l.renew(ctx, id); err == nil {
				err = errRenewed
			}
		}
		switch {
		case errors.Is(err, errLeave) && l.isEnding(): // this agent has said so itself
		case errors.Is(err, errLeave):
			l.opts.Log.InfoContext(ctx, "the server sends this agent elsewhere", slog.String("server", l.server()))
		default:
			l.opts.Log.WarnContext(ctx, "the stream of leases has ended, another one is begun", slog.String("server", l.server()), slog.Any("error", err))
		}
		if !errors.Is(err, errRenewed) {
			l.rotate(server)
		}
		if time.Since(began) > time.Second {
			retry.reset()
		}
		if !retry.sleep(ctx) {
			return
		}
	}
}

var errLeave = errors.New("the server has nothing more for this agent")

// stream is one stream, from beginning to end. The agent already has everything that earlier streams brought, so the
// list of its tries is complete.
func (l *Link) stream(ctx context.Context) (id string, err error) {
	id, list := l.heldTries()
	body, err := encode(list)
	if err != nil {
		return id, err
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	l.mu.Lock()
	l.endStream = cancel
	l.mu.Unlock()
	silence := l.state().KeepAlive * silences
	watchdog := time.AfterFunc(max(silence, connectTime), func() { cancel(fmt.Errorf("nothing was heard for %v", silence)) })
	defer watchdog.Stop()
	res, err := l.open(ctx, http.MethodPost, "/"+id+"/leases", body)
	if err != nil {
		return id, err
	}
	defer res.Body.Close() //nolint:errcheck // it has ended, or is not needed
	lines := json.NewDecoder(bufio.NewReaderSize(res.Body, 16<<10))
	for first := true; ; first = false {
		var message api.AgentMessage
		if err := lines.Decode(&message); err != nil {
			if cause := context.Cause(ctx); cause != nil {
				err = cause
			}
			return id, err
		}
		watchdog.Reset(silence)
		if first {
			l.opts.Log.InfoContext(ctx, "agent connected", slog.String("server", l.server()), slog.Int("held", len(list.Tries)))
			l.reportNow.Set()
		}
		if err := l.obey(ctx, id, &message); err != nil {
			return id, err
		}
	}
}

// obey does what a message says.
func (l *Link) obey(ctx context.Context, id string, m *api.AgentMessage) error {
	if len(m.Leases) > 0 {
		if err := l.accept(id, m.Leases); err != nil {
			return err
		}
	}
	if len(m.Cancel) > 0 {
		l.agent.Cancel(triesOf(m.Cancel))
	}
	if len(m.Lost) > 0 {
		l.lose(ctx, m.Lost)
	}
	if m.Drained != nil {
		l.opts.Log.InfoContext(ctx, "the server drains this agent, or lets it go on", slog.Bool("drained", *m.Drained))
	}
	if m.Leave {
		return errLeave
	}
	return nil
}

// accept takes leases. A lease that is here already came twice and is skipped.
func (l *Link) accept(id string, shapes []api.AgentLease) error {
	leases := make([]*trowel.Lease, 0, len(shapes))
	for i := range shapes {
		lease, err := l.leaseOf(id, &shapes[i])
		if err != nil {
			return err
		}
		leases = append(leases, lease)
	}
	l.mu.Lock()
	if l.settings.ID != id {
		l.mu.Unlock()
		return nil // registered again meanwhile
	}
	fresh := leases[:0]
	for _, lease := range leases {
		if l.tries[lease.ID()] == nil {
			l.tries[lease.ID()] = &held{lease: lease}
			fresh = append(fresh, lease)
		}
	}
	l.mu.Unlock()
	l.agent.Assign(fresh)
	return nil
}

// lose ends tries that the agent has lost. A try whose report is on its way is not lost: the server has taken it
// meanwhile.
func (l *Link) lose(ctx context.Context, list []api.AgentTry) {
	var tries []trowel.TryID
	l.mu.Lock()
	for _, id := range triesOf(list) {
		if h := l.tries[id]; h != nil && h.report == nil {
			tries = append(tries, id)
		}
	}
	l.mu.Unlock()
	if len(tries) == 0 {
		return
	}
	l.opts.Log.WarnContext(ctx, "tries are lost, they are stopped", slog.Int("tries", len(tries)))
	l.agent.Lose(tries)
}

func triesOf(list []api.AgentTry) []trowel.TryID {
	tries := make([]trowel.TryID, len(list))
	for i, t := range list {
		tries[i] = trowel.TryID{Task: trowel.TaskID(t.TaskID), Number: t.Try}
	}
	return tries
}
