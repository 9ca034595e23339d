package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"github.com/trowel-project/trowel/internal/archive"
	"github.com/trowel-project/trowel/internal/config"
	"github.com/trowel-project/trowel/internal/daemon"
	"github.com/trowel-project/trowel/internal/logging"
	"io"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// served is a server in this process.
type served struct {
	runtimeInfo string // the file
	t           *testing.T
	url         string
	log         *lockedBuffer
	signals     chan os.Signal
	ended       chan error
}

// serve starts a server with further settings, on a database in a folder unless they say otherwise.
func serve(t *testing.T, settings ...string) *served {
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
	s := &served{t: t, runtimeInfo: info, log: &lockedBuffer{}, signals: make(chan os.Signal, 4), ended: make(chan error, 1)}
	log := slog.New(&logging.Handler{To: s.log, Thread: "main"})
	opts := processOptionsOf(t, all, dir, log)
	go func() { s.ended <- daemon.RunServer(context.WithoutCancel(t.Context()), opts, s.signals) }()
	s.url = s.await(info)
	t.Cleanup(func() {
		select {
		case s.signals <- syscall.SIGTERM:
		default:
		}
		select {
		case err := <-s.ended:
			if err != nil {
				t.Errorf("server: %v\n%s", err, s.log)
			}
		case <-time.After(time.Minute):
			t.Errorf("the server does not end\n%s", s.log)
		}
	})
	return s
}

// processOptionsOf are the options of a process with these settings, whose files are in a folder.
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
func (s *served) await(file string) string {
	s.t.Helper()
	var info struct {
		Local []struct {
			Host string
			Port int
		} `json:"local_addresses"`
	}
	s.eventually("the runtime-info file", func() bool {
		select {
		case err := <-s.ended:
			s.t.Fatalf("the server ended: %v\n%s", err, s.log)
		default:
		}
		text, err := os.ReadFile(file)
		return err == nil && json.Unmarshal(text, &info) == nil
	})
	return fmt.Sprintf("http://%s:%d", info.Local[0].Host, info.Local[0].Port)
}

// eventually waits until something holds.
func (s *served) eventually(what string, holds func() bool) {
	s.t.Helper()
	patience := time.NewTimer(time.Minute)
	defer patience.Stop()
	for tick := time.NewTicker(5 * time.Millisecond); ; <-tick.C {
		if holds() {
			tick.Stop()
			return
		}
		select {
		case <-patience.C:
			s.t.Fatalf("waited in vain for %s\n%s", what, s.log)
		default:
		}
	}
}

func (s *served) request(method, path, contentType, body string) (int, string) {
	s.t.Helper()
	r, err := http.NewRequestWithContext(s.t.Context(), method, s.url+path, strings.NewReader(body))
	if err != nil {
		s.t.Fatal(err)
	}
	r.Header.Set("Content-Type", contentType)
	w, err := http.DefaultClient.Do(r)
	if err != nil {
		return 0, err.Error()
	}
	defer func() { _ = w.Body.Close() }()
	text, err := io.ReadAll(w.Body)
	if err != nil {
		s.t.Fatal(err)
	}
	return w.StatusCode, string(text)
}

// push sends a project with one workflow, main, as revision r1.
func (s *served) push(name, workflow string) {
	s.t.Helper()
	dir := s.t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "main.dig"), []byte(workflow), 0o600); err != nil {
		s.t.Fatal(err)
	}
	var packed bytes.Buffer
	if err := archive.Pack(s.t.Context(), &packed, dir, archive.PackOptions{}); err != nil {
		s.t.Fatal(err)
	}
	if status, text := s.request("PUT", "/api/projects?project="+name+"&revision=r1", "application/gzip", packed.String()); status != http.StatusOK {
		s.t.Fatalf("push: %d %s", status, text)
	}
}

// start starts the workflow with an id and returns the attempt's.
func (s *served) start(workflow, session string) string {
	s.t.Helper()
	status, text := s.request("PUT", "/api/attempts", "application/json",
		`{"workflowId":"`+workflow+`","sessionTime":"`+session+`","params":{}}`)
	var attempt struct{ ID string }
	if err := json.Unmarshal([]byte(text), &attempt); err != nil || status != http.StatusOK {
		s.t.Fatalf("start: %d %s", status, text)
	}
	return attempt.ID
}

// status waits until an attempt is done and returns how it ended.
func (s *served) status(attempt string) string {
	s.t.Helper()
	var shape struct {
		Done   bool
		Status string
	}
	s.eventually("attempt "+attempt, func() bool {
		_, text := s.request("GET", "/api/attempts/"+attempt, "application/json", "")
		return json.Unmarshal([]byte(text), &shape) == nil && shape.Done
	})
	return shape.Status
}

// states are those of the tasks of an attempt, by name.
func (s *served) states(attempt string) map[string]string {
	s.t.Helper()
	_, text := s.request("GET", "/api/attempts/"+attempt+"/tasks", "application/json", "")
	var list struct {
		Tasks []struct{ FullName, State string }
	}
	if err := json.Unmarshal([]byte(text), &list); err != nil {
		s.t.Fatalf("tasks: %v: %s", err, text)
	}
	states := map[string]string{}
	for _, task := range list.Tasks {
		states[task.FullName] = task.State
	}
	return states
}

// end stops a server before the test is over.
func (s *served) end() {
	s.t.Helper()
	s.signals <- syscall.SIGTERM
	if err := <-s.ended; err != nil {
		s.t.Errorf("server: %v\n%s", err, s.log)
	}
	s.ended <- nil
}
