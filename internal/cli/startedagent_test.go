package cli

import (
	"context"
	"github.com/trowel-project/trowel/internal/config"
	"github.com/trowel-project/trowel/internal/daemon"
	"github.com/trowel-project/trowel/internal/logging"
	"log/slog"
	"os"
	"syscall"
	"testing"
	"time"
)

// agentIn is a remote agent in this process.
type agentIn struct {
	log     *lockedBuffer
	signals chan os.Signal
	ended   chan error
}

// connectAgent runs an agent of a server until the test ends.
func connectAgent(t *testing.T, s *served, settings ...string) *agentIn {
	t.Helper()
	dir := t.TempDir()
	all := config.Settings{"agent.server": {Value: s.url}, "tmpdir": {Value: dir}, "agent.id": {Value: "remote1"}, "agent.max-task-threads": {Value: "4"}}
	for i := 0; i < len(settings); i += 2 {
		all[settings[i]] = config.Setting{Value: settings[i+1], From: "test"}
	}
	a := &agentIn{log: &lockedBuffer{}, signals: make(chan os.Signal, 4), ended: make(chan error, 1)}
	opts := processOptionsOf(t, all, dir, slog.New(&logging.Handler{To: a.log, Thread: "main"}))
	go func() { a.ended <- daemon.RunAgent(context.WithoutCancel(t.Context()), opts, a.signals) }()
	t.Cleanup(func() {
		for range 3 {
			select {
			case a.signals <- syscall.SIGTERM:
			default:
			}
		}
		select {
		case err := <-a.ended:
			if err != nil {
				t.Errorf("agent: %v\n%s", err, a.log)
			}
		case <-time.After(time.Minute):
			t.Errorf("the agent does not end\n%s", a.log)
		}
	})
	return a
}
