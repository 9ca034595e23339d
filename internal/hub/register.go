package hub

import (
	"context"
	"fmt"
	"log/slog"
	"slices"
	"strings"

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/api"
)

// Bounds of what an agent says about itself.
const (
	maxSlots = 10_000
	maxNames = 100 // of queues, and of labels
	maxName  = 200 // bytes
)

// Register stores a new agent under a new id. Its lease begins now; it gets tasks once it has connected.
func (h *Hub) Register(ctx context.Context, token trowel.TokenID, r api.AgentRegistration) (api.AgentRegistered, error) {
	if h.isDraining() {
		return api.AgentRegistered{}, ending()
	}
	if err := checkRegistration(&r); err != nil {
		return api.AgentRegistered{}, err
	}
	row := trowel.Agent{
		Name: r.Name, Host: r.Host, Version: r.Version, Slots: r.Slots, Queues: r.Queues, Labels: r.Labels,
		Remote: true, ServerID: h.opts.ServerID, Token: token,
	}
	if l := r.Limits; l != nil {
		row.Limits = trowel.KeptLimits{Names: l.Names, Container: l.Container, Max: trowel.CommandLimits(l.Max)}
	}
	if err := h.opts.Renewals.Register(ctx, &row); err != nil {
		return api.AgentRegistered{}, err
	}
	h.opts.Flusher.Resync()
	h.opts.Log.InfoContext(ctx, "agent registered", slog.String("agent", row.Name), slog.String("id", row.ID), slog.String("host", row.Host),
		slog.String("version", row.Version), slog.Int("slots", row.Slots))
	return api.AgentRegistered{
		ID: row.ID, Server: h.opts.Version, HeartbeatMs: h.opts.Heartbeat.Milliseconds(), LeaseMs: h.opts.Lease.Milliseconds(),
		KeepAliveMs: h.keepAlive.Milliseconds(), NowMicros: micros(h.opts.Now()), TaskLimit: h.opts.TaskLimit, MaxReportBytes: h.opts.MaxReport,
	}, nil
}

// checkRegistration refuses what cannot be stored or displayed.
func checkRegistration(r *api.AgentRegistration) error {
	for _, text := range []struct{ what, value string }{{"name", r.Name}, {"host", r.Host}, {"version", r.Version}} {
		if err := checkName(text.what, text.value); err != nil {
			return err
		}
	}
	for _, list := range []struct {
		what  string
		names []string
	}{{"queue", r.Queues}, {"label", r.Labels}} {
		if len(list.names) > maxNames {
			return invalid("an agent has at most %d names of a %s, not %d", maxNames, list.what, len(list.names))
		}
		for _, name := range list.names {
			if err := checkName("name of a "+list.what, name); err != nil {
				return err
			}
		}
		slices.Sort(list.names)
	}
	if err := checkLimits(r.Limits); err != nil {
		return err
	}
	if r.Slots < 1 || r.Slots > maxSlots {
		return invalid("slots must be 1 to %d, not %d", maxSlots, r.Slots)
	}
	return nil
}

// checkLimits refuses limits without meaning. Names that this version does not know are left out.
func checkLimits(l *api.KeptLimits) error {
	if l == nil {
		return nil
	}
	if m := l.Max; m.Memory < 0 || !(m.CPU >= 0) || m.PIDs < 0 || m.Disk < 0 {
		return invalid("the bounds of an agent's limits must not be negative")
	}
	unknown := func(name string) bool { return !slices.Contains(trowel.LimitNames(), name) }
	l.Names, l.Container = slices.DeleteFunc(l.Names, unknown), slices.DeleteFunc(l.Container, unknown)
	return nil
}

func checkName(what, text string) error {
	if text == "" || len(text) > maxName || strings.ContainsFunc(text, func(r rune) bool { return !trowel.IsShown(r) }) {
		return invalid("the agent's %s must have 1 to %d bytes without control characters, not %.60q", what, maxName, text)
	}
	return nil
}

func invalid(format string, args ...any) error {
	return &trowel.Error{Kind: trowel.ErrInvalid, Message: fmt.Sprintf(format, args...)}
}

