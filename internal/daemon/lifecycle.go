package daemon

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"time"

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/logging"
)

// Texts about an orderly end (server 3.3).
const (
	textStopping    = "Started shutdown process"
	textRunning     = "Waiting for completion of %d running tasks..."
	textLoop        = "Shutting down workflow executor loop"
	textSockets     = "Closing HTTP listening sockets"
	textRequests    = "Waiting for completion of running HTTP requests..."
	textHTTPWorkers = "Shutting down HTTP worker threads"
	textSystem      = "Shutting down system"
	textStopped     = "Shutdown completed"
	textHandBack    = "Stopping running tasks, they will run again"
	textSecond      = "A second signal stops them; they run again when a server goes on"
)

// requestsGrace is how long running requests may take at the end (server 3.3).
const requestsGrace = 30 * time.Second

// start starts the parts.
func (p *serverProcess) start(ctx context.Context) (err error) {
	p.listeners.answerWith(ctx, p.settings.Listen, p.server, p.server.Admin())
	p.partsCtx, p.endParts = context.WithCancel(context.WithoutCancel(ctx))
	p.failures = make(chan error, 8)
	err = p.configurePools(ctx)
	if err == nil && p.heartbeat != nil {
		err = p.heartbeat.Register(ctx)
	}
	if err == nil && p.local != nil {
		err = p.local.load(ctx, p)
	}
	if err != nil {
		p.listeners.closeSockets()
		return err
	}
	p.goPart("flusher", p.flusher.Run)
	p.goPart("log gatherer", p.gatherer.Run)
	p.goPart("renewals", p.renewals.Run)
	if p.heartbeat != nil {
		p.goPart("heartbeat", p.heartbeat.Run)
	}
	if p.hub != nil {
		p.goPart("remote agents", p.hub.Run)
	}
	p.goPart("notifier", p.notifier.Run)
	p.goPart("retention", p.runRetention)
	p.goPart("load", p.load.Run)
	if p.packer != nil {
		p.goPart("log packer", p.packer.Run)
	}
	if !p.sole {
		p.goPart("news of output", func(ctx context.Context) error { return p.output.run(ctx, p.store) })
		p.goPart("listener", func(ctx context.Context) error { return p.store.Listen(ctx, p.heard) })
	}
	if p.local != nil {
		p.goPart("project folder", func(ctx context.Context) error { return p.local.watch(ctx, p) })
	}
	p.schedulerCtx, p.endScheduler = context.WithCancel(p.partsCtx)
	if p.scheduler != nil {
		p.goPart("scheduler", func(context.Context) error { return p.scheduler.Run(p.schedulerCtx) }) //nolint:contextcheck // ends before the other parts
	}
	for i := range p.listeners.servers {
		p.goPart("HTTP listener", func(context.Context) error { return p.listeners.serve(i) })
	}
	if p.settings.RuntimeInfo != "" {
		return writeRuntimeInfo(p.opts.path(p.settings.RuntimeInfo), p.listeners.info)
	}
	return nil
}

// goPart runs a part until the server stops. A part that ends by itself ends the server.
func (p *serverProcess) goPart(name string, f func(context.Context) error) {
	p.parts.Go(func() {
		err := f(p.partsCtx)
		if err == nil || errors.Is(err, context.Canceled) {
			return
		}
		select {
		case p.failures <- fmt.Errorf("%s: %w", name, err):
		default:
		}
	})
}

// wait waits until the server should end: because of a signal, because a part has failed, or because only later versions
// may write to the database.
func (p *serverProcess) wait(ctx context.Context, signals <-chan os.Signal) error {
	select {
	case <-signals:
		return nil
	case <-ctx.Done():
		return nil
	case err := <-p.failures:
		if errors.Is(err, trowel.ErrOutdated) {
			p.server.StopChanges(err)
			p.log.WarnContext(ctx, "the server begins nothing more and ends", slog.Any("error", err))
			return err
		}
		p.log.ErrorContext(ctx, "part failed, the server ends", slog.Any("error", err))
		return err
	}
}

// stop stops the parts in order (server 3.3): nothing new begins, running tasks end, then
// requests do. A second signal, or the end of the grace, stops the tasks, which run again later.
func (p *serverProcess) stop(ctx context.Context, signals <-chan os.Signal) error {
	ctx = context.WithoutCancel(ctx)
	p.say(ctx, textStopping)
	p.endScheduler()
	p.flusher.Rest()
	p.agent.Rest()
	if p.hub != nil {
		p.hub.Rest()
	}
	p.stopping.Store(true)
	p.parts.Go(p.agentsChanged) // in a goroutine, as this must not wait for the database
	p.say(ctx, textLoop)
	p.awaitTasks(ctx, signals)
	draining, cancel := context.WithTimeout(ctx, requestsGrace)
	defer cancel()
	err := p.flusher.Drain(draining)
	p.say(ctx, textSockets)
	p.server.Close()
	p.events.Close()
	p.listeners.closeSockets()
	p.say(ctx, textRequests)
	requests, cancelRequests := context.WithTimeout(ctx, requestsGrace)
	defer cancelRequests()
	p.listeners.shutdown(requests)
	p.say(ctx, textHTTPWorkers)
	p.say(ctx, textSystem)
	if p.heartbeat != nil {
		if errEnd := p.heartbeat.End(draining); err == nil {
			err = errEnd
		}
	}
	p.endParts()
	p.parts.Wait()
	p.say(ctx, textStopped)
	return err
}

// abandon stops the parts of a server that could not start.
func (p *serverProcess) abandon() {
	if p.endParts == nil {
		return
	}
	p.listeners.closeSockets()
	p.endParts()
	p.parts.Wait()
}

// awaitTasks waits until no task runs.
func (p *serverProcess) awaitTasks(ctx context.Context, signals <-chan os.Signal) {
	if n := p.agent.Running(); n > 0 {
		p.say(ctx, fmt.Sprintf(textRunning, n))
		p.say(ctx, textSecond)
	}
	awaitTasks(p.agent, signals, p.settings.ShutdownGrace, p.killNow, func() { p.say(ctx, textHandBack) })
}

func (p *serverProcess) say(ctx context.Context, line string) {
	logging.Print(ctx, p.log, slog.LevelInfo, line)
}
