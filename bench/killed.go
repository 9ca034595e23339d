package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/trowel-project/trowel/internal/api"
)

// Leases are shorter than by default, as the bar is about what happens after they end.
const (
	shortLease = 3 * time.Second
	leases     = "agent.heartbeat-interval = 1\nagent.lock-retention-time = 3"
)

// killedTasks is how many tasks an agent has when it is killed.
const killedTasks = 20

// killedAgent measures how long tasks of a killed agent stand still, until another agent has started them
// again. Agents are killed at different times of their leases.
func killedAgent(b *bench) (results []result, err error) {
	s, err := b.employer(leases)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, s.stop()) }()
	file := filepath.Join(b.dir, "started")
	id, err := s.push("sleepers", "sleepers", "sleepers.dig",
		"_parallel: true\n"+repeat(killedTasks, "+t%d:\n  sh>: echo %[1]d >> "+filepath.ToSlash(file)+"; exec sleep 20\n"))
	if err != nil {
		return nil, err
	}
	present, err := s.employ("100")
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, present.kill()) }()
	var slowest time.Duration
	const kills = 5
	for i := range kills {
		next := func() (*agent, error) { return s.employ("100") }
		took, successor, err := s.killUnder(id, file, present, next, time.Duration(i)*shortLease/kills/3)
		if successor != nil {
			present = successor
		}
		if err != nil {
			return nil, errors.Join(err, s.failure())
		}
		slowest = max(slowest, took)
	}
	return []result{{
		name: "agent killed: its tasks run again", got: slowest.Seconds(), limit: (shortLease + time.Second).Seconds(), unit: "s",
		note: fmt.Sprintf("the last of %d tasks, the longest of %d kills; a lease is %s", killedTasks, kills, shortLease),
	}}, nil
}

// killUnder runs an attempt on the present agent, kills that when another one is ready, and returns how long it
// took until all tasks had started again.
func (s *server) killUnder(workflow api.ID, file string, present *agent, next func() (*agent, error), later time.Duration) (took time.Duration, successor *agent, err error) {
	if err := os.Remove(file); err != nil && !errors.Is(err, os.ErrNotExist) {
		return 0, nil, err
	}
	started := func(n int) func() (bool, error) {
		return func() (bool, error) {
			text, err := os.ReadFile(file)
			if errors.Is(err, os.ErrNotExist) {
				return false, nil
			}
			return bytes.Count(text, []byte("\n")) >= n, err
		}
	}
	attempt, err := s.begin(workflow)
	if err == nil {
		err = until(10*time.Second, started(killedTasks))
	}
	if err != nil {
		return 0, nil, err
	}
	if successor, err = next(); err != nil {
		return 0, nil, err
	}
	<-time.After(later)
	killed := time.Now()
	if err := present.kill(); err != nil {
		return 0, successor, err
	}
	err = until(time.Minute, started(2*killedTasks))
	took = time.Since(killed)
	if err == nil {
		_, err = s.KillAttempt(context.Background(), attempt)
	}
	if err == nil {
		err = s.end(attempt)
	}
	return took, successor, err
}
