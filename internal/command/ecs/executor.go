package ecs

import (
	"cmp"
	"context"
	"log/slog"
	"math/rand/v2"
	"net/http"
	"sync"
	"time"

	"github.com/trowel-project/trowel/internal/command"
	"github.com/trowel-project/trowel/internal/command/transfer"
	"github.com/trowel-project/trowel/internal/param"
)

// Options are what an Executor needs.
type Options struct {
	Setting transfer.Settings
	Log     *slog.Logger // for requests without a log; may be nil
	HTTP    *http.Client // for requests to Amazon; nil for one that heeds the proxies of the environment
}

// Executor runs commands as tasks of ECS. It runs those for which settings or task name a cluster; for others Run returns
// command.ErrNotAsked.
type Executor struct {
	options Options
	times   times
	now     func() time.Time

	mu      sync.Mutex
	clients map[access]*client
	storage *transfer.Store // the temporal storage
}

// times are lengths of time, which tests shorten.
type times struct {
	resubmit time.Duration               // before a task that its agent could not start is submitted again
	throttle func(nth int) time.Duration // before a request that was refused as one too many is sent again
	drain    time.Duration               // how long the end of the output is waited for
	look     time.Duration               // between two looks for it
	missing  time.Duration               // how long a task that ECS does not know is looked for
	failed   time.Duration               // before a look that failed is repeated
	retry    time.Duration               // at most, before a request is sent again
}

// New returns an Executor.
func New(options Options) *Executor {
	options.Log = cmp.Or(options.Log, slog.New(slog.DiscardHandler))
	return &Executor{
		options: options, now: time.Now, clients: map[access]*client{},
		times: times{
			resubmit: 3 * time.Second, drain: time.Minute, look: 2 * time.Second, missing: 10 * time.Minute, failed: 10 * time.Second, retry: firstPause,
			throttle: func(nth int) time.Duration {
				return min(time.Duration(nth)*10*time.Second, 50*time.Second) + rand.N(10*time.Second) //nolint:gosec // spreads requests
			},
		},
	}
}

// Run implements command.Executor. It returns once ECS has the task.
func (e *Executor) Run(ctx context.Context, r *command.Request) (command.Status, error) {
	c, err := readCluster(e.options.Setting, r.Params)
	if err != nil {
		return command.Status{}, err
	}
	if r.Started != nil {
		r.Started() // requests need not wait for each other
	}
	s := &submission{executor: e, cluster: c, request: r, log: cmp.Or(r.Log, e.options.Log)}
	if s.client, err = e.clientOf(ctx, c); err != nil {
		return command.Status{}, err
	}
	if s.storage, err = e.openStorage(ctx); err != nil {
		return command.Status{}, err
	}
	return s.run(ctx)
}

// Poll implements command.Executor.
func (e *Executor) Poll(ctx context.Context, r *command.Request, stored *param.Map) (command.Status, error) {
	w, err := e.watch(ctx, r, stored)
	if err != nil {
		return command.Status{}, err
	}
	return w.poll(ctx)
}

// Stop implements command.Executor.
func (e *Executor) Stop(ctx context.Context, r *command.Request, stored *param.Map) error {
	w, err := e.watch(ctx, r, stored)
	if err != nil {
		return err
	}
	return w.stop(ctx)
}

// watch returns a watch of the task in a state.
func (e *Executor) watch(ctx context.Context, r *command.Request, stored *param.Map) (*watch, error) {
	c, err := readCluster(e.options.Setting, r.Params)
	if err != nil {
		return nil, err
	}
	w := &watch{executor: e, cluster: c, request: r, log: cmp.Or(r.Log, e.options.Log)}
	if w.state, err = readState(stored); err != nil {
		return nil, err
	}
	w.client, err = e.clientOf(ctx, c)
	return w, err
}

// openStorage opens the temporal storage, once.
func (e *Executor) openStorage(ctx context.Context) (*transfer.Store, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.storage != nil {
		return e.storage, nil
	}
	store, err := transfer.OpenStore(ctx, e.options.Setting, "ecs.temporal_storage")
	if err != nil {
		return nil, err
	}
	e.storage = store
	return store, nil
}
