package flush

import (
	"context"

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/dig"
)

// maxWorkflows is how many workflows are remembered.
const maxWorkflows = 10_000

// workflows remembers the limits in the definitions of workflows.
type workflows struct {
	controls map[trowel.WorkflowID]trowel.WorkflowLimits
}

func newWorkflows() *workflows {
	return &workflows{controls: map[trowel.WorkflowID]trowel.WorkflowLimits{}}
}

// find returns the limits of a workflow, and reads its definition if they are not known.
func (w *workflows) find(ctx context.Context, tx trowel.Tx, id trowel.WorkflowID) (trowel.WorkflowLimits, error) {
	if control, ok := w.controls[id]; ok {
		return control, nil
	}
	d, err := tx.FindDefinition(ctx, id)
	if err != nil {
		return trowel.WorkflowLimits{}, err
	}
	return w.of(&d.Workflow), nil
}

// of returns the limits in a definition. Errors in them were refused when it was pushed.
func (w *workflows) of(workflow *trowel.Workflow) trowel.WorkflowLimits {
	control, ok := w.controls[workflow.ID]
	if !ok {
		control, _ = dig.ControlOf(workflow.Definition)
		if len(w.controls) >= maxWorkflows {
			clear(w.controls)
		}
		if workflow.ID != 0 {
			w.controls[workflow.ID] = control
		}
	}
	return control
}
