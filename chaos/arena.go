package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"time"

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/chaos/verify"
	"github.com/trowel-project/trowel/chaos/wire"
	"github.com/trowel-project/trowel/internal/api"
	"github.com/trowel-project/trowel/internal/client"
)

// secretKey encrypts the secrets of all servers.
const secretKey = "MDEyMzQ1Njc4OTAxMjM0NQ=="

// settleTime is how long everything that was accepted may take to end once the trouble is over.
const settleTime = 2 * time.Minute

// arena is where a mode runs: a database, servers on it, and a load.
type arena struct {
	*load

	mode     *mode
	dir      string
	dataDir  string // of SQLite and of the files of servers
	rand     *rand.Rand
	kills    int
	database *database
	bounds   []verify.Bound // of the load
	seed     uint64
	faults   int        // of a cluster
	cluster  *cluster   // nil if there is none
	wire     *wire.Wire // nil if it is not wired
	unmount  func() error
}

// newArena makes folders and database. It starts no server.
func newArena(ctx context.Context, m *mode, opts options) (*arena, error) {
	a := &arena{
		mode: m, dir: filepath.Join(opts.dir, m.name), kills: opts.kills, seed: opts.seed, faults: opts.faults,
		rand: rand.New(rand.NewPCG(opts.seed, 0)), //nolint:gosec // no secret
	}
	a.dataDir = filepath.Join(a.dir, "data")
	a.load = &load{ledger: newLedger(), workflows: workflows(), marks: filepath.Join(a.dir, "marks"), began: time.Now().UTC().Truncate(time.Minute)}
	for _, dir := range []string{a.dir, a.dataDir, a.marks} {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			return nil, err
		}
	}
	if err := a.openDatabase(ctx); err != nil {
		return nil, err
	}
	for n := range max(m.servers, 1) {
		dir := filepath.Join(a.dir, fmt.Sprintf("server%d", n))
		if err := os.MkdirAll(filepath.Join(dir, "tmp"), 0o700); err != nil {
			return nil, errors.Join(err, a.database.close())
		}
		s := newServer(opts.bin, dir, a.dir)
		s.settings = append([]string{
			"server.port = 0", "digdag.secret-encryption-key = " + secretKey, "executor.attempt_max_run = 2000",
			"agent.heartbeat-interval = 1", "agent.lock-retention-time = 3", "kill_grace = 1s", "tmpdir = " + filepath.Join(dir, "tmp"),
			"agent.poison_limit = " + strconv.Itoa(m.poison), // where servers are killed all the time, losing an agent is not a task's fault
		}, a.database.settings...)
		if m.files {
			s.settings = append(s.settings, "archive.type = file", "archive.file.path = "+filepath.Join(a.dataDir, "archives"),
				"log-server.type = file", "log-server.file.path = "+filepath.Join(a.dataDir, "logs"))
		}
		if m.wired && n == 0 {
			var err error
			if a.wire, err = a.wireToDatabase(ctx); err != nil {
				return nil, errors.Join(err, a.database.close())
			}
			s.settings = append(s.settings, "database.port = "+strconv.Itoa(a.wire.Port()))
		}
		a.servers = append(a.servers, s)
	}
	if m.cluster {
		return a, a.joinCluster(ctx, m.agents)
	}
	return a, nil
}

func (a *arena) openDatabase(ctx context.Context) (err error) {
	a.unmount = func() error { return nil }
	if a.mode.smallDisk > 0 {
		if a.unmount, err = mountSmall(ctx, a.dataDir, a.mode.smallDisk); err != nil {
			return err
		}
	}
	if a.mode.postgres {
		a.database, err = newPostgreSQL(ctx)
		return err
	}
	a.database = newSQLite(a.dataDir)
	return nil
}

// play makes trouble under load and checks the result.
func (m *mode) play(ctx context.Context, opts options) (err error) {
	a, err := newArena(ctx, m, opts)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, a.close()) }()
	if m.own != nil {
		return errors.Join(m.own(ctx, a), a.verdict())
	}
	if err := a.startAll(ctx); err != nil {
		return err
	}
	began := time.Now()
	loading, end := context.WithCancel(ctx)
	var load sync.WaitGroup
	load.Go(func() { a.run(loading) })
	var troubles int
	if err = a.underWay(ctx); err == nil {
		troubles, err = m.trouble(ctx, a)
	}
	end()
	load.Wait()
	if err != nil {
		return errors.Join(err, a.verdict())
	}
	if err = a.settle(ctx); err == nil {
		err = a.check(ctx)
	}
	if err != nil {
		return errors.Join(err, a.verdict())
	}
	fmt.Printf("%-22s %s\n", m.name, a.summary(troubles, time.Since(began)))
	if a.cluster != nil {
		fmt.Print(a.cluster.summary())
	}
	return a.verdict()
}

// underWay waits until there is something to lose.
func (a *arena) underWay(ctx context.Context) error {
	for len(a.all()) < 10 {
		if err := a.steady(ctx, 50*time.Millisecond); err != nil {
			return err
		}
	}
	return nil
}

