package servertest

import (
	"context"
	"log/slog"
	"os"
	"syscall"
	"testing"
	"time"

	"github.com/trowel-project/trowel/internal/config"
	"github.com/trowel-project/trowel/internal/daemon"
	"github.com/trowel-project/trowel/internal/logging"
)

// Agent is a remote agent in this process.
type Agent struct {
	Log     *Buffer        // what it logs
	Signals chan os.Signal // it handles these like signals of its process
	Ended   chan error     // gets the error with which it has ended, or nil
}

// Connect runs an agent of a server until the test ends.
func Connect(t *testing.T, s *Server, settings ...string) *Agent {
	t.Helper()
	dir := t.TempDir()
	all := config.Settings{"agent.server": {Value: s.URL}, "tmpdir": {Value: dir}, "agent.id": {Value: "remote1"}, "agent.max-task-threads": {Value: "4"}}
	for i := 0; i < len(settings); i += 2 {
		all[settings[i]] = config.Setting{Value: settings[i+1], From: "test"}
	}
	a := &Agent{Log: &Buffer{}, Signals: make(chan os.Signal, 4), Ended: make(chan error, 1)}
	opts := processOptionsOf(t, all, dir, slog.New(&logging.Handler{To: a.Log, Thread: "main"}))
	go func() { a.Ended <- daemon.RunAgent(context.WithoutCancel(t.Context()), opts, a.Signals) }()
	t.Cleanup(func() {
		for range 3 {
			select {
			case a.Signals <- syscall.SIGTERM:
			default:
			}
		}
		select {
		case err := <-a.Ended:
			if err != nil {
				t.Errorf("agent: %v\n%s", err, a.Log)
			}
		case <-time.After(time.Minute):
			t.Errorf("the agent does not end\n%s", a.Log)
		}
	})
	return a
}
