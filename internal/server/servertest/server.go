// Package servertest is a server for the tests of its groups: all of them, on a store of their own.
package servertest

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"fmt"
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
	"github.com/trowel-project/trowel/internal/api"
	"github.com/trowel-project/trowel/internal/blob"
	blobdb "github.com/trowel-project/trowel/internal/blob/db"
	"github.com/trowel-project/trowel/internal/engine"
	"github.com/trowel-project/trowel/internal/launch"
	"github.com/trowel-project/trowel/internal/secret"
	"github.com/trowel-project/trowel/internal/server"
	"github.com/trowel-project/trowel/internal/server/agentapi"
	"github.com/trowel-project/trowel/internal/server/download"
	"github.com/trowel-project/trowel/internal/server/events"
	"github.com/trowel-project/trowel/internal/server/explain"
	"github.com/trowel-project/trowel/internal/server/health"
	"github.com/trowel-project/trowel/internal/server/ops"
	"github.com/trowel-project/trowel/internal/server/rest"
	"github.com/trowel-project/trowel/internal/server/stream"
	v1 "github.com/trowel-project/trowel/internal/server/v1"
	"github.com/trowel-project/trowel/internal/store/sqlite"
	"github.com/trowel-project/trowel/internal/tasklog"
)

// Server is a server on a store of its own, without anything that runs tasks.
type Server struct {
	*httptest.Server
	Store   trowel.Store
	Events  *events.Feed
	Flusher *Flusher
}

// Flusher counts what a flusher hears of.
type Flusher struct {
	LimitChanges atomic.Int32
	Admissions   atomic.Int32
}

// LimitsChanged implements ops.Limits.
func (f *Flusher) LimitsChanged() { f.LimitChanges.Add(1) }

// Admit implements ops.Limits.
func (f *Flusher) Admit(trowel.WorkflowName) { f.Admissions.Add(1) }

// New starts a server. change may set its options.
func New(t *testing.T, change func(*server.Options)) *Server {
	t.Helper()
	store, err := sqlite.Open(t.Context(), sqlite.Options{}, time.Now())
	if err != nil {
		t.Fatal(err)
	}
	crypter, err := secret.NewCrypter("MDEyMzQ1Njc4OTAxMjM0NQ==")
	if err != nil {
		t.Fatal(err)
	}
	s := &Server{Store: store, Events: events.NewFeed(), Flusher: &Flusher{}}
	archives := &download.Archives{Stores: map[string]blob.Store{"db": blobdb.New(store)}}
	opts := server.Options{
		REST: rest.Options{
			Store: store, Auth: access.New(access.Options{Tokens: Tokens{store}, Now: time.Now}), Now: time.Now, Log: slog.New(slog.DiscardHandler),
			Version: "0.1.0", MaxBody: 1 << 20, RequestTimeout: 10 * time.Second,
		},
		V1: v1.Options{
			Launcher: &launch.Launcher{Store: store, Flusher: inserter{store}, Now: time.Now}, Killer: nobody{}, Archives: archives,
			Crypter: crypter, Logs: tasklog.NewReader(store, nil, false), Events: s.Events, SchedulesChanged: func(*trowel.Schedule) {},
			Versions:    v1.Versions{Server: "0.1.0", Digdag: "0.10.6"},
			Pushes:      v1.Pushes{ArchiveType: "db", MaxArchive: 2 << 20, TempDir: t.TempDir()},
			MaxAttempts: 100, MaxSessionsPage: 100, MaxAttemptsPage: 100,
		},
		Health:  health.Options{Health: health.New(health.Part{Name: "database", Check: func(context.Context) error { return nil }})},
		Stream:  stream.Options{Events: s.Events},
		Ops:     ops.Options{Limits: s.Flusher, SchedulesChanged: func(*trowel.Schedule) {}, AgentsChanged: func() {}, Aging: 5 * time.Minute},
		Explain: explain.Options{Aging: 5 * time.Minute},
		Agents:  agentapi.Options{Archives: archives, Version: "0.1.0"},
	}
	if change != nil {
		change(&opts)
	}
	s.Server = httptest.NewServer(server.New(opts))
	t.Cleanup(func() {
		s.Events.Close()
		s.Close()
		_ = store.Close()
	})
	return s
}

// inserter begins attempts that never go on.
type inserter struct{ store trowel.Store }

func (i inserter) Begin(ctx context.Context, a engine.NewAttempt) (*trowel.AttemptSummary, error) {
	a.Attempt.CreatedAt = time.Now()
	err := i.store.Update(ctx, func(tx trowel.Tx) error { return tx.InsertAttempt(ctx, &a.Setting.Session, &a.Attempt) })
	return &trowel.AttemptSummary{Attempt: a.Attempt, Session: a.Setting.Session, Project: a.Setting.Project}, err
}

type nobody struct{}

func (nobody) KillBy(context.Context, trowel.AttemptID, string, *trowel.Record) error {
	return trowel.ErrConflict
}

// Tokens finds the tokens of a store.
type Tokens struct{ Store trowel.Store }

