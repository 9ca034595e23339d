package explain_test

import (
	"testing"

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/api"
	"github.com/trowel-project/trowel/internal/server/servertest"
)

// An attempt with flags of a later version is shown by those that are known.
func TestUnknownFlags(t *testing.T) {
	t.Parallel()
	h := servertest.New(t, nil)
	tasks := trial()
	for _, task := range tasks {
		task.Flags |= 1 << 9
	}
	newTrial(t, h, tasks...)
	err := h.Store.Update(t.Context(), func(tx trowel.Tx) error {
		attempts, err := tx.LockAttempts(t.Context(), []trowel.AttemptID{1})
		if err != nil {
			return err
		}
		attempts[0].Flags |= 1 << 9
		return tx.UpdateAttempts(t.Context(), attempts...)
	})
	if err != nil {
		t.Fatal(err)
	}
	if got := ask[api.Attempt](t, h, "/api/attempts/1"); got.Status != "running" || got.Done {
		t.Errorf("attempt = %+v, want running", got)
	}
	if got := ask[api.TaskCollection](t, h, "/api/attempts/1/tasks"); len(got.Tasks) != len(tasks) {
		t.Errorf("%d tasks, want %d", len(got.Tasks), len(tasks))
	}
	if got := ask[api.AttemptCollection](t, h, "/api/attempts"); len(got.Attempts) != 1 {
		t.Errorf("%d attempts are listed, want one", len(got.Attempts))
	}
	if got := ask[api.AttemptWhy](t, h, "/api/attempts/1/why"); got.State != "running" {
		t.Errorf("why of the attempt = %+v, want running", got)
	}
}
