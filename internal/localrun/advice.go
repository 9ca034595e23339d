package localrun

import (
	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/advice"
)

// adviceInRun keeps, for the summary of a local run, what to do after a failure. The log has nothing of it.
func (l *run) adviceInRun(lease *trowel.Lease, err error) string {
	if advice, culprit := advice.OfMistake(lease, err); advice != "" || culprit != "" {
		l.failed.advise(lease.TaskID, taskAdvice{advice, culprit})
	}
	return ""
}
