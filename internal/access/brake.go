package access

import (
	"container/list"
	"errors"
	"net/netip"
	"sync"
	"time"

	"github.com/trowel-project/trowel"
)

// Bounds of guessing. An address that failed so often within the window may try once in a pause, until it has failed
// less often. What it tries meanwhile is refused unseen, so that a right guess is not told from a wrong one.
const (
	brakeFailures = 10
	brakeWindow   = time.Minute
	brakePause    = time.Second
	// brakeAddresses is how many addresses are remembered; of more those that failed longest ago are forgotten.
	brakeAddresses = 10_000
	// brakeReports is about how many addresses at most it is told in a window.
	brakeReports = 30
)

// ErrTooMany says that an address has failed to sign in too often; the answer is 429.
var ErrTooMany = errors.New("too many tries to sign in")

// brake slows down who guesses, by address. No account is locked: others sign in as ever.
type brake struct {
	now  func() time.Time
	told func(address string, failures int) // may be nil

	mu        sync.Mutex
	addresses map[netip.Prefix]*list.Element // of *tries
	order     *list.List                     // the one that failed last first
	reports   []time.Time                    // the last ones, at most brakeReports
}

// tries are those of one address.
type tries struct {
	address  netip.Prefix
	failures []time.Time // the last ones, at most brakeFailures
	next     time.Time   // no try before it while the address is slowed down
	untold   int         // failures since it was told of
	toldAt   time.Time
}

func newBrake(now func() time.Time, told func(string, int)) *brake {
	return &brake{now: now, told: told, addresses: map[netip.Prefix]*list.Element{}, order: list.New()}
}

// try runs a check that takes no time, unless the address is slowed down and its turn has not come. Checks of
// all addresses run one after the other, so that many at once are counted, too.
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
	t.untold++
	if !t.slow(now) {
		return
	}
	t.next = now.Add(brakePause)
	if b.told != nil && now.Sub(t.toldAt) >= brakeWindow && b.mayReport(now) {
		b.told(addressText(address), t.untold)
		t.toldAt, t.untold = now, 0
	}
}

// mayReport reports whether one more address may be told of now.
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

// addressOf is the address of a connection: of IPv6 the network of 64 bits, which one caller has as a whole. What
// is no address is one of its own, all together.
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

// Origin is the address of a connection, IP:PORT, as one caller has it: of IPv6 the network of 64 bits.
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
