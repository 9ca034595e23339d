package daemon

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"
)

// requestTimeout is how long a request may take that only uses the database.
const requestTimeout = 30 * time.Second

// parts are the goroutines of a process: those that run as long as it does, and short ones that spare somebody a wait for
// the database.
type parts struct {
	ctx      context.Context //nolint:containedctx // of all parts
	cancel   context.CancelFunc
	group    sync.WaitGroup
	failures chan error // that end the process
}

// newParts returns parts that end when end is called, not with ctx.
func newParts(ctx context.Context) *parts {
	p := &parts{failures: make(chan error, 8)}
	p.ctx, p.cancel = context.WithCancel(context.WithoutCancel(ctx))
	return p
}

// start runs a part until the process ends. A part that fails before ends the process.
func (p *parts) start(run func(context.Context) error) {
	p.group.Go(func() {
		if err := run(p.ctx); err != nil && !errors.Is(err, context.Canceled) {
			p.fail(err)
		}
	})
}

// startNamed is start for a part whose errors do not say where they come from.
func (p *parts) startNamed(name string, run func(context.Context) error) {
	p.start(func(ctx context.Context) error {
		if err := run(ctx); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		return nil
	})
}

// startEndable is startNamed for a part that may end before the others. It returns what ends it.
func (p *parts) startEndable(name string, run func(context.Context) error) (end context.CancelFunc) {
	ctx, end := context.WithCancel(p.ctx)
	p.startNamed(name, func(context.Context) error { return run(ctx) })
	return end
}

// background runs f in a goroutine, for no longer than a request may take.
func (p *parts) background(f func(context.Context)) {
	p.group.Go(func() { p.timed(f) })
}

// timed runs f for no longer than a request may take.
func (p *parts) timed(f func(context.Context)) {
	ctx, cancel := context.WithTimeout(p.ctx, requestTimeout)
	defer cancel()
	f(ctx)
}

// fail ends the process because of an error. It does not block.
func (p *parts) fail(err error) {
	select {
	case p.failures <- err:
	default: // it ends already
	}
}

// end stops all parts, and waits until they have ended.
func (p *parts) end() {
	p.cancel()
	p.group.Wait()
}
