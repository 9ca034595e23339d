package hub

import (
	"context"
	"errors"
	"io"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	trowel "github.com/trowel-project/trowel"
)

func tryNumber(task int) trowel.TryID { return trowel.TryID{Task: trowel.TaskID(task), Number: 1} }

func leaseNumber(task int) *trowel.Lease {
	return &trowel.Lease{TaskID: trowel.TaskID(task), AttemptID: 1, Try: 1, Context: &trowel.AttemptContext{}}
}

func newPeer(slots int) *peer {
	return &peer{
		id: "a", now: time.Now, silent: 20 * time.Second, given: map[trowel.TryID]*grant{}, endings: &endings{}, row: trowel.Agent{ID: "a", Name: "a", Slots: slots},
	}
}

func newStream(p *peer) *Stream {
	return &Stream{peer: p, keepAlive: time.Second, wake: make(chan struct{}, 1)}
}

func sortedTries(list []trowel.TryID) (tasks []int) {
	for _, id := range list {
		tasks = append(tasks, int(id.Task))
	}
	slices.Sort(tasks)
	return tasks
}

// What was given and did not arrive is sent again at the next connection, and only that.
func TestReconnect(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		name    string
		sent    []int // given on the earlier stream
		waiting []int // given while there was no stream
		running []int // by the database
		killed  []int // of those
		held    []int // by the agent
		again   []int // to be had from the flusher
		leases  []int
		lost    []int
		cancel  []int
	}{
		{name: "nothing"},
		{name: "all arrived", sent: []int{1, 2}, running: []int{1, 2}, held: []int{1, 2}},
		{name: "one was lost on the way", sent: []int{1, 2}, running: []int{1, 2}, held: []int{1}, leases: []int{2}},
		{name: "given while it was away", waiting: []int{3}, running: []int{3}, leases: []int{3}},
		{name: "given after the database was asked", waiting: []int{3}, leases: []int{3}},
		{name: "released while it was away", sent: []int{1}},
		{name: "from another server", running: []int{1, 2}, held: []int{1}, again: []int{2}},
		{name: "not its own any more", running: []int{1}, held: []int{1, 2}, lost: []int{2}},
		{name: "killed while it was away", sent: []int{1}, running: []int{1}, killed: []int{1}, held: []int{1}, cancel: []int{1}},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			p := newPeer(10)
			first := newStream(p)
			p.reconnect(first, nil, nil)
			give := func(tasks []int) {
				for _, task := range tasks {
					p.Assign([]*trowel.Lease{leaseNumber(task)})
				}
			}
			give(row.sent)
			first.take()
			first.Close()
			give(row.waiting)
			running := map[trowel.TryID]trowel.LiveTask{}
			for _, task := range row.running {
				live := trowel.LiveTask{TaskID: trowel.TaskID(task), Try: 1}
				if slices.Contains(row.killed, task) {
					live.Flags = trowel.TaskCancelRequested
				}
				running[tryNumber(task)] = live
			}
			held := map[trowel.TryID]bool{}
			for _, task := range row.held {
				held[tryNumber(task)] = true
			}
			second := newStream(p)
			again := p.reconnect(second, running, held)
			var leases []int
			for _, lease := range second.leases {
				leases = append(leases, int(lease.TaskID))
			}
			slices.Sort(leases)
			got := [][]int{sortedTries(again), leases, sortedTries(second.lost), sortedTries(second.cancel)}
			if diff := cmp.Diff([][]int{row.again, row.leases, row.lost, row.cancel}, got); diff != "" {
				t.Errorf("again, leases, lost, cancel (-want +got):\n%s", diff)
			}
			if !first.closed {
				t.Error("the earlier stream goes on")
			}
		})
	}
}

// A lease that the flusher gives twice is sent once, and a slot is free when its try has ended.
func TestSlots(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		p := newPeer(2)
		if p.Free() != 0 {
			t.Error("an agent without a connection takes tasks")
		}
		s := newStream(p)
		p.reconnect(s, nil, nil)
		p.Assign([]*trowel.Lease{leaseNumber(1)})
		p.Assign([]*trowel.Lease{leaseNumber(1)})
		if len(s.leases) != 1 || p.Free() != 1 {
			t.Errorf("%d leases are sent and %d slots are free, want 1 and 1", len(s.leases), p.Free())
		}
		known := p.has(tryNumber(1), 1)
		p.end(tryNumber(1), func() {})
		if !known || p.has(tryNumber(1), 1) || p.Free() != 2 {
			t.Error("a try ends once, and gives its slot back")
		}
		p.drain(time.Now())
		if p.Free() != 0 || s.drained == nil || !*s.drained {
			t.Error("a drained agent takes tasks")
		}
		p.drain(time.Time{})
		<-time.After(21 * time.Second)
		if p.Free() != 0 {
			t.Error("an agent that is silent takes tasks")
		}
		p.alive(false)
		if p.Free() != 2 {
			t.Error("an agent that is heard again takes none")
		}
		p.alive(true)
		if p.Free() != 0 {
			t.Error("an agent that is about to end takes tasks")
		}
	})
}

// What the agent never says anything about is given up after two heartbeats.
func TestCompareForgets(t *testing.T) {
	t.Parallel()
	p := newPeer(2)
	p.reconnect(newStream(p), nil, nil)
	p.Assign([]*trowel.Lease{leaseNumber(1)})
	for n, want := range []int{1, 2} {
		if lost, again := p.compare(nil, nil); len(lost)+len(again) > 0 || p.Free() != want {
			t.Errorf("after heartbeat %d: lost %v, again %v, %d slots free; want nothing and %d", n+1, lost, again, p.Free(), want)
		}
	}
}

// A stream without news says that it lives, and ends with its agent or its context.
func TestStream(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		p := newPeer(2)
		s := newStream(p)
		p.reconnect(s, nil, nil)
		began := time.Now()
		message, err := s.Next(t.Context())
		if err != nil || len(message.Leases) > 0 || time.Since(began) != time.Second {
			t.Errorf("Next = %+v, %v after %v, want an empty message after 1 s", message, err, time.Since(began))
		}
		p.Assign([]*trowel.Lease{leaseNumber(1), leaseNumber(2)})
		p.Cancel([]trowel.TryID{tryNumber(1), tryNumber(9)})
		message, err = s.Next(t.Context())
		if err != nil || len(message.Leases) != 2 || len(message.Cancel) != 1 || message.Cancel[0].TaskID != 1 {
			t.Errorf("Next = %+v, %v, want two leases and a kill", message, err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if _, err := s.Next(ctx); !errors.Is(err, context.Canceled) {
			t.Errorf("Next after the end of the context: %v", err)
		}
		p.leave()
		if message, err := s.Next(t.Context()); err != nil || !message.Leave {
			t.Errorf("Next = %+v, %v, want that the agent is to leave", message, err)
		}
		if _, err := s.Next(t.Context()); !errors.Is(err, io.EOF) {
			t.Errorf("Next after the end: %v, want io.EOF", err)
		}
		s.Close()
	})
}
