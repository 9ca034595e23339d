package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/trowel-project/trowel/chaos/wire"
)

// slots is how many tasks each agent runs at a time, in servers and in processes of its own.
const slots = 4

// cluster has several servers and remote agents, with a wire between any two that talk, and
// makes faults in all of them.
type cluster struct {
	*arena

	agents []*agent
	wires  []*namedWire

	// Each victim has one fault at a time. Whoever holds its lock decides whether it runs.
	ofServer, ofAgent, ofWire []sync.Mutex
	ofDatabase                sync.Mutex

	log    *faultLog
	watch  *watcher
	end    func() // ends the goroutines that restart processes
	others sync.WaitGroup
}

// namedWire is a wire with its two ends.
type namedWire struct {
	*wire.Wire

	name string
}

// newCluster makes the wires and agents for an arena whose servers are made.
func newCluster(ctx context.Context, a *arena, agents int) (*cluster, error) {
	c := &cluster{arena: a, log: newFaultLog(filepath.Join(a.dir, "faults.log"))}
	for i, s := range a.servers {
		s.name = fmt.Sprintf("server%d", i)
		toDatabase, err := a.wireToDatabase(ctx)
		if err != nil {
			return nil, err
		}
		c.addWire(s.name+" to database", toDatabase)
		s.settings = append(s.settings, fmt.Sprintf("database.port = %d", toDatabase.Port()))
		if s.wire, err = wire.New(ctx, s.address); err != nil {
			return nil, err
		}
		c.addWire("clients to "+s.name, s.wire)
		s.environment = append(s.environment, clockVariable+"="+s.path("clock"))
	}
	for i := range agents {
		if err := c.addAgent(ctx, i); err != nil {
			return nil, err
		}
	}
	c.ofServer, c.ofAgent, c.ofWire = make([]sync.Mutex, len(a.servers)), make([]sync.Mutex, len(c.agents)), make([]sync.Mutex, len(c.wires))
	return c, nil
}

// joinCluster makes an arena a cluster: it has limits and, unless agents is zero, remote agents.
func (a *arena) joinCluster(ctx context.Context, agents int) (err error) {
	a.workflows = append(a.workflows, limited(agents > 0)...)
	if a.mode.poison > 0 {
		a.workflows, a.apart = quick(a.workflows), []workflow{deadly()}
	}
	a.bounds = bounds(a.seed%2 == 0)
	for i, s := range a.servers {
		s.settings = append(s.settings, fmt.Sprintf("agent.max-task-threads = %d", slots))
		if (i > 0 || a.mode.poison > 0) && agents > 0 {
			s.arguments = []string{"--disable-local-agent"}
		}
	}
	if err := a.database.makePools(ctx); err != nil {
		return err
	}
	a.cluster, err = newCluster(ctx, a, agents)
	return err
}

func (c *cluster) addWire(name string, w *wire.Wire) {
	c.wires = append(c.wires, &namedWire{w, name})
}

// sizes returns how many victims there are.
func (c *cluster) sizes() map[victims]int {
	return map[victims]int{ofServers: len(c.servers), ofAgents: len(c.agents), ofWires: len(c.wires), ofDatabase: 1}
}

// clustering makes faults one after the other, some while others last.
func clustering(ctx context.Context, a *arena) (int, error) {
	const atOnce = 4
	c := a.cluster
	if err := c.begin(ctx); err != nil {
		return 0, err
	}
	failed, fail := context.WithCancelCause(ctx)
	defer fail(nil)
	var faults sync.WaitGroup
	room := make(chan struct{}, atOnce)
	for n := range c.faults {
		f := planFault(c.seed, n, kinds(c.seed), c.sizes())
		if !sleep(failed, f.gap) {
			break
		}
		room <- struct{}{}
		faults.Go(func() {
			defer func() { <-room }()
			if err := c.strike(f); err != nil {
				fail(fmt.Errorf("fault %d, %s: %w", f.number, f.kind.name, err))
			}
		})
	}
	faults.Wait()
	err := context.Cause(failed)
	return c.log.total(), errors.Join(err, c.calm(ctx))
}

// strike makes one fault, from its beginning to its end.
func (c *cluster) strike(f *fault) error {
	lock, name := c.victim(f)
	lock.Lock()
	defer lock.Unlock()
	c.log.add(f, name)
	return f.kind.do(c, f)
}

// victim returns the lock and the name of a fault's victim.
func (c *cluster) victim(f *fault) (lock *sync.Mutex, name string) {
	switch f.kind.of {
	case ofServers:
		return &c.ofServer[f.victim], c.servers[f.victim].name
	case ofAgents:
		return &c.ofAgent[f.victim], c.agents[f.victim].name
	case ofWires:
		return &c.ofWire[f.victim], c.wires[f.victim].name
	case ofDatabase:
	}
	return &c.ofDatabase, "database"
}

