package localrun

import (
	"os"
	"time"

	"github.com/trowel-project/trowel/internal/agent"
)

// stuckTime is how long a run that was interrupted twice waits for tasks that cannot be stopped.
const stuckTime = 2 * time.Second

// halt stops what an agent runs, and returns when all of it has ended. Ctrl-C then closes killNow; other signals do not, since shells and timeout(1) send theirs twice. What has not ended
// soon after, as an expression that cannot be stopped, is left behind.
func halt(a *agent.Agent, killNow chan<- struct{}, signals <-chan os.Signal) {
	a.Stop()
	idle := make(chan struct{})
	go func() {
		defer close(idle)
		a.Wait()
	}()
	for {
		select {
		case <-idle:
			return
		case s := <-signals:
			if s != os.Interrupt {
				continue
			}
		}
		close(killNow)
		stuck := time.NewTimer(stuckTime)
		defer stuck.Stop()
		select {
		case <-idle:
		case <-stuck.C:
		}
		return
	}
}
