package daemon

import (
	"os"
	"time"

	"github.com/trowel-project/trowel/internal/agent"
)

// awaitTasks waits until an agent that takes nothing new runs no task. At a signal, or after grace unless that
// is zero, it calls say and hands the tasks back. A second signal closes killNow.
func awaitTasks(a *agent.Agent, signals <-chan os.Signal, grace time.Duration, killNow chan<- struct{}, say func()) {
	idle := make(chan struct{})
	go func() {
		defer close(idle)
		a.Wait()
	}()
	var over <-chan time.Time
	if grace > 0 {
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
	say()
	a.Stop()
	select {
	case <-idle:
		return
	case <-signals:
		close(killNow)
	}
	<-idle
}
