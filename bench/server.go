package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/trowel-project/trowel/internal/api"
	"github.com/trowel-project/trowel/internal/client"
	"github.com/trowel-project/trowel/internal/param"
)

// server is a running `trowel server`, and a client with a connection that stays open.
type server struct {
	*client.Client
	bench *bench
	cmd   *exec.Cmd
	log   *os.File
	many  *http.Client // has as many connections as there are concurrent requests
	token string       // sent with requests; empty for none
}

// roomy raises the limits of attempts, tasks and archives.
const roomy = "executor.attempt_max_run = 1000000\nexecutor.task_max_run = 1000000\napi.max_archive_total_size_limit = 1000000000\n"

// serve starts a server on a database, with more settings, and returns when it answers.
func (b *bench) serve(db *database, settings ...string) (*server, error) {
	port, err := freePort()
	if err != nil {
		return nil, err
	}
	b.servers++
	text := db.settings + roomy + "server.port = " + strconv.Itoa(port) + "\n" + strings.Join(settings, "\n") + "\n"
	dir, err := b.project(fmt.Sprintf("server%d", b.servers), "server.properties", text)
	if err != nil {
		return nil, err
	}
	scheme := "http"
	if strings.Contains(text, "server.tls.cert") {
		scheme = "https"
	}
	c, err := client.New(client.Options{Endpoint: scheme + "://127.0.0.1:" + strconv.Itoa(port), AnyCertificate: true})
	if err != nil {
		return nil, err
	}
	s := &server{Client: c, bench: b, many: manyConnections()}
	if s.log, err = os.Create(filepath.Join(dir, "log")); err != nil {
		return nil, err
	}
	command := []string{b.bin, "server", "-c", "server.properties"}
	if b.files > 0 {
		command = append([]string{"sh", "-c", fmt.Sprintf(`ulimit -n %d; exec "$0" "$@"`, b.files)}, command...)
	}
	s.cmd = exec.Command(command[0], command[1:]...)
	s.cmd.Dir, s.cmd.Stdout, s.cmd.Stderr = dir, s.log, s.log
	s.cmd.Env = b.environment()
	if err := s.cmd.Start(); err != nil {
		return nil, errors.Join(err, s.log.Close())
	}
	if err := until(30*time.Second, func() (bool, error) { return listens(port), nil }); err != nil {
		return nil, errors.Join(err, s.failure(), s.stop())
	}
	if _, err := s.Version(context.Background()); err != nil {
		return nil, errors.Join(err, s.failure(), s.stop())
	}
	return s, nil
}

// environment returns the environment of all programs, without the settings of the user.
func (b *bench) environment() []string {
	return append(os.Environ(), "HOME="+b.dir, "XDG_CONFIG_HOME="+filepath.Join(b.dir, "config"))
}

func freePort() (int, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return 0, err
	}
	address, _ := l.Addr().(*net.TCPAddr)
	return address.Port, l.Close()
}

func listens(port int) bool {
	c, err := net.Dial("tcp", "127.0.0.1:"+strconv.Itoa(port))
	if err != nil {
		return false
	}
	_ = c.Close() // it was only a test
	return true
}

// until calls so every millisecond until it is true. It fails after the limit.
func until(limit time.Duration, so func() (bool, error)) error {
	return untilEvery(time.Millisecond, limit, so)
}

// rarely is the interval for checks of what takes seconds, if each check costs the server or the database something.
const rarely = 10 * time.Millisecond

func untilEvery(pause, limit time.Duration, so func() (bool, error)) error {
	tick := time.NewTicker(pause)
	defer tick.Stop()
	for begun := time.Now(); time.Since(begun) < limit; <-tick.C {
		if done, err := so(); done || err != nil {
			return err
		}
	}
	return fmt.Errorf("it took more than %s", limit)
}

// failure returns an error with the end of the server's log.
func (s *server) failure() error {
	text, err := os.ReadFile(s.log.Name())
	if err != nil {
		return err
	}
	return fmt.Errorf("the server's log ends with\n%s", text[max(0, len(text)-2000):])
}

// stop stops the server in order, where there are signals.
func (s *server) stop() error {
	if s.cmd.Process.Signal(os.Interrupt) != nil {
		_ = s.cmd.Process.Kill() // it may have ended already
	}
	s.Close()
	s.many.CloseIdleConnections()
	return errors.Join(s.cmd.Wait(), s.log.Close())
}

// push pushes a revision with files, and returns the id of a workflow in it.
func (s *server) push(project, workflow string, files ...string) (api.ID, error) {
	dir, err := s.bench.project("pushed-"+project, files...)
	if err != nil {
		return 0, err
	}
	if _, err := s.bench.trowel(dir, "push", project, "-e", s.Endpoint(), "--disable-cert-validation"); err != nil {
		return 0, errors.Join(err, s.failure())
	}
	return s.workflowNamed(project, workflow)
}

// workflowNamed finds a workflow of a project.
func (s *server) workflowNamed(project, workflow string) (api.ID, error) {
	found, err := s.FindProject(context.Background(), project)
	if err != nil {
		return 0, err
	}
	w, err := s.FindWorkflow(context.Background(), found.ID, "", workflow)
	if err != nil {
		return 0, err
	}
	return w.ID, nil
}

// begin starts an attempt of a new session.
func (s *server) begin(workflow api.ID) (api.ID, error) {
	at := firstSession.Add(time.Duration(s.bench.sessions.Add(1)) * time.Second)
	a, err := s.StartAttempt(context.Background(), api.AttemptRequest{WorkflowID: workflow, SessionTime: api.Instant{Time: at}, Params: param.New()})
	if err != nil {
		return 0, err
	}
	return a.ID, nil
}

// finish waits until an attempt has ended successfully. It asks at this interval.
func (s *server) finish(attempt api.ID, pause time.Duration) error {
	return untilEvery(pause, 10*time.Minute, func() (bool, error) {
		a, err := s.FindAttempt(context.Background(), attempt)
		if err != nil || !a.Done {
			return false, err
		}
		if !a.Success {
			return false, errors.Join(fmt.Errorf("attempt %d failed", attempt), s.failure())
		}
		return true, nil
	})
}
