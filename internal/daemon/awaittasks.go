package daemon

import (
	"context"
	"os"
	"time"
)

// textHandBack is what a process says when it does not wait any longer for running tasks.
const textHandBack = "Stopping running tasks, they will run again"

// awaitTasks waits until an agent that takes nothing new runs no task. At a signal, or after the grace of the settings
// unless that is zero, the tasks are stopped and handed back. A second signal kills their commands.
func (a *localAgent) awaitTasks(ctx context.Context, signals <-chan os.Signal) {
	idle := make(chan struct{})
	go func() {
		defer close(idle)
		a.agent.Wait()
	}()
	var over <-chan time.Time
	if grace := a.settings.ShutdownGrace; grace > 0 {
		timer := time.NewTimer(grace)
		defer timer.Stop()
		over = timer.C
	}
	select {
	case <-idle:
		return
	case <-signals:
	case <-over:
	}
	a.say(ctx, textHandBack)
	a.agent.Stop()
	select {
	case <-idle:
		return
	case <-signals:
		close(a.killNow)
	}
	<-idle
}