// Leave deletes an agent that has ended. Tasks that it may still run are free for others at once. An agent that does not
// exist is an ErrNotFound.
func (h *Hub) Leave(ctx context.Context, id string, token trowel.TokenID) error {
	err := h.opts.Store.Update(ctx, func(tx trowel.Tx) error {
		if err := find(ctx, tx, id, token); err != nil {
			return err
		}
		return tx.DeleteAgent(ctx, id)
	})
	if err != nil {
		return err
	}
	if p := h.find(id); p != nil {
		h.forget(p, "it has ended")
	}
	return nil
}

// Beat renews the lease of an agent, and returns which of its tries it has lost. It waits up to a second for heartbeats
// of other agents. An agent whose row is gone is an ErrNotFound.
func (h *Hub) Beat(ctx context.Context, id string, token trowel.TokenID, held api.AgentHeld) (api.AgentBeat, error) {
	p := h.find(id)
	if p == nil {
		return h.beatElsewhere(ctx, id, token, held)
	}
	if err := p.check(token); err != nil {
		return api.AgentBeat{}, err
	}
	h.heard(ctx, p, &held)
	renewed, err := h.opts.Renewals.Renew(ctx, id)
	if err != nil {
		return api.AgentBeat{}, err
	}
	if !renewed {
		h.forget(p, "its lease has ended")
		return api.AgentBeat{}, unknown(id)
	}
	if p.alive(held.Resting) {
		h.opts.Flusher.Attach(p) // the flusher may have removed it
	}
	beat := api.AgentBeat{NowMicros: micros(h.opts.Now()), Lost: []api.AgentTry{}}
	if len(held.Tries) == 0 && p.idle() {
		return beat, nil // most heartbeats cost no query of their own
	}
	defer h.endings.read()()
	running, err := h.own(ctx, id, token)
	if err != nil {
		return api.AgentBeat{}, err
	}
	lost, again := p.compare(running, triesOf(held.Tries))
	h.opts.Flusher.Wake() // there may be a free slot that the flusher does not know of
	beat.Lost = append(beat.Lost, shapesOf(lost)...)
	if len(again) > 0 {
		h.opts.Log.WarnContext(ctx, "leases are sent again", slog.String("agent", p.name()), slog.Int("tries", len(again)))
		err = h.opts.Flusher.Resend(ctx, id, again)
	}
	return beat, err
}

// heard notes that an agent takes no new tasks, and stores its suspend reason, or that it has resumed. If storing fails,
// the next heartbeat tries again.
func (h *Hub) heard(ctx context.Context, p *peer, held *api.AgentHeld) {
	if held.Resting {
		p.suspend()
	}
	reason := strings.ToValidUTF8(held.Reason[:min(len(held.Reason), maxReason)], "")
	if reason == p.suspendReason() {
		return
	}
	err := h.opts.Store.Update(ctx, func(tx trowel.Tx) error { return tx.SuspendAgent(ctx, p.id, reason) })
	if err == nil {
		p.setSuspendReason(reason)
	}
	switch {
	case err != nil:
		h.opts.Log.WarnContext(ctx, "it is not stored whether an agent takes tasks", slog.String("agent", p.name()), slog.Any("error", err))
	case reason == "":
		h.opts.Log.InfoContext(ctx, "agent takes tasks again", slog.String("agent", p.name()))
	default:
		h.opts.Log.WarnContext(ctx, "agent takes no tasks for a while", slog.String("agent", p.name()), slog.String("reason", reason))
	}
}

// beatElsewhere is Beat for an agent that is not connected to this server.
func (h *Hub) beatElsewhere(ctx context.Context, id string, token trowel.TokenID, held api.AgentHeld) (api.AgentBeat, error) {
	running, err := h.own(ctx, id, token)
	if err != nil {
		return api.AgentBeat{}, err
	}
	renewed, err := h.opts.Renewals.Renew(ctx, id)
	if err != nil {
		return api.AgentBeat{}, err
	}
	if !renewed {
		return api.AgentBeat{}, unknown(id)
	}
	beat := api.AgentBeat{NowMicros: micros(h.opts.Now()), Lost: []api.AgentTry{}}
	for _, t := range held.Tries {
		if _, runs := running[tryOf(t)]; !runs {
			beat.Lost = append(beat.Lost, t)
		}
	}
	return beat, nil
}
