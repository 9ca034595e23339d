package servertest

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/trowel-project/trowel/internal/archive"
	"github.com/trowel-project/trowel/internal/config"
	"github.com/trowel-project/trowel/internal/daemon"
	"github.com/trowel-project/trowel/internal/logging"
)

// Server is a server in this process.
type Server struct {
	RuntimeInfo string // path of the runtime-info file
	T           *testing.T
	URL         string         // address, without a slash at the end
	Log         *Buffer        // what it logs
	Signals     chan os.Signal // it handles these like signals of its process
	Ended       chan error     // gets the error with which it has ended, or nil
}

// Start starts a server with further settings, on a database in a folder unless they say otherwise.
func Start(t *testing.T, settings ...string) *Server {
	t.Helper()
	dir := t.TempDir()
	info := filepath.Join(dir, "runtime.json")
	all := config.Settings{
		"server.port": {Value: "0"}, "server.runtime-info.path": {Value: info}, "tmpdir": {Value: dir},
		"database.type": {Value: "sqlite"}, "database.path": {Value: filepath.Join(dir, "db")},
	}
	for i := 0; i < len(settings); i += 2 {
		all[settings[i]] = config.Setting{Value: settings[i+1], From: "test"}
	}
	if all["database.type"].Value == config.DatabaseMemory {
		delete(all, "database.path")
	}
	s := &Server{T: t, RuntimeInfo: info, Log: &Buffer{}, Signals: make(chan os.Signal, 4), Ended: make(chan error, 1)}
	log := slog.New(&logging.Handler{To: s.Log, Thread: "main"})
	opts := processOptionsOf(t, all, dir, log)
	go func() { s.Ended <- daemon.RunServer(context.WithoutCancel(t.Context()), opts, s.Signals) }()
	s.URL = s.await(info)
	t.Cleanup(func() {
		select {
		case s.Signals <- syscall.SIGTERM:
		default:
		}
		select {
		case err := <-s.Ended:
			if err != nil {
				t.Errorf("server: %v\n%s", err, s.Log)
			}
		case <-time.After(time.Minute):
			t.Errorf("the server does not end\n%s", s.Log)
		}
	})
	return s
}

// processOptionsOf returns the options of a process with these settings, whose files are in a folder.
func processOptionsOf(t *testing.T, all config.Settings, dir string, log *slog.Logger) daemon.Options {
	t.Helper()
	settings, warnings, err := config.Read(all)
	for _, w := range warnings {
		logging.Print(t.Context(), log, w.Level, w.String())
	}
	if err != nil {
		t.Fatal(err)
	}
	return daemon.Options{Settings: settings, Sources: all, Dir: dir, Environ: os.Environ(), Now: time.Now, Log: log, Program: "trowel"}
}

// await returns the address from the runtime-info file (server 3.3).
func (s *Server) await(file string) string {
	s.T.Helper()
	var info struct {
		Local []struct {
			Host string
			Port int
		} `json:"local_addresses"`
	}
	s.Eventually("the runtime-info file", func() bool {
		select {
		case err := <-s.Ended:
			s.T.Fatalf("the server ended: %v\n%s", err, s.Log)
		default:
		}
		text, err := os.ReadFile(file)
		return err == nil && json.Unmarshal(text, &info) == nil
	})
	return fmt.Sprintf("http://%s:%d", info.Local[0].Host, info.Local[0].Port)
}

// Eventually waits up to a minute until something holds.
func (s *Server) Eventually(what string, holds func() bool) {
	s.T.Helper()
	patience := time.NewTimer(time.Minute)
	defer patience.Stop()
	for tick := time.NewTicker(5 * time.Millisecond); ; <-tick.C {
		if holds() {
			tick.Stop()
			return
		}
		select {
		case <-patience.C:
			s.T.Fatalf("waited in vain for %s\n%s", what, s.Log)
		default:
		}
	}
}

// Request sends a request and returns the status and the body of the answer. Without an answer the status is 0.
func (s *Server) Request(method, path, contentType, body string) (int, string) {
	s.T.Helper()
	r, err := http.NewRequestWithContext(s.T.Context(), method, s.URL+path, strings.NewReader(body))
	if err != nil {
		s.T.Fatal(err)
	}
	r.Header.Set("Content-Type", contentType)
	w, err := http.DefaultClient.Do(r)
	if err != nil {
		return 0, err.Error()
	}
	defer func() { _ = w.Body.Close() }()
	text, err := io.ReadAll(w.Body)
	if err != nil {
		s.T.Fatal(err)
	}
	return w.StatusCode, string(text)
}

// Push pushes a project with one workflow, main, as revision r1.
func (s *Server) Push(name, workflow string) {
	s.T.Helper()
	s.PushFiles(name, map[string]string{"main.dig": workflow})
}

// PushFiles pushes a project with some files.
func (s *Server) PushFiles(name string, files map[string]string) {
	s.T.Helper()
	dir := s.T.TempDir()
	for path, text := range files {
		if err := os.WriteFile(filepath.Join(dir, path), []byte(text), 0o600); err != nil {
			s.T.Fatal(err)
		}
	}
	var packed bytes.Buffer
	if err := archive.Pack(s.T.Context(), &packed, dir, archive.PackOptions{}); err != nil {
		s.T.Fatal(err)
	}
	if status, text := s.Request("PUT", "/api/projects?project="+name+"&revision=r1", "application/gzip", packed.String()); status != http.StatusOK {
		s.T.Fatalf("push: %d %s", status, text)
	}
}

// StartAttempt starts a workflow by its id, and returns the id of the attempt.
func (s *Server) StartAttempt(workflow, session string) string {
	s.T.Helper()
	status, text := s.Request("PUT", "/api/attempts", "application/json",
		`{"workflowId":"`+workflow+`","sessionTime":"`+session+`","params":{}}`)
	var attempt struct{ ID string }
	if err := json.Unmarshal([]byte(text), &attempt); err != nil || status != http.StatusOK {
		s.T.Fatalf("start: %d %s", status, text)
	}
	return attempt.ID
}

// Wait waits until an attempt is done and returns how it ended.
func (s *Server) Wait(attempt string) string {
	s.T.Helper()
	var shape struct {
		Done   bool
		Status string
	}
	s.Eventually("attempt "+attempt, func() bool {
		_, text := s.Request("GET", "/api/attempts/"+attempt, "application/json", "")
		return json.Unmarshal([]byte(text), &shape) == nil && shape.Done
	})
	return shape.Status
}

// States returns the states of the tasks of an attempt by their full names.
func (s *Server) States(attempt string) map[string]string {
	s.T.Helper()
	_, text := s.Request("GET", "/api/attempts/"+attempt+"/tasks", "application/json", "")
	var list struct {
		Tasks []struct{ FullName, State string }
	}
	if err := json.Unmarshal([]byte(text), &list); err != nil {
		s.T.Fatalf("tasks: %v: %s", err, text)
	}
	states := map[string]string{}
	for _, task := range list.Tasks {
		states[task.FullName] = task.State
	}
	return states
}

// End stops a server before the test is over.
func (s *Server) End() {
	s.T.Helper()
	s.Signals <- syscall.SIGTERM
	if err := <-s.Ended; err != nil {
		s.T.Errorf("server: %v\n%s", err, s.Log)
	}
	s.Ended <- nil
}
