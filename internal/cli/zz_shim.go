package cli

import (
	"io"
	"os"

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/agent"
)

func selectDisplay(c *call) (display, error)          { return newPlain(c.env), nil }
func openLogFile(path string) (io.WriteCloser, error) { return os.Create(path) }
func (l *localRun) taskLogs() (func(*trowel.Lease) agent.Log, error) {
	return func(lease *trowel.Lease) agent.Log {
		return agent.Log{Output: l.display.Open(lease), Logger: l.logs.forTask(lease)}
	}, nil
}
