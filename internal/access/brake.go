package access

import (
	"container/list"
	"errors"
	"net/netip"
	"sync"
	"time"

	"github.com/trowel-project/trowel"
)

// Limits of guessing. An address that failed so often within the window may try once in a pause, until it has failed
// less often. Other tries are refused without a check, so that a right guess looks like a wrong one.
const (
	brakeFailures = 10
	brakeWindow   = time.Minute
	brakePause    = time.Second
	// brakeAddresses is how many addresses are remembered. If there are more, those whose failures are oldest are forgotten.
	brakeAddresses = 10_000
	// brakeReports is the largest number of addresses that are reported in a window.
	brakeReports = 30
)

// ErrTooMany says that an address has failed to sign in too often. The answer is 429.
var ErrTooMany = errors.New("too many tries to sign in")

// brake slows down callers who guess, by address. It does not lock accounts: others sign in as usual.
type brake struct {
	now    func() time.Time
	report func(address string, failures int) // may be nil

	mu        sync.Mutex
	addresses map[netip.Prefix]*list.Element // of *tries
	order     *list.List                     // the address whose last failure is oldest comes first
	reports   []time.Time                    // times of the last reports, at most brakeReports
}

// tries are the tries of one address.
type tries struct {
	address    netip.Prefix
	failures   []time.Time // times of the last failures, at most brakeFailures
	next       time.Time   // no try is accepted before this while the address is slowed down
	unreported int         // failures since the address was last reported
	reportedAt time.Time
}

func newBrake(now func() time.Time, report func(string, int)) *brake {
	return &brake{now: now, report: report, addresses: map[netip.Prefix]*list.Element{}, order: list.New()}
}

// try runs a check that takes no time, unless the address is slowed down and must still wait. Checks of
// all addresses run one after the other, so that concurrent ones are counted as well.
func (b *brake) try(remote string, check func() error) error {
	address := addressOf(remote)
	b.mu.Lock()
	defer b.mu.Unlock()
	now := b.now()
	if known := b.addresses[address]; known != nil {
		t, _ := known.Value.(*tries)
		if t.slow(now) {
			if now.Before(t.next) {
				return &trowel.Error{Kind: ErrTooMany, Message: "too many failed tries to sign in from " + addressText(address) + ": it may try once in a second"}
			}
			t.next = now.Add(brakePause)
		}
	}
	err := check()
	if err != nil {
		b.failed(address, now)
	}
	return err
}

func (b *brake) failed(address netip.Prefix, now time.Time) {
	known := b.addresses[address]
	if known == nil {
		known = b.order.PushFront(&tries{address: address})
		b.addresses[address] = known
	}
	b.order.MoveToFront(known)
	if oldest := b.order.Back(); b.order.Len() > brakeAddresses {
		t, _ := b.order.Remove(oldest).(*tries)
		delete(b.addresses, t.address)
	}
	t, _ := known.Value.(*tries)
	t.failures = append(t.failures, now)
	t.failures = t.failures[max(len(t.failures)-brakeFailures, 0):]
	t.unreported++
	if !t.slow(now) {
		return
	}
	t.next = now.Add(brakePause)
	if b.report != nil && now.Sub(t.reportedAt) >= brakeWindow && b.mayReport(now) {
		b.report(addressText(address), t.unreported)
		t.reportedAt, t.unreported = now, 0
	}
}

// mayReport reports whether one more address may be reported now.
func (b *brake) mayReport(now time.Time) bool {
	if len(b.reports) == brakeReports && now.Sub(b.reports[0]) < brakeWindow {
		return false
	}
	b.reports = append(b.reports, now)
	b.reports = b.reports[max(len(b.reports)-brakeReports, 0):]
	return true
}

// slow reports whether the address has failed too often.
func (t *tries) slow(now time.Time) bool {
	return len(t.failures) == brakeFailures && now.Sub(t.failures[0]) < brakeWindow
}

// addressOf returns the address of a connection. For IPv6 it is the network of 64 bits, all of which belongs to one
// caller. All texts that are not an address count as the same one.
func addressOf(remote string) netip.Prefix {
	at, err := netip.ParseAddrPort(remote)
	if err != nil {
		return netip.Prefix{}
	}
	address := at.Addr().Unmap().WithZone("")
	bits := address.BitLen()
	if address.Is6() {
		bits = 64
	}
	return netip.PrefixFrom(address, bits).Masked()
}

// Origin returns the address of a connection, IP:PORT, as it is counted: for IPv6 the network of 64 bits.
func Origin(remote string) string { return addressText(addressOf(remote)) }

func addressText(address netip.Prefix) string {
	switch {
	case !address.IsValid():
		return "an unknown address"
	case address.IsSingleIP():
		return address.Addr().String()
	}
	return address.String()
}
