package postgres_test

import (
	"errors"
	"testing"
	"time"

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/store/storetest/pgtest"
)

// The error of a statement that was sent is returned by the next call that waits, and by those after it.
func TestFailedStatementBeforeAnother(t *testing.T) {
	t.Parallel()
	db := open(t, pgtest.Options(t))
	for range 2 { // the second time the statements are prepared
		err := db.Update(t.Context(), func(tx trowel.Tx) error {
			errAudit := tx.InsertAudits(t.Context(), []trowel.AuditEntry{{At: time.Unix(1, 0), AttemptID: 7, To: "running"}}) // there is no attempt
			errTry := tx.InsertTries(t.Context(), []trowel.Try{{AttemptID: 7, TaskID: 1, Number: 1, EndedAt: time.Unix(1, 0), Exit: trowel.ExitSuccess}})
			return errors.Join(errAudit, errTry)
		})
		if err == nil {
			t.Error("an entry of an attempt that is not there was stored")
		}
	}
}
