package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// mode is one kind of trouble.
type mode struct {
	name      string
	postgres  bool // rather than SQLite
	files     bool // archives and logs are in a folder, not in the database
	servers   int  // zero means one
	wired     bool // the first server has a connection to PostgreSQL that can be cut
	cluster   bool // has faults of all kinds, limits, and a wire between any two that talk
	agents    int  // number of remote agents in a cluster
	poison    int  // agent.poison_limit, for a cluster whose tasks kill agents; zero for none
	smallDisk int  // size in megabytes of the disk of database and files; zero for no separate disk

	trouble func(ctx context.Context, a *arena) (troubles int, err error)
	own     func(ctx context.Context, a *arena) error // replaces load, trouble and check
}

func modes() []*mode {
	return []*mode{
		{name: "first-start-sqlite", own: firstStarts},
		{name: "first-start-postgresql", postgres: true, own: firstStarts},
		{name: "kill-sqlite", files: true, trouble: killing},
		{name: "kill-postgresql", postgres: true, trouble: killing},
		{name: "kill-two-servers", postgres: true, files: true, servers: 2, trouble: killingTwo},
		{name: "stop-sqlite", trouble: stopping},
		{name: "stop-two-servers", postgres: true, servers: 2, trouble: stopping},
		{name: "database-restarted", postgres: true, servers: 2, trouble: restartingDatabase},
		{name: "connections-cut", postgres: true, files: true, servers: 2, trouble: cuttingConnections},
		{name: "network-cut", postgres: true, files: true, servers: 2, wired: true, trouble: cuttingNetwork},
		{name: "disk-full", files: true, smallDisk: 48, trouble: fillingDisk},
		{name: "storm", postgres: true, files: true, servers: 2, trouble: storming},
		{name: "cluster", postgres: true, files: true, servers: 3, cluster: true, agents: 4, trouble: clustering},
		{name: "cluster-local", postgres: true, files: true, servers: 3, cluster: true, trouble: clustering},
		{name: "poison", postgres: true, files: true, servers: 2, cluster: true, agents: 4, poison: 5, trouble: poisoning},
		{name: "schedules-together", postgres: true, servers: 2, own: schedulesTogether},
	}
}

// killing kills the server at random moments, sometimes while it starts.
func killing(ctx context.Context, a *arena) (int, error) {
	s := a.servers[0]
	for n := range a.kills {
		if a.rand.IntN(5) > 0 {
			if err := s.ready(ctx); err != nil {
				return n, err
			}
		}
		if err := a.live(ctx, s, time.Duration(a.rand.Int64N(int64(1500*time.Millisecond)))); err != nil {
			return n, err
		}
		if err := errors.Join(s.kill(), s.start(ctx)); err != nil {
			return n, err
		}
	}
	return a.kills, nil
}

// live lets a server work for a while. It must not end by itself.
func (a *arena) live(ctx context.Context, s *server, d time.Duration) error {
	if !sleep(ctx, d) {
		return context.Cause(ctx)
	}
	return s.failed()
}

// killingTwo kills one of two servers, or pauses it for longer than its lease.
func killingTwo(ctx context.Context, a *arena) (int, error) {
	for n := range a.kills {
		s := a.servers[a.rand.IntN(len(a.servers))]
		if err := s.ready(ctx); err != nil {
			return n, err
		}
		if err := a.live(ctx, s, time.Duration(a.rand.Int64N(int64(time.Second)))); err != nil {
			return n, err
		}
		if a.rand.IntN(10) == 0 {
			if err := a.hold(ctx, s); err != nil {
				return n, err
			}
			continue
		}
		if err := errors.Join(s.kill(), s.start(ctx)); err != nil {
			return n, err
		}
	}
	return a.kills, nil
}

// hold pauses the process without its noticing, until its tasks belong to somebody else.
func (a *arena) hold(ctx context.Context, s *server) error {
	process := s.present()
	if err := suspend(process); err != nil {
		return err
	}
	sleep(ctx, 4*time.Second)
	if err := resume(process); err != nil {
		return err
	}
	return a.live(ctx, s, time.Second)
}

// stopping asks servers to end, as an operator of a machine does, and usually a second time
// (server 3.3).
func stopping(ctx context.Context, a *arena) (int, error) {
	const share = 5 // of the kills, as an orderly end takes long
	for n := range max(a.kills/share, 3) {
		s := a.servers[a.rand.IntN(len(a.servers))]
		if err := s.ready(ctx); err != nil {
			return n, err
		}
		if err := a.live(ctx, s, time.Duration(a.rand.Int64N(int64(2*time.Second)))); err != nil {
			return n, err
		}
		if err := a.shutDown(ctx, s); err != nil {
			return n, err
		}
		if err := s.start(ctx); err != nil {
			return n, err
		}
	}
	return max(a.kills/share, 3), nil
}

// shutDown ends a server, and checks its log and that no process which it started is left.
func (a *arena) shutDown(ctx context.Context, s *server) error {
	if err := s.stop(); err != nil {
		return err
	}
	again := a.rand.IntN(4) > 0
	if again {
		sleep(ctx, time.Duration(a.rand.Int64N(int64(1500*time.Millisecond))))
		if err := s.stop(); err != nil {
			return err
		}
	}
	if err := s.left(ctx); err != nil {
		return err
	}
	text, at := s.said(), 0
	for _, line := range []string{
		"Started shutdown process", "Closing HTTP listening sockets", "Waiting for completion of running HTTP requests...",
		"Shutting down HTTP worker threads", "Shutting down system", "Shutdown completed",
	} {
		next := strings.Index(text[at:], line)
		if next < 0 {
			return fmt.Errorf("%q is missing, or comes too early: %s", line, s.tail())
		}
		at += next
	}
	if len(a.servers) > 1 {
		return nil // processes of the other server look the same
	}
	for _, left := range started(a.dir) {
		a.violation("a stopped server leaves a process behind: %s", left)
	}
	return nil
}

// started returns the processes that a server with a mark has started, where there is /proc.
func started(mark string) (found []string) {
	files, err := filepath.Glob("/proc/[0-9]*/environ")
	if err != nil {
		return nil
	}
	for _, file := range files {
		environment, err := os.ReadFile(file)
		if err != nil || !strings.Contains(string(environment), markVariable+"="+mark+"\x00") {
			continue
		}
		command, err := os.ReadFile(filepath.Join(filepath.Dir(file), "cmdline"))
		if err == nil && len(command) > 0 {
			found = append(found, strings.ReplaceAll(string(command), "\x00", " "))
		}
	}
	return found
}
