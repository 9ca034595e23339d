package killtest

import (
	"fmt"
	"strings"
	"sync"
)

// Assassin says when a server is to be killed: at the next request to a place, in one of its phases. A service asks it around
// each request. It is safe for concurrent use.
type Assassin struct {
	places []string

	mu     sync.Mutex
	armed  bool
	place  string
	phase  int
	hit    bool
	struck map[string]int // how often, by place and phase
}

// Phases of a request.
const (
	phaseBefore = iota // it was not handled
	phaseHandled
	phaseAnswered
	phases
)

// NewAssassin returns an Assassin for requests that begin with the names of places. The empty name is any request.
func NewAssassin(places ...string) *Assassin {
	return &Assassin{places: places, struck: map[string]int{}}
}

// Before reports whether a request is to be handled. If not, its connection is to be broken.
func (a *Assassin) Before(request string) bool { return !a.strikes(request, phaseBefore) }

// Answered reports whether a request that was handled is to be answered. If not, its connection is to be broken.
func (a *Assassin) Answered(request string) bool {
	a.strikes(request, phaseAnswered) // the answer goes out just before the kill
	return !a.strikes(request, phaseHandled)
}

// arm takes the next of all places and phases.
func (a *Assassin) arm(nth int) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.armed, a.hit, a.phase, a.place = true, false, nth%phases, a.places[nth/phases%len(a.places)]
}

func (a *Assassin) rest() {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.armed = false
}

func (a *Assassin) hasStruck() bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.hit
}

func (a *Assassin) strikes(request string, phase int) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	if !a.armed || a.phase != phase || !strings.HasPrefix(request, a.place) {
		return false
	}
	a.armed, a.hit = false, true
	a.struck[fmt.Sprintf("%s/%d", a.place, phase)]++
	return true
}

func (a *Assassin) String() string {
	a.mu.Lock()
	defer a.mu.Unlock()
	return fmt.Sprint(a.struck)
}
