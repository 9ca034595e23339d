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
	textSecond      = "A second signal stops them; they run again when a server goes on"
)

// requestsGrace is how long running requests may take at the end (server 3.3).
const requestsGrace = 30 * time.Second

// start starts the parts, see serverProcess. Requests are answered last, when everything that they may ask for runs.
func (p *serverProcess) start(ctx context.Context) (err error) {
	p.listeners.answerWith(ctx, p.settings.Listen, p.server, p.server.Admin())
	if p.settings.UI.Enabled {
		logging.Print(ctx, p.log, slog.LevelInfo, "Web UI: "+p.listeners.address(p.settings.Listen.TLSCert != ""))
	}
	err = p.configurePools(ctx, p.storage.store)
	if err == nil {
		err = p.agents.register(ctx)
	}
	if err == nil && p.folder != nil {
		err = p.folder.load(ctx)
	}
	if err != nil {
		p.listeners.closeSockets()
		return err
	}
	p.parts.startNamed("flusher", p.flusher.Run)
	p.parts.startNamed("log gatherer", p.local.gatherer.Run)
	p.agents.start()
	p.parts.startNamed("notifier", p.local.notifier.Run)
	p.parts.startNamed("retention", cleaner{p.storage}.run)
	p.parts.startNamed("load", p.usage.Run)
	if p.packer != nil {
		p.parts.startNamed("log packer", p.packer.Run)
	}
	if !p.storage.exclusive {
		p.parts.startNamed("news of output", p.output.run)
		p.parts.startNamed("listener", p.messenger.listen)
	}
	if p.folder != nil {
		p.parts.startNamed("project folder", p.folder.watch)
	}
	if p.scheduler != nil {
		p.endScheduler = p.parts.startEndable("scheduler", p.scheduler.Run) //nolint:contextcheck // it ends before the other parts, not with ctx
	}
	for i := range p.listeners.servers {
		p.parts.startNamed("HTTP listener", func(context.Context) error { return p.listeners.serve(i) })
	}
	if p.settings.RuntimeInfo != "" {
		return writeRuntimeInfo(p.opts.path(p.settings.RuntimeInfo), p.listeners.info)
	}
	return nil
}

// wait waits until the server should end: because of a signal, because a part has failed, or because only later versions
// may write to the database.
func (p *serverProcess) wait(ctx context.Context, signals <-chan os.Signal) error {
	select {
	case <-signals:
		return nil
	case <-ctx.Done():
		return nil
	case err := <-p.parts.failures:
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
	if p.endScheduler != nil {
		p.endScheduler()
	}
	p.flusher.StopClaiming()
	p.agents.drain() //nolint:contextcheck // the row of the agent may change as long as the parts run
	p.say(ctx, textLoop)
	if n := p.local.agent.Running(); n > 0 {
		p.say(ctx, fmt.Sprintf(textRunning, n))
		p.say(ctx, textSecond)
	}
	p.local.awaitTasks(ctx, signals)
	draining, cancel := context.WithTimeout(ctx, requestsGrace)
	defer cancel()
	err := p.flusher.Barrier(draining)
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
	if errEnd := p.agents.end(draining); err == nil {
		err = errEnd
	}
	p.parts.end()
	p.say(ctx, textStopped)
	return err
}

// abandon stops the parts of a server that could not start.
func (p *serverProcess) abandon() {
	p.listeners.closeSockets()
	p.parts.end()
}
