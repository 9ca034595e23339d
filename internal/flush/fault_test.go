package flush_test

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/dig"
	"github.com/trowel-project/trowel/internal/engine"
	"github.com/trowel-project/trowel/internal/engine/model"
	"github.com/trowel-project/trowel/internal/flush"
	"github.com/trowel-project/trowel/internal/param"
	"github.com/trowel-project/trowel/internal/store/storetest"
	"github.com/trowel-project/trowel/internal/trowtest"
)

var (
	rounds = flag.Int("flush.rounds", 0, "how many rounds of random workflows run on a failing store; 0 is as many as two seconds allow")
	seed   = flag.Uint64("flush.seed", 1, "the first of them")
)

// TestFaults runs random workflows, some at a time, with a store whose transactions fail, are
// delayed, and are committed while the flusher is told that they failed. In the end nothing may be
// lost and nothing may have counted twice: the history in the store, played to the reference model,
// must lead to the archived tasks.
func TestFaults(t *testing.T) {
	t.Parallel()
	play(t, func(t *testing.T, number uint64) error {
		t.Helper()
		return newFaultRound(t, number).run(t)
	})
}

// play runs rounds, each in a bubble of its own, until one fails.
func play(t *testing.T, round func(t *testing.T, number uint64) error) {
	t.Helper()
	until := time.Now().Add(2 * time.Second)
	for i := 0; i < *rounds || (*rounds == 0 && time.Now().Before(until)); i++ {
		number := *seed + uint64(i)
		synctest.Test(t, func(t *testing.T) {
			if err := round(t, number); err != nil {
				t.Fatalf("round %d: %v", number, err)
			}
		})
	}
}

// killer is who kills attempts.
const killer = "somebody"

// key names one try.
type key struct {
	task trowel.TaskID
	try  int
}

// faultRound is one round: a flusher on a failing store, and an agent that does what cases say.
type faultRound struct {
	store   trowel.Store // without faults
	flusher *trowtest.Flusher
	context trowel.AttemptContext
	cases   []model.Case

	mu      sync.Mutex
	rng     *rand.Rand
	inARow  int                  // faults
	free    int                  // of the agent
	aside   int                  // of the other agent, see otherAgent
	of      map[int64]model.Case // cases by the session time in Unix seconds
	seen    map[string]int       // tries by attempt and name
	leases  map[key]*trowel.Lease
	reports map[key]trowel.Report
	heard   []heard
	twice   []key // given more than once
	working sync.WaitGroup

	canceled map[trowel.TaskID]bool
	waits    map[trowel.AttemptID]trowel.WaitCode // why attempts had to wait before they began
	control  *param.Map                           // limits of the workflow
	site     int                                  // how many tasks may run on the site; zero for any number
	pools    []*trowel.Pool
	// deaths tells that processes may die, so that tries may be lost, and changes heard by nobody.
	deaths bool
}

// heard is a change that an observer was told.
type heard struct {
	attempt  trowel.AttemptID
	task     trowel.TaskID
	from, to trowel.TaskState
	move     trowel.Transition
}

func newFaultRound(t *testing.T, number uint64) *faultRound {
	t.Helper()
	f := &faultRound{
		rng: rand.New(rand.NewPCG(number, 3)), of: map[int64]model.Case{}, seen: map[string]int{},
		leases: map[key]*trowel.Lease{}, reports: map[key]trowel.Report{}, canceled: map[trowel.TaskID]bool{},
		waits: map[trowel.AttemptID]trowel.WaitCode{},
	}
	f.free, f.aside = 1+f.rng.IntN(12), 1+f.rng.IntN(3)
	odd := uint64(f.rng.IntN(3) / 2) // every third round has no options
	for i := range 1 + f.rng.IntN(5) {
		f.cases = append(f.cases, model.NewCase(2*(number*10+uint64(i))+odd))
	}
	f.limit()
	return f
}

