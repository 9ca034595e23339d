package access

import (
	"container/list"
	"errors"
	"fmt"
	"net/netip"
	"sync"
	"time"

	"github.com/trowel-project/trowel"
)

// brakeLimits are limits of guessing. Who failed so often within the window may try once in a pause, until there are fewer
// failures. Other tries are refused without a check, so that a right guess looks like a wrong one.
type brakeLimits struct {
	failures int
	pause    time.Duration
	refusal  string // the text of an ErrTooMany; %s is who is slowed down
}

// addressBrake has the limits of an address.
func addressBrake() brakeLimits {
	return brakeLimits{10, time.Second, "too many failed tries to sign in from %s: it may try once in a second"}
}

// nameBrake has the limits of a name, with which people at many addresses may guess. They are wider, so that these cannot
// keep its owner out.
func nameBrake() brakeLimits {
	return brakeLimits{50, time.Second / 5, "too many failed tries to sign in as %s: try again in a moment"}
}

const (
	brakeWindow = time.Minute
	// brakeCallers is how many callers are remembered. If there are more, those whose failures are oldest are forgotten.
	brakeCallers = 10_000
	// brakeReports is the largest number of callers that are reported in a window.
	brakeReports = 30
)

// ErrTooMany says that an address has failed to sign in too often. The answer is 429.
var ErrTooMany = errors.New("too many tries to sign in")

// brake slows down callers who guess, by address or by name. It does not lock accounts: others sign in as usual.
type brake struct {
	limits brakeLimits
	now    func() time.Time
	report func(caller string, failures int) // may be nil

	mu      sync.Mutex
	callers map[string]*list.Element // of *tries
	order   *list.List               // the caller whose last failure is oldest comes first
	reports []time.Time              // times of the last reports, at most brakeReports
}

// tries are the tries of one caller.
type tries struct {
	caller     string
	failures   []time.Time // times of the last failures, as many as the limit
	next       time.Time   // no try is accepted before this while the caller is slowed down
	unreported int         // failures since the caller was last reported
	reportedAt time.Time
}

func newBrake(limits brakeLimits, now func() time.Time, report func(string, int)) *brake {
	return &brake{limits: limits, now: now, report: report, callers: map[string]*list.Element{}, order: list.New()}
}

// try runs a check that takes no time, unless the caller is slowed down and must still wait. Checks of
// all callers run one after the other, so that concurrent ones are counted as well.
func (b *brake) try(caller string, check func() error) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	now := b.now()
	if known := b.callers[caller]; known != nil {
		t, _ := known.Value.(*tries)
		if b.slow(t, now) {
			if now.Before(t.next) {
				return &trowel.Error{Kind: ErrTooMany, Message: fmt.Sprintf(b.limits.refusal, caller)}
			}
			t.next = now.Add(b.limits.pause)
		}
	}
	err := check()
	if err != nil {
		b.failed(caller, now)
	}
	return err
}

func (b *brake) failed(caller string, now time.Time) {
	known := b.callers[caller]
	if known == nil {
		known = b.order.PushFront(&tries{caller: caller})
		b.callers[caller] = known
	}
	b.order.MoveToFront(known)
	if oldest := b.order.Back(); b.order.Len() > brakeCallers {
		t, _ := b.order.Remove(oldest).(*tries)
		delete(b.callers, t.caller)
	}
	t, _ := known.Value.(*tries)
	t.failures = append(t.failures, now)
	t.failures = t.failures[max(len(t.failures)-b.limits.failures, 0):]
	t.unreported++
	if !b.slow(t, now) {
		return
	}
	t.next = now.Add(b.limits.pause)
	if b.report != nil && now.Sub(t.reportedAt) >= brakeWindow && b.mayReport(now) {
		b.report(caller, t.unreported)
		t.reportedAt, t.unreported = now, 0
	}
}

// mayReport reports whether one more caller may be reported now.
func (b *brake) mayReport(now time.Time) bool {
	if len(b.reports) == brakeReports && now.Sub(b.reports[0]) < brakeWindow {
		return false
	}
	b.reports = append(b.reports, now)
	b.reports = b.reports[max(len(b.reports)-brakeReports, 0):]
	return true
}

// slow reports whether a caller has failed too often.
func (b *brake) slow(t *tries, now time.Time) bool {
	return len(t.failures) == b.limits.failures && now.Sub(t.failures[0]) < brakeWindow
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
