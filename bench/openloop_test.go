package main

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"
)

// A server that stands still for a second still gets requests. Latencies count from the instants when
// requests should begin, so those that came meanwhile have waited.
func TestOpenLoopCountsWaiting(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		one := make(chan struct{}, 1) // the server does one thing at a time
		stall := func(_ context.Context, i int) error {
			one <- struct{}{}
			defer func() { <-one }()
			if i == 100 {
				<-time.After(time.Second)
			}
			return nil
		}
		a, err := openLoop{rate: 100, length: 4 * time.Second, request: stall}.run(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if got := a.took.count(); got != 400 {
			t.Errorf("requests: %d, want 400", got)
		}
		if got := a.took.at(50); got > 1 {
			t.Errorf("p50 is %g ms, want none", got)
		}
		// A hundred requests came while it stood still, and waited half a second on average.
		if got := a.took.at(87.5); got < 480 || got > 520 {
			t.Errorf("p87.5 is %g ms, want 500", got)
		}
		if got := a.took.at(100); got < 990 || got > 1010 {
			t.Errorf("longest is %g ms, want 1000", got)
		}
		if got := a.late.at(100); got > 1 {
			t.Errorf("requests began %g ms late, want never", got)
		}
	})
}

// A failed request is an error of the whole run, after all others have their answers.
func TestOpenLoopFails(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		broken := errors.New("broken")
		fail := func(_ context.Context, i int) error {
			if i == 3 {
				return broken
			}
			return nil
		}
		a, err := openLoop{rate: 10, length: time.Second, request: fail}.run(t.Context())
		if !errors.Is(err, broken) {
			t.Errorf("run: %v, want %v", err, broken)
		}
		if got := a.took.count(); got != 10 {
			t.Errorf("requests: %d, want 10", got)
		}
	})
}
