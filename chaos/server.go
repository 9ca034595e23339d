package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/trowel-project/trowel/internal/client"
)

// server is one place where a server runs, and is started again and again. What it logs is in one file
// for all its lives.
type server struct {
	bin, dir, mark string
	settings       []string

	mu      sync.Mutex
	cmd     *exec.Cmd
	ended   chan struct{} // closed when the process has ended
	exit    error
	logAt   int64 // where the log of this life begins
	api     *client.Client
	stopped bool // it was asked to end, or killed
}

// markVariable is in the environment of servers and of all that they start.
const markVariable = "TROWEL_CHAOS"

// readyTime is how long a server may take from its start to its first answer, on a busy machine.
const readyTime = time.Minute

// endTime is how long a server may take that was asked to end, and has no task that takes longer.
const endTime = time.Minute

func (s *server) path(name string) string { return filepath.Join(s.dir, name) }

// start starts the process and does not wait for it to listen.
func (s *server) start(ctx context.Context) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := os.Remove(s.path("runtime.json")); err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	properties := strings.Join(s.settings, "\n") + "\nserver.runtime-info.path = " + s.path("runtime.json") + "\n"
	if err := os.WriteFile(s.path("server.properties"), []byte(properties), 0o600); err != nil {
		return err
	}
	log, err := os.OpenFile(s.path("server.log"), os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
	if err != nil {
		return err
	}
	defer log.Close() //nolint:errcheck // the process has its own
	info, err := log.Stat()
	if err != nil {
		return err
	}
	s.logAt, s.stopped = info.Size(), false
	s.cmd = exec.CommandContext(context.WithoutCancel(ctx), s.bin, "server", "-c", s.path("server.properties"))
	s.cmd.Env = append(os.Environ(), markVariable+"="+s.mark)
	s.cmd.Stdout, s.cmd.Stderr = log, log
	if err := s.cmd.Start(); err != nil {
		return err
	}
	s.ended = make(chan struct{})
	go s.wait(s.cmd, s.ended)
	return nil
}

// wait ends with the process.
func (s *server) wait(cmd *exec.Cmd, ended chan struct{}) {
	err := cmd.Wait()
	s.mu.Lock()
	s.exit = err
	if s.api != nil {
		s.api.Close()
		s.api = nil
	}
	s.mu.Unlock()
	close(ended)
}

// over is closed when the present process has ended.
func (s *server) over() <-chan struct{} {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.ended
}

// failed tells how a process ended that nobody had asked to.
func (s *server) failed() error {
	select {
	case <-s.over():
	default:
		return nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.stopped {
		return nil
	}
	return fmt.Errorf("the server has ended by itself: %w\n%s", s.exit, s.tail())
}

// client returns a client of the server if it listens.
func (s *server) client() *client.Client {
	s.mu.Lock()
	defer s.mu.Unlock()
	select {
	case <-s.ended:
		return nil
	default:
	}
	if s.api != nil {
		return s.api
	}
	var info struct {
		Local []struct {
			Host string
			Port int
		} `json:"local_addresses"`
	}
	text, err := os.ReadFile(s.path("runtime.json"))
	if err != nil || json.Unmarshal(text, &info) != nil || len(info.Local) == 0 {
		return nil
	}
	s.api, err = client.New(client.Options{Endpoint: fmt.Sprintf("http://%s:%d", info.Local[0].Host, info.Local[0].Port), Version: "chaos"})
	if err != nil {
		return nil
	}
	return s.api
}

// ready waits until the server listens.
func (s *server) ready(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, readyTime)
	defer cancel()
	for s.client() == nil {
		if err := s.failed(); err != nil {
			return err
		}
		if !pause(ctx, 10*time.Millisecond) {
			return fmt.Errorf("the server does not listen: %w\n%s", context.Cause(ctx), s.tail())
		}
	}
	return nil
}

// kill ends the process at once and waits for its end.
func (s *server) kill() error {
	return s.signal(func(p *os.Process) error { return p.Kill() }, true)
}

// stop asks the process to end.
func (s *server) stop() error {
	return s.signal(func(p *os.Process) error { return p.Signal(syscall.SIGTERM) }, false)
}

func (s *server) signal(send func(*os.Process) error, wait bool) error {
	s.mu.Lock()
	s.stopped = true
	process, ended := s.cmd.Process, s.ended
	s.mu.Unlock()
	if err := send(process); err != nil && !errors.Is(err, os.ErrProcessDone) {
		return err
	}
	if wait {
		<-ended
	}
	return nil
}

// left waits for the end of the process, which must be soon and without an error.
func (s *server) left(ctx context.Context) error {
	if err := s.gone(ctx); err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.exit != nil {
		return fmt.Errorf("the server ended with %w\n%s", s.exit, s.tail())
	}
	return nil
}

// gone waits for the end of the process, however it ends.
func (s *server) gone(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, endTime)
	defer cancel()
	select {
	case <-s.over():
		return nil
	case <-ctx.Done():
		return errors.Join(fmt.Errorf("the server does not end within %s; its goroutines are in %s", endTime, s.path("server.log")), s.dump())
	}
}

// dump ends the process with a list of its goroutines in its log.
func (s *server) dump() error {
	return s.signal(func(p *os.Process) error { return p.Signal(syscall.SIGQUIT) }, true)
}

// said returns what the present process has logged.
func (s *server) said() string {
	text, err := os.ReadFile(s.path("server.log"))
	if err != nil {
		return err.Error()
	}
	return string(text[min(s.logAt, int64(len(text))):])
}

func (s *server) tail() string {
	text := s.said()
	return "the end of its log:\n" + text[max(0, len(text)-3000):]
}

// process returns the present process.
func (s *server) process() *os.Process {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.cmd.Process
}
