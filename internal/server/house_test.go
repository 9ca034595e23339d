package server_test

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"context"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/access"
	"github.com/trowel-project/trowel/internal/blob"
	blobdb "github.com/trowel-project/trowel/internal/blob/db"
	"github.com/trowel-project/trowel/internal/engine"
	"github.com/trowel-project/trowel/internal/launch"
	"github.com/trowel-project/trowel/internal/secret"
	"github.com/trowel-project/trowel/internal/server"
	"github.com/trowel-project/trowel/internal/store/sqlite"
	"github.com/trowel-project/trowel/internal/tasklog"
)

// house is a server on a store of its own, without anything that runs tasks.
type house struct {
	*httptest.Server
	store  trowel.Store
	events *server.Events
	told   *told
}

// told counts what a flusher is told.
type told struct {
	limits atomic.Int32
	admits atomic.Int32
}

func (t *told) LimitsChanged()            { t.limits.Add(1) }
func (t *told) Admit(trowel.WorkflowName) { t.admits.Add(1) }

func newHouse(t *testing.T, change func(*server.Options)) *house {
	t.Helper()
	store, err := sqlite.Open(t.Context(), sqlite.Options{}, time.Now())
	if err != nil {
		t.Fatal(err)
	}
	crypter, err := secret.NewCrypter("MDEyMzQ1Njc4OTAxMjM0NQ==")
	if err != nil {
		t.Fatal(err)
	}
	h := &house{store: store, events: server.NewEvents(), told: &told{}}
	archives := &server.Archives{Stores: map[string]blob.Store{"db": blobdb.New(store)}}
	opts := server.Options{
		REST: server.RESTOptions{
			Store: store, Auth: access.New(access.Options{Tokens: tokens{store}, Now: time.Now}), Now: time.Now, Log: slog.New(slog.DiscardHandler),
			Version: "0.1.0", MaxBody: 1 << 20, RequestTimeout: 10 * time.Second,
		},
		V1: server.V1Options{
			Launcher: &launch.Launcher{Store: store, Flusher: inserting{store}, Now: time.Now}, Killer: nobody{}, Archives: archives,
			Crypter: crypter, Logs: tasklog.NewReader(store, nil, false), Events: h.events, SchedulesChanged: func(*trowel.Schedule) {},
			Versions:    server.Versions{Server: "0.1.0", Digdag: "0.10.6"},
			Pushes:      server.Pushes{ArchiveType: "db", MaxArchive: 2 << 20, TempDir: t.TempDir()},
			MaxAttempts: 100, MaxSessionsPage: 100, MaxAttemptsPage: 100,
		},
		Health:  server.HealthOptions{Health: server.NewHealth(server.Part{Name: "database", Check: func(context.Context) error { return nil }})},
		Stream:  server.StreamOptions{Events: h.events},
		Ops:     server.OpsOptions{Limits: h.told, SchedulesChanged: func(*trowel.Schedule) {}, AgentsChanged: func() {}, Aging: 5 * time.Minute},
		Explain: server.ExplainOptions{Aging: 5 * time.Minute},
		Agents:  server.AgentOptions{Archives: archives, Version: "0.1.0"},
	}
	if change != nil {
		change(&opts)
	}
	h.Server = httptest.NewServer(server.New(opts))
	t.Cleanup(func() {
		h.events.Close()
		h.Close()
		_ = store.Close()
	})
	return h
}

// inserting begins attempts that never go on.
type inserting struct{ store trowel.Store }

func (i inserting) Begin(ctx context.Context, a engine.NewAttempt) (*trowel.AttemptSummary, error) {
	a.Attempt.CreatedAt = time.Now()
	err := i.store.Update(ctx, func(tx trowel.Tx) error { return tx.InsertAttempt(ctx, &a.Setting.Session, &a.Attempt) })
	return &trowel.AttemptSummary{Attempt: a.Attempt, Session: a.Setting.Session, Project: a.Setting.Project}, err
}

type nobody struct{}

func (nobody) KillBy(context.Context, trowel.AttemptID, string, *trowel.Record) error {
	return trowel.ErrConflict
}

type tokens struct{ store trowel.Store }

func (s tokens) FindToken(ctx context.Context, hash []byte) (found *trowel.Token, project *trowel.Project, err error) {
	err = s.store.View(ctx, func(tx trowel.Tx) error {
		if found, err = tx.FindToken(ctx, hash); err != nil || found.ProjectID == 0 {
			return err
		}
		project, err = tx.FindProjectByID(ctx, found.ProjectID)
		return err
	})
	return found, project, err
}

// answer is what came back.
type answer struct {
	status int
	header http.Header
	body   string
}

func (h *house) do(t *testing.T, method, path, contentType, body string, header ...string) answer {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), method, h.URL+path, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	if contentType != "" {
		r.Header.Set("Content-Type", contentType)
	}
	for i := 0; i < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	w, err := h.Client().Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = w.Body.Close() }()
	text, err := io.ReadAll(w.Body)
	if err != nil {
		t.Fatal(err)
	}
	return answer{w.StatusCode, w.Header, string(text)}
}

func (h *house) get(t *testing.T, path string) answer {
	t.Helper()
	return h.do(t, http.MethodGet, path, "", "")
}

func (h *house) put(t *testing.T, path, body string) answer {
	t.Helper()
	return h.do(t, http.MethodPut, path, "application/json", body)
}

// push sends a project of some files.
func (h *house) push(t *testing.T, query string, files ...string) answer {
	t.Helper()
	return h.do(t, http.MethodPut, "/api/projects?"+query, "application/gzip", packed(t, files...))
}

// packed makes a tar.gz of names and texts.
func packed(t *testing.T, files ...string) string {
	t.Helper()
	var b bytes.Buffer
	zipped := gzip.NewWriter(&b)
	w := tar.NewWriter(zipped)
	for i := 0; i < len(files); i += 2 {
		err := w.WriteHeader(&tar.Header{Name: files[i], Mode: 0o644, Size: int64(len(files[i+1]))})
		if err == nil {
			_, err = io.WriteString(w, files[i+1])
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if err := zipped.Close(); err != nil {
		t.Fatal(err)
	}
	return b.String()
}
