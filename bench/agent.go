package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// withoutAgent is the setting of a server that leaves all tasks to remote agents.
const withoutAgent = "agent.enabled = false"

// agent is a running `trowel agent`.
type agent struct {
	name string
	cmd  *exec.Cmd
	log  *os.File
}

// newToken makes a token, in the database itself: nobody is the server's administrator.
func (s *server) newToken(role string) (string, error) {
	dir := filepath.Dir(s.log.Name())
	if _, err := s.bench.trowel(dir, "tokens", "create", "-c", "server.properties", "--name", "bench", "--role", role); err != nil {
		return "", err
	}
	text, err := os.ReadFile(s.bench.stdout())
	return strings.TrimSpace(string(text)), err
}

// employer is a server on PostgreSQL that runs nothing itself, with what its agents need, over HTTPS.
type employer struct {
	*server

	db                 *database
	token, certificate string
}

func (b *bench) employer(settings ...string) (*employer, error) {
	db, err := b.postgresql()
	if err != nil {
		return nil, err
	}
	secured, certificate, err := b.certificate()
	if err != nil {
		return nil, err
	}
	s, err := b.serve(db, append(append(secured, withoutAgent), settings...)...)
	if err != nil {
		return nil, err
	}
	token, err := s.newToken("agent")
	if err != nil {
		return nil, errors.Join(err, s.stop())
	}
	return &employer{s, db, token, certificate}, nil
}

// employ starts an agent and returns when the server knows it.
func (s *employer) employ(slots string) (*agent, error) {
	b := s.bench
	b.agents++
	name := fmt.Sprintf("agent%d", b.agents)
	dir, err := b.project(name, "empty", "")
	if err != nil {
		return nil, err
	}
	a := &agent{name: name}
	if a.log, err = os.Create(filepath.Join(dir, "log")); err != nil {
		return nil, err
	}
	a.cmd = exec.Command(b.bin, "agent", "--server", s.Endpoint(), "--ca-cert", s.certificate, "--name", name, "--slots", slots, "--workspace", filepath.Join(dir, "work"))
	a.cmd.Dir, a.cmd.Stdout, a.cmd.Stderr = dir, a.log, a.log
	a.cmd.Env = append(b.environment(), "TROWEL_TOKEN="+s.token)
	if err := a.cmd.Start(); err != nil {
		return nil, errors.Join(err, a.log.Close())
	}
	err = untilEvery(rarely, 30*time.Second, func() (bool, error) {
		n, err := s.db.count("SELECT count(*) FROM agent WHERE name = '" + name + "'")
		return n > 0, err
	})
	if err != nil {
		text, _ := os.ReadFile(a.log.Name()) // it only tells more
		return nil, errors.Join(err, fmt.Errorf("the agent says\n%s", text), a.kill())
	}
	return a, nil
}

// kill ends the agent as the failure of its machine would, but for what it has started: that runs on.
func (a *agent) kill() error {
	err := a.cmd.Process.Kill()
	_ = a.cmd.Wait() // it was killed
	return errors.Join(err, a.log.Close())
}

// remoteHandOff is the hand-off through an agent over HTTPS, at a part of the throughput through that agent.
func remoteHandOff(b *bench) (results []result, err error) {
	s, err := b.employer()
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, s.stop()) }()
	a, err := s.employ("100")
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, a.kill()) }()
	rate, err := s.throughput(3)
	if err != nil {
		return nil, err
	}
	id, err := s.pushChain()
	if err != nil {
		return nil, err
	}
	h, err := s.handOff(s.db, id, rate*handOffAt, measuring)
	if err != nil {
		return nil, err
	}
	return handOffResults("hand-off through an agent over HTTPS", h, rate*handOffAt, 5, 20), nil
}
