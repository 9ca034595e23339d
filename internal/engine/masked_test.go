package engine_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/engine"
	"github.com/trowel-project/trowel/internal/param"
)

// State that a try takes over from the one before stays hidden, though it was not given the secret again.
func TestStateStaysMasked(t *testing.T) {
	t.Parallel()
	row := &trowel.Task{
		StateParams: param.Of("token", "hunter2hunter2", "old", "hunter2hunter2"), Masked: trowel.Masked{"state/token", "state/old", "export/e"},
	}
	got := engine.MaskedState(row, &trowel.Report{
		StateParams: param.Of("token", "hunter2hunter2", "old", "x", "new", "y"), Masked: trowel.Masked{"state/new", "store/s"},
	})
	if diff := cmp.Diff(trowel.Masked{"export/e", "state/token", "state/new"}, got); diff != "" {
		t.Errorf("masked (-want +got):\n%s", diff)
	}
}

// A resumed task hides what it hid, and what was stored below it, as long as nothing else was stored there.
func TestResumedStaysMasked(t *testing.T) {
	t.Parallel()
	secret := param.Of("db", param.Of("pw", "hunter2hunter2"), "later", "hunter2hunter2")
	rows := []*trowel.Task{
		{ID: 1, FullName: "+w", Group: true, State: trowel.TaskGroupError},
		{ID: 2, ParentID: 1, FullName: "+w+a", State: trowel.TaskSuccess, Result: trowel.Result{Store: param.Of("own", "hunter2hunter2")}, Masked: trowel.Masked{"store/own"}},
		{ID: 3, ParentID: 2, FullName: "+w+a^sub", State: trowel.TaskSuccess, Result: trowel.Result{Store: secret}, Masked: trowel.Masked{"store/db/pw", "store/later"}},
		{ID: 4, ParentID: 2, FullName: "+w+a^sub2", State: trowel.TaskSuccess, Upstreams: []trowel.TaskID{3}, Result: trowel.Result{Store: param.Of("later", "x")}},
	}
	list, err := engine.ResumeFailed(rows)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(trowel.Masked{"store/own", "store/db/pw"}, list[0].Masked); diff != "" {
		t.Errorf("masked of %s (-want +got):\n%s", list[0].FullName, diff)
	}
}
