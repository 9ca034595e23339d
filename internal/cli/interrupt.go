package cli

import (
	"os"
	"os/signal"
	"syscall"
	"time"
)

// stuckTime is how long a run that was interrupted twice waits for tasks that cannot be stopped.
const stuckTime = 2 * time.Second

// catchSignals makes the signals that interrupt a run come through a channel: Ctrl-C, the request to
// end, and that the terminal was closed, unless nohup says to ignore that.
func catchSignals() (signals <-chan os.Signal, restore func()) {
	caught := make(chan os.Signal, 4)
	signal.Notify(caught, os.Interrupt, syscall.SIGTERM)
	if !signal.Ignored(syscall.SIGHUP) {
		signal.Notify(caught, syscall.SIGHUP)
	}
	return caught, func() { signal.Stop(caught) }
}

// catchPipes makes a closed pipe an error of the Write instead of the end of the process: a run goes
// on without a reader, and leaves no commands behind. Commands get the signal as ever.
func catchPipes() (restore func()) {
	pipes := make(chan os.Signal, 1)
	signal.Notify(pipes, syscall.SIGPIPE)
	return func() { signal.Stop(pipes) }
}

// halt stops what runs, and returns when all of it has ended. Ctrl-C then ends the patience with
// commands; other signals do not, since shells and timeout(1) send theirs twice. What has not ended
// soon after, as an expression that cannot be stopped, is left behind.
func (l *localRun) halt(signals <-chan os.Signal) {
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
