package flush

import (
	"context"
	"log/slog"
	"time"

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/cluster"
	"github.com/trowel-project/trowel/internal/engine"
	"github.com/trowel-project/trowel/internal/param"
	"github.com/trowel-project/trowel/internal/queue"
)

// Options are what a Flusher works with. Store, Agent, Now and Log are required. Without more it serves
// the attempts that it begins itself, and ends when the store fails. Servers set RetryForever and Recover.
type Options struct {
	Store trowel.Store
	Agent queue.Agent // the one of this process
	Now   func() time.Time
	Log   *slog.Logger
	// Observers hear of each commit and may stop the flusher; Listeners only hear of it.
	Observers []Observer
	Listeners []Listener
	// Limits bound a single attempt.
	Limits engine.Limits
	// Attempts is how many attempts may run at the same time (language C40).
	Attempts int
	// Defaults are parameters of all attempts, the weakest; may be nil.
	Defaults *param.Map
	// Templates evaluates options of tasks (control K108); nil lets tasks with templates in them fail.
	Templates Evaluator
	// Rules say how much waiting counts.
	Rules queue.Rules
	// MaxRunning is how many tasks may run at the same time on all agents (control K814); zero for any
	// number.
	MaxRunning int
	// AnyPool lets pools that do not exist be without limit, as in a local run.
	AnyPool bool
	// Poison is how often in a row a task may be lost with its agent before it fails for good; zero for
	// any number.
	Poison int
	// ServerID is the name under which remote agents are served here, see trowel.Agent.
	ServerID string
	// TTLs end attempts that take too long (language 3.13).
	TTLs engine.TTLs

	// RetryForever lets the flusher outlive a store that is away, however long: it keeps its requests and
	// tries again. Requests that the store can never take are given up one by one, with an error in the
	// log.
	RetryForever bool
	// Recover makes the flusher go on with all running attempts of the store, those that it finds when it
	// begins and those that other servers begin, and release the tasks of agents that are gone.
	Recover bool
	// Exclusive says that no other process uses the store, which a lock of the operating system must
	// ensure: all other agents in it are dead.
	Exclusive bool
	// Poll is how often the flusher looks for what nobody told it of, if RetryForever or Recover is set;
	// 10 s if zero.
	Poll time.Duration
	// Outdated is called when only later versions may write to the store, as trowel.Writers.Check says: the
	// flusher claims nothing any more. It must not wait, and may be called more than once. It may be nil.
	Outdated func(err error)
	// LeftAlone is called when an attempt is left alone from now on, as later versions have written what this
	// one does not know. It may be nil.
	LeftAlone func()
	// Notify is called at the end of each transaction with what it changes, to tell other servers with the
	// commit. They call OnNotify. It may be nil.
	Notify func(ctx context.Context, tx trowel.Tx, n cluster.Attempts) error
}
