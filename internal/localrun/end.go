package localrun

import (
	"time"

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/runview"
)

// ended describes the end of the run.
func (l *run) ended(attempt *trowel.Attempt, interrupted bool, broken error, elapsed time.Duration) runview.End {
	end := runview.End{
		Status: "running", Failed: l.failed.list(), Interrupted: interrupted, Broken: broken,
		StateDir: l.State.Dir, Elapsed: elapsed, DryRun: l.Dry,
	}
	if attempt != nil {
		end.Status = attempt.Flags.Status()
	}
	end.Nothing = end.Status == "success" && l.hook.passed.Load() && !l.hook.asked.Load()
	if interrupted || broken != nil {
		end.Succeeded = l.statuses.Succeeded()
	}
	if l.Dry {
		end.StateDir = "" // nothing was kept
	}
	for i := range end.Failed {
		end.Failed[i].Where = mistakePlace(l.Project.Dir, end.Failed[i].Where, end.Failed[i].Message, end.Failed[i].Culprit)
	}
	return end
}
