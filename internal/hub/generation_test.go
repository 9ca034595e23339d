package hub

import (
	"context"
	"log/slog"
	"testing"
	"time"

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/api"
	"github.com/trowel-project/trowel/internal/queue"
	"github.com/trowel-project/trowel/internal/trowtest"
)

// hookedStore does something before each Update, and after each View.
type hookedStore struct {
	trowel.Store

	before, after func()
}

func (m *hookedStore) Update(ctx context.Context, f func(tx trowel.Tx) error) error {
	if before := m.before; before != nil {
		m.before = nil
		before()
	}
	return m.Store.Update(ctx, f)
}

func (m *hookedStore) View(ctx context.Context, f func(tx trowel.Tx) error) error {
	err := m.Store.View(ctx, f)
	if after := m.after; after != nil {
		m.after = nil
		after()
	}
	return err
}

// idleFlusher is a flusher that claims nothing.
type idleFlusher struct{ attached map[string]bool }

func (f *idleFlusher) Attach(a queue.Agent) { f.attached[a.ID()] = true }

func (f *idleFlusher) Detach(id string)                                     { delete(f.attached, id) }
func (f *idleFlusher) Resend(context.Context, string, []trowel.TryID) error { return nil }
func (f *idleFlusher) Wake()                                                {}
func (f *idleFlusher) Resync()                                              {}

// An agent that comes from another server stays, whenever its row is compared: before the row names this
// server, or with a row that was read before that.
func TestConnectWhileRowsAreRead(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name string
		play func(t *testing.T, m *hookedStore, connect, refresh func())
	}{
		{"compared before the row is written", func(_ *testing.T, m *hookedStore, connect, refresh func()) {
			m.before = refresh
			connect()
		}},
		{"compared with an old row", func(_ *testing.T, m *hookedStore, connect, refresh func()) {
			m.after = connect
			refresh()
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			db := trowtest.Store(t)
			row := trowel.Agent{ID: "a", Name: "a", Slots: 1, Remote: true, ServerID: "other", StartedAt: time.Now(), SeenAt: time.Now(), LeaseEnds: time.Now().Add(time.Hour)}
			if err := db.Update(t.Context(), func(tx trowel.Tx) error { return tx.PutAgent(t.Context(), &row) }); err != nil {
				t.Fatal(err)
			}
			store, flusher := &hookedStore{Store: db}, &idleFlusher{attached: map[string]bool{}}
			h := New(Options{Store: store, Flusher: flusher, ServerID: "mine", Now: time.Now, Log: slog.New(slog.DiscardHandler)})
			if _, err := h.begin("a"); err != nil { // it was here before
				t.Fatal(err)
			}
			h.peers["a"].connected()
			var stream *Stream
			connect := func() {
				var err error
				if stream, err = h.Connect(t.Context(), "a", 0, api.AgentHeld{}); err != nil {
					t.Error(err)
				}
			}
			c.play(t, store, connect, func() {
				if err := h.refresh(t.Context()); err != nil {
					t.Error(err)
				}
			})
			if h.find("a") == nil || !flusher.attached["a"] || stream == nil || stream.closed {
				t.Errorf("the agent is known: %t, attached: %t, and it must be both with an open stream", h.find("a") != nil, flusher.attached["a"])
			}
		})
	}
}