// plan decides how a transaction goes; after three faults one succeeds.
func (f *faultRound) plan() storetest.Plan {
	f.mu.Lock()
	defer f.mu.Unlock()
	p := storetest.Plan{Delay: time.Duration(f.rng.IntN(3)) * time.Millisecond}
	if f.inARow == 3 || f.rng.IntN(100) < 60 {
		f.inARow = 0
		return p
	}
	f.inARow++
	p.Fault = []storetest.Fault{storetest.Begin, storetest.Statement, storetest.Commit, storetest.AfterCommit}[f.rng.IntN(4)]
	p.Statement = f.rng.IntN(8)
	return p
}

func (f *faultRound) run(t *testing.T) error {
	t.Helper()
	return f.runOn(t, trowtest.Store(t))
}

// runOn runs the round on an empty store.
func (f *faultRound) runOn(t *testing.T, db trowel.Store) error {
	t.Helper()
	checked := &checkedStore{Store: db, context: &f.context, site: f.site}
	f.begin(t, db, func(o *flush.Options) { o.Store = storetest.NewFaulty(checked, f.plan) })
	err := f.attempts(t.Context())
	f.working.Wait()
	f.flusher.Stop()
	return errors.Join(err, f.twiceGiven(), checked.errors(), f.nothingHeld(t.Context()))
}

// begin stores the workflow and runs a flusher with the two agents of the round.
func (f *faultRound) begin(t *testing.T, db trowel.Store, change func(o *flush.Options)) {
	t.Helper()
	f.store, f.context = db, f.insertContext(t, db)
	o := flush.Options{
		Store: db, Agent: f, Observers: []flush.Observer{f}, Limits: engine.Limits{Tasks: 1000}, Templates: options{f}, MaxRunning: f.site,
	}
	change(&o)
	f.flusher = trowtest.RunFlusher(t, o)
	f.flusher.Attach(&otherAgent{f})
}

// attempts begins all cases, waits for their ends and checks them.
func (f *faultRound) attempts(ctx context.Context) error {
	var all []*flush.Started
	for i, k := range f.cases {
		start, err := f.start(i, k)
		if err != nil {
			return err
		}
		started, err := f.flusher.Start(ctx, start)
		if err != nil {
			return err
		}
		f.noteWait(started.Attempt)
		all = append(all, started)
		if f.roll(4) == 0 {
			f.working.Go(func() {
				f.pause(1500)
				if err := f.flusher.Kill(ctx, started.Attempt.ID, killer); err != nil && !errors.Is(err, trowel.ErrConflict) {
					panic(err)
				}
			})
		}
	}
	for _, started := range all {
		select {
		case end, ok := <-started.Ended:
			if !ok {
				return fmt.Errorf("attempt %d: the flusher ended first", started.Attempt.ID)
			}
			if err := f.check(ctx, end); err != nil {
				return fmt.Errorf("attempt %d: %w", end.ID, err)
			}
		case <-time.After(time.Hour):
			return fmt.Errorf("attempt %d does not end: %s", started.Attempt.ID, f.stuck(ctx, started.Attempt.ID))
		}
	}
	return nil
}

// start is the request for a case.
func (f *faultRound) start(i int, k model.Case) (flush.Start, error) {
	tasks, err := dig.Compile("", "+w", k.Body)
	k.Limit = 1000
	c := f.context
	c.Session.Time = c.Session.Time.Add(time.Duration(i) * time.Second)
	f.mu.Lock()
	f.of[c.Session.Time.Unix()] = k
	f.mu.Unlock()
	return flush.Start{Context: c, Tasks: tasks, Attempt: trowel.Attempt{
		WorkflowID: c.Workflow.ID, Zone: "UTC", Cause: "test", Actor: "test",
	}}, err
}

func (f *faultRound) roll(n int) int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.rng.IntN(n)
}

// pause waits for up to so many milliseconds of the bubble's time.
func (f *faultRound) pause(upTo int) { <-time.After(time.Duration(f.roll(upTo)) * time.Millisecond) }

