package cmd

import (
	"os"
	"os/signal"
	"syscall"
)

// CatchSignals delivers the signals that interrupt a run through a channel: Ctrl-C, the request to
// terminate, and the hangup of the terminal unless nohup ignores it.
func CatchSignals() (signals <-chan os.Signal, restore func()) {
	caught := make(chan os.Signal, 4)
	signal.Notify(caught, os.Interrupt, syscall.SIGTERM)
	if !signal.Ignored(syscall.SIGHUP) {
		signal.Notify(caught, syscall.SIGHUP)
	}
	return caught, func() { signal.Stop(caught) }
}

// catchPipes makes a write to a closed pipe fail instead of ending the process, so a run goes
// on without a reader and leaves no commands behind. The commands of tasks still get the signal.
func catchPipes() (restore func()) {
	pipes := make(chan os.Signal, 1)
	signal.Notify(pipes, syscall.SIGPIPE)
	return func() { signal.Stop(pipes) }
}
