// Package servertest starts a whole server for tests of the groups of paths. Only tests import it.
package servertest

import (
	"context"
	"log/slog"
	"net/http/httptest"
	"testing"
	"time"

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/access"
	"github.com/trowel-project/trowel/internal/blob"
	blobdb "github.com/trowel-project/trowel/internal/blob/db"
	"github.com/trowel-project/trowel/internal/launch"
	"github.com/trowel-project/trowel/internal/secret"
	"github.com/trowel-project/trowel/internal/server"
	"github.com/trowel-project/trowel/internal/server/action"
	"github.com/trowel-project/trowel/internal/server/agentapi"
	"github.com/trowel-project/trowel/internal/server/download"
	"github.com/trowel-project/trowel/internal/server/events"
	"github.com/trowel-project/trowel/internal/server/explain"
	"github.com/trowel-project/trowel/internal/server/health"
	"github.com/trowel-project/trowel/internal/server/ops"
	"github.com/trowel-project/trowel/internal/server/output"
	"github.com/trowel-project/trowel/internal/server/rest"
	"github.com/trowel-project/trowel/internal/server/revision"
	"github.com/trowel-project/trowel/internal/server/signin"
	v1 "github.com/trowel-project/trowel/internal/server/v1"
	"github.com/trowel-project/trowel/internal/tasklog"
	"github.com/trowel-project/trowel/internal/trowtest"
)

// Server is a server on a store of its own. Nothing runs its tasks.
type Server struct {
	*httptest.Server
	Store   trowel.Store
	Events  *events.Feed // what streams of events show
	Flusher *Flusher     // stands for the flusher in changes of limits
}

// New starts a server, and ends it with the test. change may set its options.
func New(t *testing.T, change func(*server.Options)) *Server {
	t.Helper()
	store := trowtest.Store(t)
	s := &Server{Store: store, Events: events.NewFeed(), Flusher: &Flusher{}}
	opts := Options(t, store)
	opts.V1.Events, opts.Stream.Events, opts.Ops.Limits = s.Events, s.Events, s.Flusher
	if change != nil {
		change(&opts)
	}
	s.Server = httptest.NewServer(server.New(opts))
	t.Cleanup(func() {
		s.Events.Close()
		s.Close()
	})
	return s
}

// Options returns the options of a server on a store, but for what makes events and what limits are told of.
func Options(t *testing.T, store trowel.Store) server.Options {
	t.Helper()
	crypter, err := secret.NewCrypter("MDEyMzQ1Njc4OTAxMjM0NQ==")
	if err != nil {
		t.Fatal(err)
	}
	launcher := &launch.Launcher{Store: store, Flusher: &trowtest.Inserter{Store: store, Now: time.Now}, Now: time.Now}
	archives := &download.Archives{Stores: map[string]blob.Store{"db": blobdb.New(store)}}
	return server.Options{
		REST: rest.Options{
			Store: store, Auth: access.New(access.Options{Tokens: Tokens{store}, Now: time.Now}), Now: time.Now, Log: slog.New(slog.DiscardHandler),
			Version: "0.1.0", MaxBody: 1 << 20, RequestTimeout: 10 * time.Second,
		},
		V1: v1.Options{
			Launcher: launcher,
			Killer:   nobody{}, Archives: archives,
			Crypter: crypter, Logs: tasklog.NewReader(store, nil, false), SchedulesChanged: func(*trowel.Schedule) {},
			Versions:    v1.Versions{Server: "0.1.0", Digdag: "0.10.6"},
			Pushes:      v1.PushOptions{ArchiveType: "db", MaxArchive: 2 << 20, TempDir: t.TempDir()},
			MaxAttempts: 100, MaxSessionsPage: 100, MaxAttemptsPage: 100,
		},
		Health:   health.Options{Health: health.New(health.Part{Name: "database", Check: func(context.Context) error { return nil }})},
		Ops:      ops.Options{SchedulesChanged: func(*trowel.Schedule) {}, AgentsChanged: func() {}, Aging: 5 * time.Minute},
		Explain:  explain.Options{Aging: 5 * time.Minute},
		Action:   action.Options{Launcher: launcher},
		Output:   output.Options{Logs: tasklog.NewReader(store, nil, false)},
		Revision: revision.Options{Archives: archives},
		SignIn:   signin.Options{Version: "0.1.0"},
		Agents:   agentapi.Options{Archives: archives, Version: "0.1.0"},
	}
}