// ID implements queue.Agent, like the methods below.
func (f *faultRound) ID() string { return "agent" }

func (f *faultRound) Free() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.free
}

func (f *faultRound) Assign(leases []*trowel.Lease) {
	for _, l := range leases {
		r := f.given(l, &f.free)
		f.working.Go(func() { f.work(r, &f.free) })
	}
}

// given notes a lease and returns how its try will end.
func (f *faultRound) given(l *trowel.Lease, free *int) trowel.Report {
	f.mu.Lock()
	defer f.mu.Unlock()
	*free--
	k := key{l.TaskID, l.Try}
	if f.leases[k] != nil {
		f.twice = append(f.twice, k)
	}
	f.leases[k] = l
	name := fmt.Sprintf("%d%s", l.AttemptID, l.FullName)
	f.seen[name]++
	r := f.of[l.Context.Session.Time.Unix()].Outcome(l.FullName, f.seen[name])
	r.TaskID, r.AttemptID, r.Try = l.TaskID, l.AttemptID, l.Try
	f.reports[k] = r
	return r
}

// work reports after a while, now and then twice.
func (f *faultRound) work(r trowel.Report, free *int) {
	f.pause(20)
	f.mu.Lock()
	*free++
	f.mu.Unlock()
	f.flusher.Report(r)
	if f.roll(8) == 0 {
		f.pause(40)
		f.flusher.Report(r)
	}
}

func (f *faultRound) Cancel(tries []trowel.TryID) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, try := range tries {
		f.canceled[try.Task] = true
	}
}

// Committed implements flush.Observer.
func (f *faultRound) Committed(batch *flush.Batch) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, c := range batch.Changes {
		if !c.New {
			f.heard = append(f.heard, heard{c.Task.AttemptID, c.Task.ID, c.From, c.To, c.Transition})
		}
	}
	return nil
}

func (f *faultRound) twiceGiven() error {
	if len(f.twice) > 0 {
		return fmt.Errorf("tries given twice: %v", f.twice)
	}
	return nil
}

// stuck tells where an attempt hangs.
func (f *faultRound) stuck(ctx context.Context, id trowel.AttemptID) string {
	var text string
	_ = f.store.View(ctx, func(tx trowel.Tx) error {
		rows, err := tx.ListTasks(ctx, id, -1)
		for _, row := range rows {
			needs, _ := json.Marshal(row.Requirements)
			text += fmt.Sprintf("\n  %d %s: %s %s, try %d of %s, retry at %v, needs %s, holds %v", row.ID, row.FullName, row.State, row.WaitReason, row.Try,
				row.AgentID, row.RetryAt, needs, row.Acquired)
		}
		uses, errUses := tx.ListCounters(ctx)
		text += fmt.Sprintf("\n  uses %v", uses)
		return errors.Join(err, errUses)
	})
	return text
}

// insertContext stores the workflow and the pools.
func (f *faultRound) insertContext(t *testing.T, db trowel.Store) trowel.AttemptContext {
	t.Helper()
	p := trowtest.NewProject(t, "p", map[string]string{"w": "{}"})
	p.Revision.Params, p.Workflows["w"].Definition = param.Of("a", "revision"), f.control
	trowtest.Update(t, db, func(tx trowel.Tx) error {
		if err := f.putPools(t.Context(), tx); err != nil {
			return err
		}
		return p.Insert(t.Context(), tx)
	})
	return p.Context("w")
}

func (*faultRound) Allows(*trowel.Requirements) bool   { return true }
func (*faultRound) Serves(n *trowel.Requirements) bool { return n.QueueName() == trowel.DefaultQueue }
func (*faultRound) Remote() bool                       { return false }

// noteWait notes whether an attempt had to wait before it began.
func (f *faultRound) noteWait(a trowel.Attempt) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.waits[a.ID] = a.WaitReason
}
