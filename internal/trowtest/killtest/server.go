package killtest

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/trowel-project/trowel/internal/trowtest/servertest"
)

// Server is a server on SQLite in a process of its own, with the requests of servertest.
type Server struct {
	*servertest.Server

	process  Process
	dir      string
	settings string // the file

	mu    sync.Mutex
	lives int // how often it was started
	cmd   *exec.Cmd
}

// Process is what runs as a server.
type Process struct {
	Program  string   // as `trowel`
	Settings []string // further ones
	Env      []string // further variables
}

// Start starts a server.
func Start(t *testing.T, process Process) *Server {
	t.Helper()
	dir := t.TempDir()
	lines := []string{
		"server.port = 0", "server.runtime-info.path = " + filepath.Join(dir, "runtime.json"), "tmpdir = " + dir,
		"database.type = sqlite", "database.path = " + filepath.Join(dir, "db"),
		"agent.lock-retention-time = 2", "agent.heartbeat-interval = 1",
	}
	lines = append(lines, process.Settings...)
	s := &Server{
		Server:  &servertest.Server{T: t, Log: &servertest.Buffer{}, Ended: make(chan error, 1)},
		process: process, dir: dir, settings: filepath.Join(dir, "server.properties"),
	}
	if err := os.WriteFile(s.settings, []byte(strings.Join(lines, "\n")+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	s.begin()
	t.Cleanup(func() { s.end() })
	return s
}

// Kill kills the process without a warning, and starts it again. It returns when the new one listens.
func (s *Server) Kill() {
	s.T.Helper()
	s.end()
	s.begin()
}

// end kills the process and waits until it is gone.
func (s *Server) end() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.cmd == nil {
		return
	}
	_ = s.cmd.Process.Kill() // it may have ended by itself, which begin reports
	_ = s.cmd.Wait()
	s.cmd = nil
}

func (s *Server) begin() {
	s.T.Helper()
	if err := os.Remove(filepath.Join(s.dir, "runtime.json")); err != nil && !errors.Is(err, fs.ErrNotExist) {
		s.T.Fatal(err)
	}
	cmd := exec.Command(s.process.Program, "server", "-c", s.settings) // it is killed, at the latest when the test ends
	cmd.Stdout, cmd.Stderr, cmd.Dir = s.Log, s.Log, s.dir
	cmd.Env = append(os.Environ(), s.process.Env...)
	if err := cmd.Start(); err != nil {
		s.T.Fatal(err)
	}
	s.mu.Lock()
	s.cmd = cmd
	s.lives++
	s.mu.Unlock()
	s.Eventually(fmt.Sprintf("the server, the %dth time", s.lives), s.listens)
}

// listens reports whether the process listens, and takes its address.
func (s *Server) listens() bool {
	var info struct {
		Local []struct {
			Host string
			Port int
		} `json:"local_addresses"`
	}
	text, err := os.ReadFile(filepath.Join(s.dir, "runtime.json"))
	if err != nil || json.Unmarshal(text, &info) != nil || len(info.Local) == 0 {
		return false
	}
	s.URL = "http://" + net.JoinHostPort(info.Local[0].Host, strconv.Itoa(info.Local[0].Port))
	return true
}
