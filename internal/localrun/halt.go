package localrun

import (
	"os"
	"time"
)

// stuckTime is how long a run that was interrupted twice waits for tasks that cannot be stopped.
const stuckTime = 2 * time.Second

// halt stops what runs, and returns when all of it has ended. Ctrl-C then ends the patience with
// commands; other signals do not, since shells and timeout(1) send theirs twice. What has not ended
// soon after, as an expression that cannot be stopped, is left behind.
func (l *run) halt(signals <-chan os.Signal) {
	l.agent.Stop()
	idle := make(chan struct{})
	go func() {
		defer close(idle)
		l.agent.Wait()
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
		close(l.killNow)
		stuck := time.NewTimer(stuckTime)
		defer stuck.Stop()
		select {
		case <-idle:
		case <-stuck.C:
		}
		return
	}
}
