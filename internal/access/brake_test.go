package access_test

import (
	"errors"
	"fmt"
	"net/http"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/trowel-project/trowel/internal/access"
	"github.com/trowel-project/trowel/internal/trowtest"
)

// guarded is an Authenticator with a clock that the test moves.
type guarded struct {
	*access.Authenticator

	clock   *trowtest.Clock
	reports []string
}

func newGuarded(known tokens) *guarded {
	g := &guarded{clock: trowtest.NewClock(now())}
	g.Authenticator = access.New(access.Options{
		Username: "me", Password: "hush", Tokens: known, Now: g.clock.Now,
		Braked: func(address string, failures int) { g.reports = append(g.reports, fmt.Sprint(address, " ", failures)) },
	})
	return g
}

// try returns how a try ends: "in", "wrong", or "wait".
func (g *guarded) try(t *testing.T, remote, authorization string) string {
	t.Helper()
	_, err := g.Admit(t.Context(), remote, http.Header{"Authorization": {authorization}})
	switch {
	case err == nil:
		return "in"
	case errors.Is(err, access.ErrTooMany):
		return "wait"
	case errors.Is(err, access.ErrUnauthenticated):
		return "wrong"
	}
	t.Fatal(err)
	return ""
}

const near = "192.0.2.1:1000"

// After ten failures in a minute one try a second is checked, even one with the right password. Others sign in as
// usual, and tokens that this server made never wait.
func TestBrake(t *testing.T) {
	t.Parallel()
	known := tokens{"trw_good": {Name: "g", Role: "read"}, "trw_old": {Name: "o", Role: "read", ExpiresAt: now()}}
	wrong, right := basic("me:x"), basic("me:hush")
	for name, guess := range map[string]string{"password": wrong, "user": basic("you:hush"), "malformed": "Basic %", "token": "Bearer trw_x", "no token": "Bearer x"} {
		g := newGuarded(known)
		step := func(what, remote, authorization, want string) {
			t.Helper()
			if got := g.try(t, remote, authorization); got != want {
				t.Errorf("%s, %s: %s, want %s", name, what, got, want)
			}
		}
		for range 9 {
			step("a guess", near, guess, "wrong")
		}
		step("right after nine", near, right, "in")
		step("the tenth guess", near, guess, "wrong")
		step("the next one", near, guess, "wait")
		step("the right one does not come through", near, right, "wait")
		step("the same host with another port", "192.0.2.1:2000", wrong, "wait")
		step("the same host, written as IPv6", "[::ffff:192.0.2.1]:7", wrong, "wait")
		step("a token", near, "Bearer trw_good", "in")
		step("an expired token", near, "Bearer trw_old", "wrong")
		step("another host", "192.0.2.2:1000", right, "in")
		g.clock.Advance(time.Second)
		step("after a second", near, right, "in")
		step("and at once", near, right, "wait")
		g.clock.Advance(time.Second)
		step("a guess after a second", near, guess, "wrong")
		step("and at once", near, right, "wait")
		g.clock.Advance(time.Minute)
		step("after a minute", near, right, "in")
		step("after a minute, again", near, right, "in")
		if diff := cmp.Diff([]string{"192.0.2.1 10"}, g.reports); diff != "" {
			t.Errorf("%s: reports (-want +got):\n%s", name, diff)
		}
	}
}

// Tries that are not guesses are not counted.
func TestBrakeCountsGuesses(t *testing.T) {
	t.Parallel()
	g := newGuarded(tokens{"trw_old": {Name: "o", Role: "read", RevokedAt: now()}, "trw_gone": {Name: "g", Role: "read", ProjectID: 8}})
	for range 50 {
		for _, authorization := range []string{"", "TD1 x", "Bearer trw_old", "Bearer trw_gone"} {
			if got := g.try(t, near, authorization); got != "wrong" {
				t.Fatalf("%q: %s, want wrong", authorization, got)
			}
		}
	}
	if got := g.try(t, near, basic("me:hush")); got != "in" {
		t.Errorf("afterwards: %s, want in", got)
	}
}

// One network of 64 bits is one address of IPv6.
func TestBrakeByNetwork(t *testing.T) {
	t.Parallel()
	g := newGuarded(nil)
	for i := range 11 {
		want := "wrong"
		if i == 10 {
			want = "wait"
		}
		if got := g.try(t, fmt.Sprintf("[2001:db8:1:2:%x::1]:99", i), basic("me:x")); got != want {
			t.Errorf("guess %d: %s, want %s", i, got, want)
		}
	}
	for _, remote := range []string{"[2001:db8:1:3::1]:99", "@", ""} {
		if got := g.try(t, remote, basic("me:hush")); got != "in" {
			t.Errorf("from %q: %s, want in", remote, got)
		}
	}
	if got := g.try(t, "[fe80::1%eth0]:1", basic("me:hush")); got != "in" {
		t.Errorf("from an address with a zone: %s, want in", got)
	}
	if diff := cmp.Diff([]string{"2001:db8:1:2::/64 10"}, g.reports); diff != "" {
		t.Errorf("reports (-want +got):\n%s", diff)
	}
}

// An address that guesses for long is reported once a minute. If there are many, not all are reported.
func TestBrakeIsTold(t *testing.T) {
	t.Parallel()
	g := newGuarded(nil)
	for range 600 { // ten minutes
		g.try(t, near, basic("me:x"))
		g.clock.Advance(time.Second)
	}
	if n := len(g.reports); n < 9 || n > 10 {
		t.Errorf("in ten minutes there are %d reports, want 10", n)
	}
	g = newGuarded(nil)
	for i := range 12_000 {
		for range 10 {
			g.try(t, fmt.Sprintf("10.%d.%d.1:1", i/250, i%250), basic("me:x"))
		}
	}
	if len(g.reports) != 30 {
		t.Errorf("of 12,000 addresses at once there are %d reports, want 30", len(g.reports))
	}
	if got := g.try(t, "10.47.249.1:1", basic("me:x")); got != "wait" {
		t.Errorf("the last address: %s, want wait", got)
	}
}

// Concurrent guesses are counted as well.
func TestBrakeTogether(t *testing.T) {
	t.Parallel()
	g := newGuarded(nil)
	var mu sync.Mutex
	got := map[string]int{}
	var all sync.WaitGroup
	for range 200 {
		all.Go(func() {
			_, err := g.Admit(t.Context(), near, http.Header{"Authorization": {basic("me:x")}})
			mu.Lock()
			defer mu.Unlock()
			if errors.Is(err, access.ErrTooMany) {
				got["wait"]++
			} else {
				got["wrong"]++
			}
		})
	}
	all.Wait()
	if got["wrong"] != 10 || got["wait"] != 190 {
		t.Errorf("answers: %v, want 10 wrong and 190 to wait", got)
	}
}

// A caller is an address of IPv4, or a network of 64 bits of IPv6.
func TestOrigin(t *testing.T) {
	t.Parallel()
	for remote, want := range map[string]string{
		"192.0.2.7:1":                  "192.0.2.7",
		"[::ffff:192.0.2.7]:2":         "192.0.2.7",
		"[2001:db8:1:2::3]:4":          "2001:db8:1:2::/64",
		"[2001:db8:1:2:ffff:5:6:7]:80": "2001:db8:1:2::/64",
		"[fe80::1%eth0]:4":             "fe80::/64",
		"pipe":                         "an unknown address",
	} {
		if got := access.Origin(remote); got != want {
			t.Errorf("Origin(%q) = %q, want %q", remote, got, want)
		}
	}
}