// FindToken implements access.Tokens.
func (s Tokens) FindToken(ctx context.Context, hash []byte) (found *trowel.Token, project *trowel.Project, err error) {
	err = s.Store.View(ctx, func(tx trowel.Tx) error {
		if found, err = tx.FindToken(ctx, hash); err != nil || found.ProjectID == 0 {
			return err
		}
		project, err = tx.FindProjectByID(ctx, found.ProjectID)
		return err
	})
	return found, project, err
}

// Answer is what came back.
type Answer struct {
	Status int
	Header http.Header
	Body   string
}

// Do sends a request. header has names and values in turn.
func (s *Server) Do(t *testing.T, method, path, contentType, body string, header ...string) Answer {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), method, s.URL+path, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	if contentType != "" {
		r.Header.Set("Content-Type", contentType)
	}
	for i := 0; i < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	w, err := s.Client().Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = w.Body.Close() }()
	text, err := io.ReadAll(w.Body)
	if err != nil {
		t.Fatal(err)
	}
	return Answer{w.StatusCode, w.Header, string(text)}
}

// Get sends a GET.
func (s *Server) Get(t *testing.T, path string) Answer {
	t.Helper()
	return s.Do(t, http.MethodGet, path, "", "")
}

// Put sends a PUT with a JSON body.
func (s *Server) Put(t *testing.T, path, body string) Answer {
	t.Helper()
	return s.Do(t, http.MethodPut, path, "application/json", body)
}

// Push sends a project of some files.
func (s *Server) Push(t *testing.T, query string, files ...string) Answer {
	t.Helper()
	return s.Do(t, http.MethodPut, "/api/projects?"+query, "application/gzip", Packed(t, files...))
}

// Packed makes a tar.gz of names and texts.
func Packed(t *testing.T, files ...string) string {
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

// Read decodes an answer that must have a status.
func Read[T any](t *testing.T, a Answer, status int) T {
	t.Helper()
	var value T
	if a.Status != status {
		t.Fatalf("status %d, want %d: %s", a.Status, status, a.Body)
	}
	if err := json.Unmarshal([]byte(a.Body), &value); err != nil {
		t.Fatalf("%v: %s", err, a.Body)
	}
	return value
}

// Post sends a POST with a JSON body.
func (s *Server) Post(t *testing.T, path, body string) Answer {
	t.Helper()
	return s.Do(t, http.MethodPost, path, "application/json", body)
}

// Delete sends a DELETE.
func (s *Server) Delete(t *testing.T, path string) Answer {
	t.Helper()
	return s.Do(t, http.MethodDelete, path, "", "")
}

// Token makes a token of a role, for one project or, without a name, for all.
func (s *Server) Token(t *testing.T, role access.Role, project string) string {
	t.Helper()
	text, hash := access.NewToken()
	err := s.Store.Update(t.Context(), func(tx trowel.Tx) error {
		made := &trowel.Token{Name: string(role) + " of " + project, Hash: hash, Role: string(role), CreatedAt: time.Now()}
		if project != "" {
			p, err := tx.FindProject(t.Context(), project)
			if err != nil {
				return err
			}
			made.ProjectID = p.ID
		}
		return tx.InsertToken(t.Context(), made)
	})
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// InsertTasks stores an attempt of a new project's workflow with tasks.
func (s *Server) InsertTasks(t *testing.T, project string, tasks ...*trowel.Task) trowel.AttemptID {
	t.Helper()
	s.Push(t, "project="+project+"&revision=r1", "main.dig", "+a:\n  echo>: a\n")
	p := Read[api.ProjectCollection](t, s.Get(t, "/api/projects?name="+project), 200).Projects[0]
	w := Read[api.WorkflowCollection](t, s.Get(t, "/api/projects/"+p.ID.String()+"/workflows"), 200).Workflows[0]
	a := Read[api.Attempt](t, s.Put(t, "/api/attempts", `{"workflowId":"`+w.ID.String()+`","sessionTime":"2024-01-01T00:00:00Z","params":{}}`), 200)
	for i, task := range tasks {
		task.AttemptID = trowel.AttemptID(a.ID)
		if task.ID == 0 {
			task.ID = trowel.TaskID(int(a.ID)*1000 + i)
		}
		if task.FullName == "" {
			task.FullName = fmt.Sprintf("+main+t%d", i)
		}
		if task.ReadyAt.IsZero() {
			task.ReadyAt = time.Now()
		}
		task.UpdatedAt = time.Now()
	}
	err := s.Store.Update(t.Context(), func(tx trowel.Tx) error { return tx.InsertTasks(t.Context(), tasks) })
	if err != nil {
		t.Fatal(err)
	}
	return trowel.AttemptID(a.ID)
}

// Needing are the needs of a task that takes slots of a pool.
func Needing(pool string, slots, weight int) *trowel.Needs {
	return &trowel.Needs{Pools: []trowel.PoolNeed{{Name: pool, Slots: slots}}, Weight: &weight}
}

// Scheduled is a workflow with a schedule.
const Scheduled = "timezone: Asia/Tokyo\nschedule:\n  daily>: 07:00:00\n+a:\n  echo>: hi\n"

// Short is the beginning of a text.
func Short(text string) string { return text[:min(len(text), 300)] }
