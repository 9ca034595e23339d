package storetest

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/param"
)

// Run runs the whole suite. open returns an empty store of its own, and closes it when the test
// ends.
func Run(t *testing.T, open func(t *testing.T) trowel.Store) {
	t.Helper()
	for _, test := range []struct {
		name string
		run  func(t *testing.T, db trowel.Store)
	}{
		{"projects", testProjects},
		{"revisions that clash", testRevisionConflicts},
		{"sessions and attempts", testAttempts},
		{"attempts that clash", testAttemptConflicts},
		{"listing attempts", testAttemptLists},
		{"locking attempts", testAttemptLocks},
		{"settings", testSettings},
		{"task ids", testTaskIDs},
		{"task fields", testTaskFields},
		{"task updates", testTaskUpdates},
		{"tasks not in the expected state", testTaskMisses},
		{"tasks that clash", testTaskConflicts},
		{"many tasks", testManyTasks},
		{"archives", testArchives},
		{"tries", testTries},
		{"audit", testAudits},
		{"large values", testLargeValues},
		{"odd texts", testOddTexts},
		{"atomicity", testAtomicity},
		{"panics", testPanics},
		{"cancellation", testCancellation},
		{"parallel updates", testParallelUpdates},
		{"parallel views", testParallelViews},
		{"parallel ids", testParallelIDs},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			test.run(t, open(t))
		})
	}
}

// update runs f in a transaction that must succeed.
func update(t *testing.T, db trowel.Store, f func(ctx context.Context, tx trowel.Tx) error) {
	t.Helper()
	if err := db.Update(t.Context(), func(tx trowel.Tx) error { return f(t.Context(), tx) }); err != nil {
		t.Fatal(err)
	}
}

// view runs f in a reading transaction that must succeed.
func view(t *testing.T, db trowel.Store, f func(ctx context.Context, tx trowel.Tx) error) {
	t.Helper()
	if err := db.View(t.Context(), func(tx trowel.Tx) error { return f(t.Context(), tx) }); err != nil {
		t.Fatal(err)
	}
}

// refuse runs f in a transaction that must fail with an error of that kind.
func refuse(t *testing.T, db trowel.Store, kind error, f func(ctx context.Context, tx trowel.Tx) error) {
	t.Helper()
	err := db.Update(t.Context(), func(tx trowel.Tx) error { return f(t.Context(), tx) })
	if !errors.Is(err, kind) {
		t.Errorf("error = %v, want %v", err, kind)
	}
}

// equal compares with go-cmp; an empty object is equal to none.
func equal(t *testing.T, what string, got, want any) {
	t.Helper()
	same := cmp.Comparer(func(a, b *param.Map) bool { return a.Len()+b.Len() == 0 || param.Equal(a, b) })
	if diff := cmp.Diff(want, got, same); diff != "" {
		t.Errorf("%s (-want +got):\n%s", what, short(diff))
	}
}

// short keeps a difference readable when values are large.
func short(diff string) string {
	const limit = 4000
	if len(diff) <= limit {
		return diff
	}
	return diff[:limit] + "\n" + strings.Repeat(".", 3)
}
