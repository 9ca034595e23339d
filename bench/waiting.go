package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"time"
)

// The tasks of the bar, and those of one attempt.
const (
	waitingTasks = 20000
	waitingGroup = 100
)

// waitingSlots is how many tasks the agent may run: far fewer than wait.
const waitingSlots = 64

// The longest pause between two looks of s3_wait>, and how long it takes to get there: 5, 10, 20, 40, 80 and 160 seconds.
const (
	longestPause = 300 * time.Second
	firstPauses  = 315 * time.Second
)

// waitingDue is how many tasks are due at once when the server starts again.
const waitingDue = waitingTasks / 5

// bucket is a fake of S3 that has no object, and knows when each was looked for.
type bucket struct {
	mu     sync.Mutex
	looked map[string]time.Time
	late   *latencies // beyond the longest pause, while measuring is set
	counts bool
	looks  int
}

// ServeHTTP implements http.Handler.
func (f *bucket) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	now := time.Now()
	f.mu.Lock()
	defer f.mu.Unlock()
	if last, found := f.looked[r.URL.Path]; found && f.counts {
		f.late.record(max(now.Sub(last)-longestPause, 0))
		f.looks++
	}
	f.looked[r.URL.Path] = now
	w.WriteHeader(http.StatusNotFound)
}

// measure begins or ends the measurement.
func (f *bucket) measure(counts bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.counts = counts
}

// due returns the objects whose last look was before an instant.
func (f *bucket) due(before time.Time) (paths []string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for path, at := range f.looked {
		if at.Before(before) {
			paths = append(paths, path)
		}
	}
	return paths
}

// waiting measures tasks that wait for objects of S3: what they cost while they wait, how late they look, and how long the server
// needs for those that became due while it was stopped.
func waiting(b *bench) (results []result, err error) {
	objects := &bucket{looked: map[string]time.Time{}, late: newLatencies()}
	store := httptest.NewServer(objects)
	defer store.Close()
	db, err := b.postgresql()
	if err != nil {
		return nil, err
	}
	settings := []string{fmt.Sprintf("agent.max-task-threads = %d", waitingSlots), "digdag.secret-encryption-key = MDEyMzQ1Njc4OWFiY2RlZg=="}
	s, err := b.serve(db, settings...)
	if err != nil {
		return nil, err
	}
	defer func() {
		if s != nil {
			err = errors.Join(err, s.stop())
		}
	}()
	before, err := s.startWaiting(b, store.URL)
	if err != nil {
		return nil, err
	}
	all := func() (bool, error) { return len(objects.due(time.Now())) == waitingTasks, nil }
	if err := untilEvery(time.Second, 5*time.Minute, all); err != nil {
		return nil, errors.Join(fmt.Errorf("%d of %d tasks have looked: %w", len(objects.due(time.Now())), waitingTasks, err), s.failure())
	}
	<-time.After(firstPauses + 30*time.Second) // all have come to the longest pause
	objects.measure(true)
	<-time.After(longestPause)
	objects.measure(false)
	after, err := s.usage()
	if err != nil {
		return nil, err
	}
	results = []result{
		{
			name: "20,000 waiting s3_wait>: RSS grows by", got: after.rssMB - before.rssMB, limit: 150, unit: "MB",
			note: fmt.Sprintf("%d slots, started over %s, %d looks in %s", waitingSlots, b.waitingOver, objects.looks, longestPause),
		},
		{name: "20,000 waiting s3_wait>: late, p99", got: objects.late.at(99) / 1000, limit: 2, unit: "s", note: objects.late.String()},
	}
	if objects.looks < waitingTasks*9/10 {
		err = fmt.Errorf("%d looks while %d tasks waited %s", objects.looks, waitingTasks, longestPause)
	}
	if err != nil {
		return results, errors.Join(err, s.failure())
	}
	again, took, due, err := b.lookedAtOnce(s, db, objects, settings)
	s = again
	return append(results, result{
		name: "s3_wait> tasks due at once: all looked at after", got: took.Seconds(), limit: 10, unit: "s", note: fmt.Sprintf("%d tasks, from the start of the server", due),
	}), err
}

// startWaiting starts the tasks evenly, and returns what the server used before.
func (s *server) startWaiting(b *bench, endpoint string) (usage, error) {
	task := "+t%d:\n  s3_wait>: bucket/${session_unixtime}/%[1]d\n"
	workflow := fmt.Sprintf("_export:\n  aws:\n    s3: {endpoint: %q, path_style_access: true}\n_parallel: true\n", endpoint) + repeat(waitingGroup, task)
	id, err := s.push("waiting", "waiting", "waiting.dig", workflow)
	if err != nil {
		return usage{}, err
	}
	project, err := s.FindProject(context.Background(), "waiting")
	if err != nil {
		return usage{}, err
	}
	for _, key := range []string{"aws.access_key_id", "aws.secret_access_key"} {
		if err := s.SetSecret(context.Background(), project.ID, key, strings.Repeat("k", 20)); err != nil {
			return usage{}, err
		}
	}
	before, err := s.usage()
	if err != nil {
		return usage{}, err
	}
	const attempts = waitingTasks / waitingGroup
	load := openLoop{
		rate: attempts / b.waitingOver.Seconds(), length: b.waitingOver,
		request: func(ctx context.Context, _ int) error { return s.start(ctx, id) },
	}
	_, err = load.run(context.Background())
	return before, err
}

// lookedAtOnce stops the server until waitingDue tasks are due, and returns one that was started again, how long it took to look at all objects that were
// due, and how many these were.
func (b *bench) lookedAtOnce(s *server, db *database, objects *bucket, settings []string) (again *server, took time.Duration, due int, err error) {
	if err := s.stop(); err != nil {
		return nil, 0, 0, err
	}
	overdue := func() int { return len(objects.due(time.Now().Add(-longestPause))) }
	if err := untilEvery(time.Second, 2*longestPause, func() (bool, error) { return overdue() >= waitingDue, nil }); err != nil {
		return nil, 0, 0, err
	}
	if again, err = b.serve(db, settings...); err != nil {
		return nil, 0, 0, err
	}
	begun := time.Now()
	before := begun.Add(-longestPause)
	due = len(objects.due(before))
	err = untilEvery(rarely, time.Minute, func() (bool, error) { return len(objects.due(before)) == 0, nil })
	return again, time.Since(begun), due, err
}
