package main

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"
)

// openLoop makes requests at given instants, whatever happened to earlier ones. So a server that stands still
// for a second still gets requests, and all that had to wait in that second are counted. A
// client that waits for an answer before its next request would count one of them.
type openLoop struct {
	rate    float64       // requests a second, evenly spaced
	length  time.Duration // from the first instant to the last
	request func(ctx context.Context, i int) error
}

// answers has the results of the requests.
type answers struct {
	took *latencies // from the instant when a request should begin to its answer
	late *latencies // how late requests began, which is the client's fault
	errs []error
}

// run makes all requests and returns when each has its answer. A failed request is an error, as
// its time means nothing.
func (l openLoop) run(ctx context.Context) (*answers, error) {
	n := int(l.rate * l.length.Seconds())
	a := &answers{took: newLatencies(), late: newLatencies(), errs: make([]error, n)}
	var running sync.WaitGroup
	first := time.Now()
	for i := range n {
		intended := first.Add(time.Duration(float64(i) / l.rate * float64(time.Second)))
		if wait := time.Until(intended); wait > 0 {
			select {
			case <-time.After(wait):
			case <-ctx.Done():
				running.Wait()
				return nil, context.Cause(ctx)
			}
		}
		a.late.record(time.Since(intended))
		running.Go(func() {
			a.errs[i] = l.request(ctx, i)
			a.took.record(time.Since(intended))
		})
	}
	running.Wait()
	if err := errors.Join(a.errs...); err != nil {
		return a, fmt.Errorf("requests failed: %w", err)
	}
	return a, nil
}
