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

// Run runs the whole suite. open returns an empty store for one test, and closes it when the test
// ends.
func Run(t *testing.T, open func(t *testing.T) trowel.Store) {
	t.Helper()
	for _, test := range []struct {
		name string
		run  func(t *testing.T, db trowel.Store)
	}{
		{"projects", testProjects},
		{"revisions that clash", testRevisionConflicts},
		{"findings of revisions", testFindings},
		{"revisions", testRevisions},
		{"deleted projects", testDeletedProjects},
		{"listing projects", testProjectLists},
		{"listing workflows", testWorkflowLists},
		{"schedules", testSchedules},
		{"listing schedules", testScheduleLists},
		{"due schedules", testDueSchedules},
		{"moving schedules", testScheduleMoves},
		{"decisions", testDecisions},
		{"listing sessions", testSessionLists},
		{"listing attempts with names", testSummaryLists},
		{"searching attempts", testSearch},
		{"finding things by name", testMatch},
		{"last sessions", testLastSessions},
		{"active attempts", testActiveAttempts},
		{"sessions and attempts", testAttempts},
		{"rows with all fields", testWholeRows},
		{"attempts that clash", testAttemptConflicts},
		{"counting attempts", testAttemptCount},
		{"locking attempts", testAttemptLocks},
		{"expecting attempts", testExpectedAttempts},
		{"settings", testSettings},
		{"task ids", testTaskIDs},
		{"task fields", testTaskFields},
		{"task updates", testTaskUpdates},
		{"tasks not in the expected state", testTaskMisses},
		{"tasks that clash", testTaskConflicts},
		{"many tasks", testManyTasks},
		{"archives", testArchives},
		{"ends of many attempts", testManyEnds},
		{"tries", testTries},
		{"failures", testFailures},
		{"upcoming schedules", testEstimates},
		{"durations", testDurations},
		{"audit", testAudits},
		{"secrets", testSecrets},
		{"form of secrets", testSecretForm},
		{"tokens", testTokens},
		{"logins", testLogins},
		{"blobs", testBlobs},
		{"listing blobs", testBlobLists},
		{"output", testLogChunks},
		{"files of output", testLogFiles},
		{"packed output", testPackedLogs},
		{"agents", testAgents},
		{"leases", testLeases},
		{"held agents", testHeldAgents},
		{"orphans", testOrphans},
		{"writers", testWriters},
		{"pools", testPools},
		{"counters", testUses},
		{"recounting", testRecounts},
		{"live tasks", testLiveTasks},
		{"changed tasks", testChangedTasks},
		{"lines of tasks", testTaskLines},
		{"overviews", testOverview},
		{"rows of the audit", testAuditRows},
		{"attempts that run", testRunning},
		{"pauses", testPauses},
		{"attempts that wait", testWaiting},
		{"records", testRecords},
		{"found tasks", testFoundTasks},
		{"counted children", testCountedChildren},
		{"waiting tasks", testWaitingTasks},
		{"uses of pools", testPoolUses},
		{"hand-offs", testHandOffs},
		{"keys of workflows", testWorkflowKeys},
		{"ready and running tasks", testBusyTasks},
		{"what reasons need besides", testWhyRest},
		{"monitors", testMonitors},
		{"delayed attempts", testDelayed},
		{"resumed tasks", testResumed},
		{"values", testParamValues},
		{"old attempts", testOldAttempts},
		{"old revisions", testOldRevisions},
		{"old decisions", testOldDecisions},
		{"large values", testLargeValues},
		{"odd texts", testOddTexts},
		{"atomicity", testAtomicity},
		{"swallowed errors", testSwallowedErrors},
		{"panics", testPanics},
		{"cancellation", testCancellation},
		{"notifications", testNotifications},
		{"parallel updates", testParallelUpdates},
		{"parallel views", testParallelViews},
		{"parallel ids", testParallelIDs},
		{"parallel revisions", testParallelRevisions},
		{"parallel leases", testParallelLeases},
		{"parallel counters", testParallelUses},
		{"parallel values", testParallelParamValues},
		{"parallel retention", testParallelRetention},
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

// wantNotFound fails the test for each error that is not ErrNotFound, and names what it is about.
func wantNotFound(t *testing.T, errs map[string]error) {
	t.Helper()
	for what, err := range errs {
		if !errors.Is(err, trowel.ErrNotFound) {
			t.Errorf("%s: %v, want not found", what, err)
		}
	}
}

// equal compares with go-cmp. An empty object equals none.
func equal(t *testing.T, what string, got, want any) {
	t.Helper()
	same := cmp.Comparer(func(a, b *param.Map) bool { return a.Len()+b.Len() == 0 || param.Equal(a, b) })
	if diff := cmp.Diff(want, got, same); diff != "" {
		t.Errorf("%s (-want +got):\n%s", what, short(diff))
	}
}

// short shortens a difference when values are large.
func short(diff string) string {
	const limit = 4000
	if len(diff) <= limit {
		return diff
	}
	return diff[:limit] + "\n" + strings.Repeat(".", 3)
}