// verdict returns all violations.
func (a *arena) verdict() error {
	a.mu.Lock()
	defer a.mu.Unlock()
	if len(a.wrong) == 0 {
		return nil
	}
	return fmt.Errorf("%d violations:\n  %s", a.counts["violations"], strings.Join(a.wrong, "\n  "))
}

// startAll starts all servers that do not run and waits until they listen.
func (a *arena) startAll(ctx context.Context) error {
	for _, s := range a.servers {
		if !s.runs() {
			if err := s.start(ctx); err != nil {
				return err
			}
		}
	}
	for _, s := range a.servers {
		if err := s.ready(ctx); err != nil {
			return err
		}
	}
	return nil
}

func isClosed(c <-chan struct{}) bool {
	select {
	case <-c:
		return true
	default:
		return false
	}
}

// settle waits until all attempts have ended, and records their ends.
func (a *arena) settle(ctx context.Context) error {
	if err := a.startAll(ctx); err != nil {
		return err
	}
	within, cancel := context.WithTimeout(ctx, settleTime)
	defer cancel()
	if err := a.disableSchedules(within); err != nil {
		return err
	}
	var running []string
	for {
		found, err := a.listRunning(within)
		if err != nil && within.Err() == nil {
			return err
		}
		if err == nil {
			if running = found; len(running) == 0 {
				break
			}
		}
		if !sleep(within, 200*time.Millisecond) {
			err := fmt.Errorf("%d attempts do not end, as %s; the goroutines of servers are in their logs", len(running), strings.Join(running[:min(5, len(running))], "; "))
			if a.mode.postgres {
				err = errors.Join(err, a.stuck(ctx))
			}
			for _, s := range a.servers {
				err = errors.Join(err, s.dump())
			}
			return err
		}
	}
	return nil
}

// stuck says what attempts that do not end wait for.
func (a *arena) stuck(ctx context.Context) error {
	store, err := a.database.open(ctx)
	if err != nil {
		return err
	}
	var waits strings.Builder
	err = store.View(ctx, func(tx trowel.Tx) error {
		running, err := tx.ListRunning(ctx, 0, 10)
		if err != nil {
			return err
		}
		for i := range running {
			attempt, errAttempt := tx.FindAttempt(ctx, running[i].ID)
			tasks, errTasks := tx.ListTasks(ctx, running[i].ID, -1)
			if err := errors.Join(errAttempt, errTasks); err != nil {
				return err
			}
			fmt.Fprintf(&waits, "\n  attempt %d, waiting for %q, at %s:", attempt.ID, attempt.WaitReason, time.Now().UTC())
			for _, t := range tasks {
				if !t.State.Done() {
					fmt.Fprintf(&waits, "\n    %s is %s %s: try %d of %s, ready %s, retry %s, needs %s, holds %v", t.FullName, t.State, t.WaitReason, t.Try, t.AgentID,
						t.ReadyAt, t.RetryAt, needs(t), t.Acquired)
				}
			}
		}
		uses, err := tx.ListCounters(ctx)
		fmt.Fprintf(&waits, "\n  limits used: %v", uses)
		return err
	})
	return errors.Join(err, store.Close(), errors.New(waits.String()))
}

// needs returns what a task needs, as JSON.
func needs(t *trowel.Task) string {
	text, err := json.Marshal(t.Requirements)
	if err != nil {
		return err.Error()
	}
	return string(text)
}

// disableSchedules disables schedules, which would begin attempts for ever.
func (a *arena) disableSchedules(ctx context.Context) error {
	return a.ask(ctx, func(ctx context.Context, c *client.Client) error {
		for last := api.ID(0); ; {
			list, err := c.ListSchedules(ctx, last)
			if err != nil || len(list.Schedules) == 0 {
				return err
			}
			for _, s := range list.Schedules {
				if _, err := c.DisableSchedule(ctx, s.ID); err != nil {
					return err
				}
				last = s.ID
			}
		}
	})
}

// listRunning returns the attempts that have not ended.
func (a *arena) listRunning(ctx context.Context) (running []string, err error) {
	err = a.ask(ctx, func(ctx context.Context, c *client.Client) error {
		running = nil
		for last := api.ID(0); ; {
			list, err := c.ListAttempts(ctx, client.AttemptQuery{IncludeRetried: true, Page: client.Page{LastID: last}})
			if err != nil || len(list.Attempts) == 0 {
				return err
			}
			for _, attempt := range list.Attempts {
				if !attempt.Done {
					running = append(running, fmt.Sprintf("%d (%s)", attempt.ID, attempt.Workflow.Name))
				}
				last = attempt.ID
			}
		}
	})
	return running, err
}

// close ends everything that is left of an arena.
func (a *arena) close() error {
	for _, s := range a.servers {
		if s.over() != nil {
			_ = s.kill() // it has ended already, unless something went wrong
		}
	}
	var errWire error
	if a.wire != nil {
		errWire = a.wire.Close()
	}
	if a.cluster != nil {
		errWire = a.cluster.close()
	}
	return errors.Join(errWire, a.database.close(), a.unmount())
}
