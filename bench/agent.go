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

// employ starts an agent of a server over HTTPS and returns when the server knows it.
func (b *bench) employ(s *server, db *database, token, certificate, slots string) (*agent, error) {
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
	a.cmd = exec.Command(b.bin, "agent", "--server", s.Endpoint(), "--ca-cert", certificate, "--name", name, "--slots", slots, "--workspace", filepath.Join(dir, "work"))
	a.cmd.Dir, a.cmd.Stdout, a.cmd.Stderr = dir, a.log, a.log
	a.cmd.Env = append(b.environment(), "TROWEL_TOKEN="+token)
	if err := a.cmd.Start(); err != nil {
		return nil, errors.Join(err, a.log.Close())
	}
	err = untilEvery(rarely, 30*time.Second, func() (bool, error) {
		n, err := db.count("SELECT count(*) FROM agent WHERE name = '" + name + "'")
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
	db, err := b.postgresql()
	if err != nil {
		return nil, err
	}
	settings, certificate, err := b.certificate()
	if err != nil {
		return nil, err
	}
	s, err := b.serve(db, append(settings, withoutAgent)...)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, s.stop()) }()
	token, err := s.newToken("agent")
	if err != nil {
		return nil, err
	}
	a, err := b.employ(s, db, token, certificate, "100")
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, a.kill()) }()
	rate, err := s.throughput(3)
	if err != nil {
		return nil, err
	}
	id, err := s.pushChain(chainTasks)
	if err != nil {
		return nil, err
	}
	h, err := s.handOff(db, id, rate*handOffAt, measuring)
	if err != nil {
		return nil, err
	}
	return handOffResults("hand-off through an agent over HTTPS", h, rate*handOffAt, 5, 20), nil
}