// begin starts the agents, and the goroutines that keep all processes running.
func (c *cluster) begin(ctx context.Context) error {
	for _, g := range c.agents {
		if err := g.start(ctx); err != nil {
			return err
		}
	}
	keeping, end := context.WithCancel(ctx)
	c.end = end
	for i, s := range c.servers {
		c.others.Go(func() { c.keep(keeping, &s.process, &c.ofServer[i], s.start, s.listened) })
	}
	for i, g := range c.agents {
		c.others.Go(func() { c.keep(keeping, &g.process, &c.ofAgent[i], g.start, g.connected) })
	}
	var err error
	c.watch, err = newWatcher(ctx, c)
	if err != nil {
		return err
	}
	c.others.Go(func() { c.watch.run(keeping) })
	return nil
}

// keep restarts a process that has ended, as a machine does. A healthy process must not end by itself.
func (c *cluster) keep(ctx context.Context, p *process, lock *sync.Mutex, start func(context.Context) error, well func() bool) {
	for sleep(ctx, 50*time.Millisecond) {
		if p.runs() || !lock.TryLock() {
			continue
		}
		if err := p.failed(); err != nil {
			switch {
			case p.mayDie && p.wasKilled():
				c.count("agents killed by tasks")
			case well():
				c.violation("%v", err)
			default:
				c.count("starts in vain")
			}
			sleep(ctx, 200*time.Millisecond)
		}
		if err := start(ctx); err != nil {
			c.violation("start %s: %v", p.name, err)
		}
		lock.Unlock()
	}
}

// calm undoes all faults and stops restarting processes.
func (c *cluster) calm(ctx context.Context) error {
	for _, w := range c.wires {
		w.Mend()
	}
	for _, p := range c.processes() {
		if err := setClock(p, 0); err != nil {
			return err
		}
	}
	sleep(ctx, leaseTime)
	c.end()
	c.others.Wait()
	if err := c.undrain(ctx); err != nil {
		return err
	}
	for _, g := range c.agents {
		if !g.runs() {
			if err := g.start(ctx); err != nil {
				return err
			}
		}
	}
	return nil
}

// leave ends the agents. After that nothing is held.
func (c *cluster) leave(ctx context.Context) error {
	for _, g := range c.agents {
		if err := g.stop(); err != nil {
			return err
		}
	}
	for _, g := range c.agents {
		if err := g.left(ctx); err != nil {
			return err
		}
		if strings.Contains(g.said(), "panic") {
			c.violation("an agent has panicked, see %s", g.logFile())
		}
		if err := c.countRoom(g); err != nil {
			return err
		}
	}
	return c.watch.settled(ctx)
}

// countRoom counts how often an agent took no tasks because its disk was full, in all its lives.
func (c *cluster) countRoom(g *agent) error {
	text, err := os.ReadFile(g.logFile())
	for range strings.Count(string(text), "this agent has no room") {
		c.count("agents without room")
	}
	return err
}

func (c *cluster) processes() []*process {
	var list []*process
	for _, s := range c.servers {
		list = append(list, &s.process)
	}
	for _, g := range c.agents {
		list = append(list, &g.process)
	}
	return list
}

// close ends everything that is left of the cluster.
func (c *cluster) close() error {
	if c.end != nil {
		c.end()
	}
	c.others.Wait()
	var errs []error
	for _, g := range c.agents {
		if g.runs() {
			_ = g.kill() // it has ended already, unless something went wrong
		}
		errs = append(errs, g.unmount())
	}
	for _, w := range c.wires {
		errs = append(errs, w.Close())
	}
	if c.watch != nil {
		errs = append(errs, c.watch.close())
	}
	return errors.Join(append(errs, c.log.close())...)
}

// summary returns the faults by kind.
func (c *cluster) summary() string {
	var text strings.Builder
	for _, k := range kinds(c.seed) {
		if n := c.log.counts[k.name]; n > 0 {
			fmt.Fprintf(&text, "  %4d %s\n", n, k.name)
		}
	}
	return text.String()
}

// clockVariable is the environment variable with the file that sets the clock of a process built for chaos.
const clockVariable = "TROWEL_CLOCK_OFFSET"

// setClock makes the clock of a process wrong by an offset.
func setClock(p *process, offset time.Duration) error {
	file := p.path("clock")
	if err := os.WriteFile(file+".new", []byte(offset.String()), 0o600); err != nil {
		return err
	}
	return os.Rename(file+".new", file)
}
