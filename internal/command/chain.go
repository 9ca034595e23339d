package command

import (
	"context"
	"errors"
	"log/slog"

	"github.com/trowel-project/trowel/internal/param"
)

// ErrNotAsked is the error of an Executor.Run if neither its settings nor the task ask for that executor, so that another
// one can run the command.
var ErrNotAsked = errors.New("neither settings nor task ask for this command executor")

// Link is one executor of a Chain.
type Link struct {
	Name     string // "ecs", "docker"
	Executor Executor
	// Optional makes a *param.Error of Run no failure of the task: the next executor runs the command, and a warning says
	// why (operators 4.1).
	Optional bool
}

// Chain is an Executor that leaves each command to the first of several executors which can run it (operators 4.1).
// Later calls for that command go to the same executor.
type Chain struct{ links []Link }

// NewChain returns a Chain. The last executor runs what no other one does.
func NewChain(links ...Link) *Chain { return &Chain{links: links} }

// startedBy is the key of a Status.State under which a Chain keeps the name of the executor.
const startedBy = "executor"

// Run implements Executor.
func (c *Chain) Run(ctx context.Context, r *Request) (Status, error) {
	for i := range c.links {
		link := &c.links[i]
		status, err := link.Executor.Run(ctx, r)
		if i == len(c.links)-1 || !c.passesOn(ctx, r, i, err) {
			return link.sign(status), err
		}
	}
	return Status{}, errors.New("there is no command executor")
}

// passesOn reports whether the next executor is to run a command after an error of one. It says so in the log of the task
// unless that was to be expected.
func (c *Chain) passesOn(ctx context.Context, r *Request, i int, err error) bool {
	if errors.Is(err, ErrNotAsked) {
		return true
	}
	wrong, ok := errors.AsType[*param.Error](err)
	if !ok || !c.links[i].Optional {
		return false
	}
	if r.Log != nil {
		r.Log.WarnContext(ctx, "a command executor cannot run the command, so the next one is asked", slog.String("executor", c.links[i].Name),
			slog.String("next", c.links[i+1].Name), slog.String("reason", wrong.Message))
	}
	return true
}

// sign notes in the state of a command who runs it.
func (l *Link) sign(status Status) Status {
	if status.State != nil {
		status.State = status.State.Clone()
		status.State.Set(startedBy, l.Name)
	}
	return status
}

// Poll implements Executor.
func (c *Chain) Poll(ctx context.Context, r *Request, state *param.Map) (Status, error) {
	link, own, err := c.owner(state)
	if err != nil {
		return Status{}, err
	}
	status, err := link.Executor.Poll(ctx, r, own)
	return link.sign(status), err
}

// Stop implements Executor.
func (c *Chain) Stop(ctx context.Context, r *Request, state *param.Map) error {
	link, own, err := c.owner(state)
	if err != nil {
		return err
	}
	return link.Executor.Stop(ctx, r, own)
}

// owner returns the executor that has started a command, and the command's state as that executor knows it. A state
// without a name is one of Digdag, whose commands only the first executor can have started.
func (c *Chain) owner(state *param.Map) (*Link, *param.Map, error) {
	name, err := param.NewReader(state).StringOr(startedBy, c.links[0].Name)
	if err != nil {
		return nil, nil, err
	}
	own := state.Clone()
	own.Delete(startedBy)
	for i := range c.links {
		if c.links[i].Name == name {
			return &c.links[i], own, nil
		}
	}
	return nil, nil, &Error{
		Kind:    "runtime",
		Message: "The command was started by the command executor \"" + name + "\", which this agent does not have (agent.command_executor.type)",
	}
}
