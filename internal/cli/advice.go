package cli

import (
	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/operator"
	why "github.com/trowel-project/trowel/internal/reason"
)

// adviceOnServer says in the log of a task of a server what to type after a failure.
func adviceOnServer(lease *trowel.Lease, err error) string {
	message, _ := operator.Kind(err)
	if command := why.SetSecret(message, lease.Setting.Project.Name); command != "" {
		return "fix: " + command
	}
	return ""
}

// fixInRun says what to type after a failure in a local run.
func fixInRun(message string) string { return why.SetSecret(message, "") }
