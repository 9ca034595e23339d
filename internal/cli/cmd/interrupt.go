package cmd

import (
	"os"
	"os/signal"
	"syscall"
)

// CatchSignals makes the signals that interrupt a run come through a channel: Ctrl-C, the request to
// end, and that the terminal was closed, unless nohup says to ignore that.
func CatchSignals() (signals <-chan os.Signal, restore func()) {
	caught := make(chan os.Signal, 4)
	signal.Notify(caught, os.Interrupt, syscall.SIGTERM)
	if !signal.Ignored(syscall.SIGHUP) {
		signal.Notify(caught, syscall.SIGHUP)
	}
	return caught, func() { signal.Stop(caught) }
}

// catchPipes makes a closed pipe an error of the Write instead of the end of the process: a run goes
// on without a reader, and leaves no commands behind. The commands of tasks still get the signal.
func catchPipes() (restore func()) {
	pipes := make(chan os.Signal, 1)
	signal.Notify(pipes, syscall.SIGPIPE)
	return func() { signal.Stop(pipes) }
}
