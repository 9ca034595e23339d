package main

import (
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/trowel-project/trowel/internal/api"
)

// Throughput is measured with so many attempts side by side, and so many parallel tasks in each.
const (
	wideAttempts = 10
	wideTasks    = 900
)

// pushWide makes the project for it.
func (s *server) pushWide() (api.ID, error) {
	return s.push("echoes", "echoes", "echoes.dig", "_parallel: true\n"+repeat(wideTasks, "+t%d: {echo>: task %[1]d}\n"))
}

// serverTasks is throughput: from the first request to the end of the last attempt.
func serverTasks(b *bench, db *database) (results []result, err error) {
	s, err := b.serve(db)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, s.stop()) }()
	rate, err := s.throughput(5)
	if err != nil {
		return nil, err
	}
	r := result{name: "server, " + db.name + ": no-op tasks", got: rate, limit: 20000, unit: "tasks/s", least: true}
	if db.driver == "sqlite" {
		return []result{r}, nil
	}
	b.tasksPerSecond = rate
	raw, err := rawMoves(db)
	if err != nil {
		return nil, err
	}
	r.limit = 10000
	r.note = fmt.Sprintf("raw group commit: %.4g two-row updates/s", raw)
	return []result{r, {
		name: "server, PostgreSQL: no-op tasks, part of raw two-row updates", got: rate / raw, limit: 0.1, unit: "x", least: true, note: r.note,
	}}, nil
}

// throughput is the middle of several runs, in tasks a second.
func (s *server) throughput(runs int) (float64, error) {
	id, err := s.pushWide()
	if err != nil {
		return 0, err
	}
	took, err := median(runs, func() (sample, error) { return s.atOnce(id, wideAttempts) })
	return wideAttempts * wideTasks / took.wall.Seconds(), err
}

// noopTasks is the throughput of one server on PostgreSQL in this run of bench.
func (b *bench) noopTasks() (rate float64, err error) {
	if b.tasksPerSecond > 0 {
		return b.tasksPerSecond, nil
	}
	db, err := b.postgresql()
	if err != nil {
		return 0, err
	}
	s, err := b.serve(db)
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, s.stop()) }()
	b.tasksPerSecond, err = s.throughput(5)
	return b.tasksPerSecond, err
}

// atOnce runs attempts side by side.
func (s *server) atOnce(workflow api.ID, attempts int) (sample, error) {
	return together([]*server{s}, workflow, attempts)
}

// together runs attempts side by side, and asks servers in turn to start them. The more there are, the longer they
// take, and the less often it asks for their end: that is work for the server, too.
func together(servers []*server, workflow api.ID, attempts int) (sample, error) {
	return togetherAsking(servers, workflow, attempts, time.Duration(attempts)*time.Millisecond/2+time.Millisecond/2)
}

// togetherAsking is together, and asks for the end of an attempt at intervals that are given.
func togetherAsking(servers []*server, workflow api.ID, attempts int, interval time.Duration) (sample, error) {
	errs := make([]error, attempts)
	ids := make([]api.ID, attempts)
	var running sync.WaitGroup
	begun := time.Now()
	for i := range attempts {
		running.Go(func() { ids[i], errs[i] = servers[i%len(servers)].begin(workflow) })
	}
	running.Wait()
	if err := errors.Join(errs...); err != nil {
		return sample{}, err
	}
	for _, id := range ids {
		if err := servers[0].finish(id, interval); err != nil {
			return sample{}, err
		}
	}
	return sample{wall: time.Since(begun)}, nil
}

// threeServers is the throughput of three servers on one PostgreSQL, against that of one alone. Runs
// of the one and the three take turns.
func threeServers(b *bench) (results []result, err error) {
	const runs = 5
	var groups [2][]*server
	var workflows [2]api.ID
	for i, n := range []int{1, 3} {
		db, errOpen := b.postgresql()
		if errOpen != nil {
			return nil, errOpen
		}
		var stop func() error
		if groups[i], stop, err = b.cluster(db, n); err != nil {
			return nil, err
		}
		defer func() { err = errors.Join(err, stop()) }()
		if workflows[i], err = groups[i][0].pushWide(); err != nil {
			return nil, err
		}
	}
	var took [2][]time.Duration
	var moved []float64
	for run := range runs + 1 {
		if run == 1 { // the first run warms up
			if moved, err = moves(groups[1]); err != nil {
				return nil, err
			}
		}
		for i := range groups {
			s, err := together(groups[i], workflows[i], wideAttempts)
			if err != nil {
				return nil, err
			}
			if run > 0 {
				took[i] = append(took[i], s.wall)
			}
		}
	}
	after, err := moves(groups[1])
	if err != nil {
		return nil, err
	}
	var ratios []float64 // of runs that followed one another
	for i := range runs {
		ratios = append(ratios, took[0][i].Seconds()/took[1][i].Seconds())
	}
	var rates [2]float64
	for i := range took {
		slices.Sort(took[i])
		rates[i] = wideAttempts * wideTasks / took[i][runs/2].Seconds()
	}
	least, note := shares(moved, after)
	return []result{
		{
			name: "three servers on PostgreSQL: no-op tasks, part of one server", got: middle(ratios), limit: 0.7, unit: "x", least: true,
			note: fmt.Sprintf("%.4g tasks/s, one server %.4g", rates[1], rates[0]),
		},
		{name: "three servers on PostgreSQL: least part of the moves", got: least, limit: 20, unit: "%", least: true, note: note},
	}, nil
}

// cluster starts servers on one database.
func (b *bench) cluster(db *database, n int, settings ...string) (servers []*server, stop func() error, err error) {
	stop = func() error {
		var errs []error
		for _, s := range servers {
			errs = append(errs, s.stop())
		}
		return errors.Join(errs...)
	}
	for range n {
		s, err := b.serve(db, settings...)
		if err != nil {
			return nil, nil, errors.Join(err, stop())
		}
		servers = append(servers, s)
	}
	return servers, stop, nil
}

// moves is how many changes of states each server has written.
func moves(servers []*server) ([]float64, error) {
	n := make([]float64, len(servers))
	for i, s := range servers {
		var err error
		if n[i], err = s.metric("trowel_flush_changes_sum"); err != nil {
			return nil, err
		}
	}
	return n, nil
}

// shares is the least part of the moves that a server has made, in percent, and all parts.
func shares(before, after []float64) (least float64, note string) {
	var all float64
	for i := range after {
		all += after[i] - before[i]
	}
	least = 100
	for i := range after {
		share := 100 * (after[i] - before[i]) / all
		least = min(least, share)
		note += fmt.Sprintf("%.3g %% ", share)
	}
	return least, note + "of the moves"
}
