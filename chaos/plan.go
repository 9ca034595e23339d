package main

import (
	"math/rand/v2"
	"time"

	"github.com/trowel-project/trowel/chaos/wire"
)

// fault is one fault in a cluster. It is determined by the seed and the number, so that
// a run can be repeated with its seed.
type fault struct {
	number    int
	kind      *kind
	gap       time.Duration // after the beginning of the previous fault
	victim    int           // index among those that the kind can hit
	hold      time.Duration // how long it lasts
	offset    time.Duration // of a clock
	direction wire.Direction
	again     bool // it gets worse half-way
}

// kind is a kind of fault.
type kind struct {
	name   string
	weight int // how often it occurs, relative to others
	of     victims
	least  time.Duration // how long it lasts
	most   time.Duration
	skew   time.Duration // the largest error of a clock
	do     func(c *cluster, f *fault) error
}

// victims are what a kind of fault can hit.
type victims int

const (
	ofServers victims = iota
	ofAgents
	ofWires
	ofDatabase
)

// leaseTime is the length of a lease here. A process that is paused for longer loses it.
const leaseTime = 3 * time.Second

// kinds returns all kinds of faults. The seed decides whether the clocks of servers are changed, in every other run.
// If not, their instants can be compared with those of the database.
func kinds(seed uint64) []*kind {
	const s = time.Second
	skew := int(seed % 2)
	return []*kind{
		{name: "server killed", weight: 10, of: ofServers, most: 3 * s / 2, do: (*cluster).killServer},
		{name: "server paused", weight: 4, of: ofServers, least: leaseTime + s/2, most: 2 * leaseTime, do: (*cluster).pauseServer},
		{name: "server restarted", weight: 5, of: ofServers, most: 2 * s, do: (*cluster).restartServer},
		{name: "server's clock set", weight: 4 * skew, of: ofServers, skew: 3 * s / 2, do: (*cluster).setServerClock},
		{name: "agent killed", weight: 10, of: ofAgents, most: 3 * s / 2, do: (*cluster).killAgent},
		{name: "agent paused", weight: 5, of: ofAgents, least: leaseTime + s/2, most: 2 * leaseTime, do: (*cluster).pauseAgent},
		{name: "agent restarted", weight: 5, of: ofAgents, most: 2 * s, do: (*cluster).restartAgent},
		{name: "agent drained", weight: 3, of: ofAgents, least: s, most: 4 * s, do: (*cluster).drainAgent},
		{name: "agent's clock set", weight: 5, of: ofAgents, skew: 2 * time.Hour, do: (*cluster).setAgentClock},
		{name: "agent's disk full", weight: 3, of: ofAgents, least: s, most: 4 * s, do: (*cluster).fillAgentDisk},
		{name: "database crashed", weight: 2, of: ofDatabase, most: 3 * s, do: (*cluster).crashDatabase},
		{name: "database restarted", weight: 2, of: ofDatabase, most: s, do: (*cluster).restartDatabase},
		{name: "backends ended", weight: 3, of: ofDatabase, do: (*cluster).endBackends},
		{name: "wire reset", weight: 10, of: ofWires, do: (*cluster).resetWire},
		{name: "wire dead", weight: 6, of: ofWires, least: s / 2, most: 2 * leaseTime, do: (*cluster).holdWire},
		{name: "wire dead one way", weight: 6, of: ofWires, least: s / 2, most: 2 * leaseTime, do: (*cluster).holdOneWay},
		{name: "wire slow", weight: 4, of: ofWires, least: s, most: 5 * s, do: (*cluster).slowWire},
		{name: "wire half closed", weight: 7, of: ofWires, do: (*cluster).endOneWay},
	}
}

// gapMost is the longest time without a new fault.
const gapMost = 600 * time.Millisecond

// planFault decides on a fault. sizes has the numbers of victims.
func planFault(seed uint64, number int, kinds []*kind, sizes map[victims]int) *fault {
	r := rand.New(rand.NewPCG(seed, uint64(number))) //nolint:gosec // no secret
	total := 0
	for _, k := range kinds {
		if sizes[k.of] > 0 {
			total += k.weight
		}
	}
	f := &fault{number: number, gap: within(r, 0, gapMost)}
	for at := r.IntN(total); f.kind == nil; {
		k := kinds[0]
		kinds = kinds[1:]
		if sizes[k.of] == 0 {
			continue
		}
		if at < k.weight {
			f.kind = k
		}
		at -= k.weight
	}
	f.victim = r.IntN(sizes[f.kind.of])
	f.hold = within(r, f.kind.least, f.kind.most)
	f.offset = within(r, -f.kind.skew, f.kind.skew)
	f.direction = wire.Direction(r.IntN(2))
	f.again = r.IntN(2) == 0
	return f
}

// within returns a random duration from least up to, but not including, most.
func within(r *rand.Rand, least, most time.Duration) time.Duration {
	if most <= least {
		return least
	}
	return least + time.Duration(r.Int64N(int64(most-least)))
}
