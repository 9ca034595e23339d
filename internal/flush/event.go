package flush

import (
	"context"

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/dig"
	"github.com/trowel-project/trowel/internal/engine"
)

// Start is a request to begin an attempt: the rows as they will be stored, and the compiled tasks.
type Start struct {
	Setting trowel.Setting // Project, Revision and Workflow are stored already; Session is found or made
	Attempt trowel.Attempt
	Tasks   []dig.Task
}

// Started is an attempt that has begun.
type Started struct {
	Attempt trowel.Attempt
	// Ended gets the attempt once it is done. It is closed without a value if the flusher ends first.
	Ended chan trowel.Attempt
}

// event is a cause of changes on its way to the next transaction.
type event struct {
	attempt trowel.AttemptID
	what    engine.Event
	start   *Start // instead of what
	started *Started
	actor   string
	done    chan error // nil if nobody waits
	err     error      // what the waiting one is told after the commit
}

func (ev *event) resolve(err error) {
	if ev.done != nil {
		ev.done <- err
	}
}

func (ev *event) wait(ctx context.Context) error {
	select {
	case err := <-ev.done:
		return err
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}
