package main

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"time"

	"github.com/trowel-project/trowel/chaos/wire"
)

// Whoever makes a fault holds the lock of its victim, and undoes what would not pass by itself. A
// process that has ended is restarted by keep. Faults are also undone when the run is interrupted, so
// that nothing stays paused or cut off.

func (c *cluster) killServer(f *fault) error { return c.killFor(&c.servers[f.victim].process, f.hold) }

func (c *cluster) killAgent(f *fault) error { return c.killFor(&c.agents[f.victim].process, f.hold) }

func (c *cluster) killFor(p *process, hold time.Duration) error {
	if !p.runs() {
		return nil
	}
	err := p.kill()
	c.last(hold)
	return err
}

// last waits for the end of a fault.
func (c *cluster) last(hold time.Duration) { sleep(context.Background(), hold) }

func (c *cluster) pauseServer(f *fault) error {
	return c.pauseFor(&c.servers[f.victim].process, f.hold)
}

func (c *cluster) pauseAgent(f *fault) error { return c.pauseFor(&c.agents[f.victim].process, f.hold) }

// pauseFor stops a process without its noticing.
func (c *cluster) pauseFor(p *process, hold time.Duration) error {
	if !p.runs() {
		return nil
	}
	process := p.present()
	if err := suspend(process); err != nil {
		return ended(err)
	}
	c.last(hold)
	return ended(resume(process))
}

// ended ignores the error that a process has ended meanwhile.
func ended(err error) error {
	if errors.Is(err, os.ErrProcessDone) {
		return nil
	}
	return err
}

func (c *cluster) restartServer(f *fault) error {
	return c.stopFor(&c.servers[f.victim].process, f)
}
func (c *cluster) restartAgent(f *fault) error { return c.stopFor(&c.agents[f.victim].process, f) }

// stopFor asks a process to end and, half of the times, a second time, so that it hands back its tasks.
func (c *cluster) stopFor(p *process, f *fault) error {
	if !p.runs() {
		return nil
	}
	if err := p.stop(); err != nil {
		return err
	}
	if f.again {
		c.last(f.hold)
		if err := p.stop(); err != nil {
			return err
		}
	}
	return p.gone(context.Background())
}

func (c *cluster) setServerClock(f *fault) error {
	return setClock(&c.servers[f.victim].process, f.offset)
}

func (c *cluster) setAgentClock(f *fault) error {
	return setClock(&c.agents[f.victim].process, f.offset)
}

// fillAgentDisk leaves an agent no room for its files.
func (c *cluster) fillAgentDisk(f *fault) error {
	g := c.agents[f.victim]
	if !g.ownDisk {
		return nil
	}
	ballast := filepath.Join(g.disk(), "ballast")
	if err := fill(ballast); err != nil {
		return err
	}
	c.last(f.hold)
	return os.Remove(ballast)
}

// crashDatabase ends PostgreSQL as a loss of power would.
func (c *cluster) crashDatabase(f *fault) error {
	ctx := context.Background()
	if err := c.database.server.Stop(ctx); err != nil {
		return err
	}
	c.last(f.hold)
	return c.database.server.Start(ctx)
}

// restartDatabase ends PostgreSQL as its operators do: it ends transactions and writes everything to disk.
func (c *cluster) restartDatabase(f *fault) error {
	ctx := context.Background()
	if err := c.database.server.Shutdown(ctx); err != nil {
		return err
	}
	c.last(f.hold)
	return c.database.server.Start(ctx)
}

// endBackends ends all connections to PostgreSQL.
func (c *cluster) endBackends(*fault) error {
	return c.database.cutConnections(context.Background())
}

func (c *cluster) resetWire(f *fault) error {
	c.wires[f.victim].Reset()
	return nil
}

func (c *cluster) holdWire(f *fault) error {
	return c.holdFor(f, wire.Forth, wire.Back)
}
func (c *cluster) holdOneWay(f *fault) error { return c.holdFor(f, f.direction) }

func (c *cluster) holdFor(f *fault, directions ...wire.Direction) error {
	c.wires[f.victim].Hold(directions...)
	c.last(f.hold)
	c.wires[f.victim].Mend()
	if f.again {
		c.wires[f.victim].Reset() // as a firewall does that has forgotten a connection
	}
	return nil
}

func (c *cluster) slowWire(f *fault) error {
	c.wires[f.victim].Slow(f.hold / 20)
	c.last(f.hold)
	c.wires[f.victim].Mend()
	return nil
}

func (c *cluster) endOneWay(f *fault) error {
	c.wires[f.victim].End(f.direction)
	return nil
}
