package kubernetes

import (
	"cmp"
	"context"
	"log/slog"
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
}

// Executor runs commands in pods.
type Executor struct {
	options Options
	times   times
	now     func() time.Time

	mu      sync.Mutex
	clients map[endpoint]*http.Client
	in, out *transfer.Store // opened when they are needed
}

// times are lengths of time, which tests shorten.
type times struct {
	pull   time.Duration // how long an image that cannot be pulled is waited for
	failed time.Duration // before a look that failed is repeated
	again  time.Duration // before a request is sent again
}

// New returns an Executor.
func New(options Options) *Executor {
	options.Log = cmp.Or(options.Log, slog.New(slog.DiscardHandler))
	return &Executor{
		options: options, now: time.Now, clients: map[endpoint]*http.Client{},
		times: times{pull: time.Minute, failed: 10 * time.Second, again: time.Second},
	}
}

// Run implements command.Executor. It returns once the cluster has the pod.
func (e *Executor) Run(ctx context.Context, r *command.Request) (command.Status, error) {
	s := &submission{executor: e, request: r, log: cmp.Or(r.Log, e.options.Log)}
	var err error
	if s.cluster, s.client, err = e.connect(s.log); err != nil {
		return command.Status{}, err
	}
	if s.options, err = readOptions(r.Params); err != nil {
		return command.Status{}, err
	}
	if s.in, s.out, err = e.stores(ctx); err != nil {
		return command.Status{}, err
	}
	if r.Started != nil {
		r.Started() // requests need not wait for each other
	}
	return s.run(ctx)
}

// Poll implements command.Executor.
func (e *Executor) Poll(ctx context.Context, r *command.Request, stored *param.Map) (command.Status, error) {
	w, err := e.watch(r, stored)
	if err != nil {
		return command.Status{}, err
	}
	return w.poll(ctx)
}

// Stop implements command.Executor.
func (e *Executor) Stop(ctx context.Context, r *command.Request, stored *param.Map) error {
	w, err := e.watch(r, stored)
	if err != nil {
		return err
	}
	return w.deletePod(ctx)
}

// watch returns a watch of the pod in a state.
func (e *Executor) watch(r *command.Request, stored *param.Map) (*watch, error) {
	w := &watch{executor: e, request: r, log: cmp.Or(r.Log, e.options.Log)}
	var err error
	if w.state, err = readState(stored); err != nil {
		return nil, err
	}
	w.cluster, w.client, err = e.connect(w.log)
	return w, err
}

// stores opens the two object stores, once.
func (e *Executor) stores(ctx context.Context) (in, out *transfer.Store, err error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	for name, store := range map[string]**transfer.Store{"in": &e.in, "out": &e.out} {
		if *store != nil {
			continue
		}
		if *store, err = openStore(ctx, e.options.Setting, name); err != nil {
			return nil, nil, err
		}
	}
	return e.in, e.out, nil
}

// openStore opens the store of one direction.
func openStore(ctx context.Context, s transfer.Settings, name string) (*transfer.Store, error) {
	prefix := "kubernetes.config_storage." + name
	kind := s.Text(prefix + ".type")
	for _, key := range []string{".type", "." + kind + ".bucket"} {
		if s.Text(prefix+key) == "" {
			return nil, param.Errorf("kubernetes config_storage must have %s", name+key) // operators 4.5
		}
	}
	return transfer.OpenStore(ctx, s, prefix)
}
