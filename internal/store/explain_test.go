package store_test

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"flag"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/store"
)

var thousands = flag.Int("store.thousands", 5, "how many thousand rows the large tables have whose plans are looked at")

// Statements on tables that grow use their indexes on both databases. SQLite's plan says whether it reads a whole
// table or sorts; PostgreSQL says afterwards how many rows it looked at.
func TestPlans(t *testing.T) {
	t.Parallel()
	t.Run("SQLite", func(t *testing.T) {
		t.Parallel()
		db := emptySQLite(t)
		seed(t, db, `WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < %d) `, "BLOB")
		for _, s := range hot() {
			text, args := recorded(t, s.run)
			plan := explain(t, db, "EXPLAIN QUERY PLAN "+text, args)
			plan = strings.ReplaceAll(plan, "SCAN page\n", "\n") // of a search: no more rows than its limit
			for _, slow := range []string{"SCAN", "TEMP B-TREE"} {
				if strings.Contains(plan, slow) && !strings.Contains(s.allowed, slow) {
					t.Errorf("%s has %s in its plan:\n%s\n%s", s.name, slow, text, plan)
				}
			}
		}
	})
	t.Run("PostgreSQL", func(t *testing.T) {
		t.Parallel()
		db := emptyPostgres(t)
		seed(t, db, `WITH n (i) AS (SELECT generate_series(1, %d)) `, "BYTEA")
		const most = 2500
		for _, s := range hot() {
			text, args := recorded(t, s.run)
			plan := explain(t, db, "EXPLAIN (ANALYZE, COSTS OFF, TIMING OFF, SUMMARY OFF) "+text, args)
			if rows := touched(t, plan); rows > max(most, s.most) {
				t.Errorf("%s looks at %d rows, want at most %d:\n%s\n%s", s.name, rows, max(most, s.most), text, plan)
			}
		}
	})
}

// touched returns the largest number of rows that a part of a plan returned or dropped, taken over all
// its loops.
func touched(t *testing.T, plan string) int {
	t.Helper()
	most, loops := 0, 1
	number := func(text string) int {
		n, err := strconv.ParseFloat(text, 64) // later versions have decimals
		if err != nil {
			t.Fatal(err)
		}
		return int(n)
	}
	for _, part := range planRows.FindAllStringSubmatch(plan, -1) {
		if part[3] != "" {
			most = max(most, number(part[3])*loops)
			continue
		}
		loops = number(part[2])
		most = max(most, number(part[1])*loops)
	}
	return most
}

var planRows = regexp.MustCompile(`actual rows=([0-9.]+) loops=([0-9]+)|Rows Removed by (?:Join )?Filter: ([0-9]+)`)

// statement is a statement whose plan is checked. allowed are the slow parts that it may have on SQLite, and
// most is how many rows it may look at on PostgreSQL, if that is more than usual.
type statement struct {
	name    string
	allowed string
	most    int
	run     func(ctx context.Context, tx trowel.Tx) error
}

func hot() []statement {
	at := time.UnixMicro(1_000_000)
	one := func(name string, run func(ctx context.Context, tx trowel.Tx) error) statement {
		return statement{name: name, run: run}
	}
	// Few rows are sorted: all of them are needed.
	sorted := func(s statement) statement {
		s.allowed += "TEMP B-TREE"
		return s
	}
	// The limit ends reading in the order of an index.
	scanned := func(s statement) statement {
		s.allowed += "SCAN"
		return s
	}
	return []statement{
		one("FindProject", func(ctx context.Context, tx trowel.Tx) error { _, err := tx.FindProject(ctx, "p7"); return err }),
		one("ListProjects", func(ctx context.Context, tx trowel.Tx) error {
			_, err := tx.ListProjects(ctx, trowel.ProjectFilter{After: 500, Limit: 20})
			return err
		}),
		one("FindRevision", func(ctx context.Context, tx trowel.Tx) error { _, err := tx.FindRevision(ctx, 7, "r1"); return err }),
		one("FindRevision of the newest", func(ctx context.Context, tx trowel.Tx) error { _, err := tx.FindRevision(ctx, 7, ""); return err }),
		sorted(one("ListRevisions", func(ctx context.Context, tx trowel.Tx) error { _, err := tx.ListRevisions(ctx, 7, 99, 10); return err })),
		one("FindWorkflow", func(ctx context.Context, tx trowel.Tx) error { _, _, err := tx.FindWorkflow(ctx, 7, "w1"); return err }),
		// All workflows of newest revisions: there are fewer of them than of old ones.
		{name: "ListWorkflows", most: 10_000, run: func(ctx context.Context, tx trowel.Tx) error {
			_, err := tx.ListWorkflows(ctx, trowel.WorkflowFilter{After: 1000, Limit: 20})
			return err
		}},
		sorted(one("ListWorkflows of a revision", func(ctx context.Context, tx trowel.Tx) error {
			_, err := tx.ListWorkflows(ctx, trowel.WorkflowFilter{Revision: 7, Limit: -1})
			return err
		})),
		one("ListSchedules", func(ctx context.Context, tx trowel.Tx) error {
			_, err := tx.ListSchedules(ctx, trowel.ScheduleFilter{After: 1000, Limit: 20})
			return err
		}),
		sorted(one("ListSchedules of a project", func(ctx context.Context, tx trowel.Tx) error {
			_, err := tx.ListSchedules(ctx, trowel.ScheduleFilter{Project: 7, Limit: 20})
			return err
		})),
		one("ListDueSchedules", func(ctx context.Context, tx trowel.Tx) error {
			_, err := tx.ListDueSchedules(ctx, time.UnixMicro(50), 20)
			return err
		}),
		scanned(one("FindNextRun", func(ctx context.Context, tx trowel.Tx) error { _, err := tx.FindNextRun(ctx); return err })),
		sorted(one("LockSchedules", func(ctx context.Context, tx trowel.Tx) error { _, err := tx.LockSchedules(ctx, 7); return err })),
		one("ListDecisions", func(ctx context.Context, tx trowel.Tx) error {
			_, err := tx.ListDecisions(ctx, trowel.DecisionFilter{Project: 7, Workflow: "w1", Session: time.Unix(1, 0), Before: 9, Limit: 10})
			return err
		}),
		scanned(one("ListSessions", func(ctx context.Context, tx trowel.Tx) error {
			_, err := tx.ListSessions(ctx, trowel.SessionFilter{Limit: 20})
			return err
		})),
		one("ListSessions of a project", func(ctx context.Context, tx trowel.Tx) error {
			_, err := tx.ListSessions(ctx, trowel.SessionFilter{Project: 1, Before: 5000, Limit: 20})
			return err
		}),
		one("ListSessions of a workflow", func(ctx context.Context, tx trowel.Tx) error {
			_, err := tx.ListSessions(ctx, trowel.SessionFilter{Project: 1, Workflow: "w1", Before: 5000, Limit: 20})
			return err
		}),
		scanned(one("ListAttempts", func(ctx context.Context, tx trowel.Tx) error {
			_, err := tx.ListAttempts(ctx, trowel.AttemptFilter{Limit: 20, LastOnly: true})
			return err
		})),
		one("ListAttempts of a project", func(ctx context.Context, tx trowel.Tx) error {
			_, err := tx.ListAttempts(ctx, trowel.AttemptFilter{Project: 1, Before: 5000, Limit: 20})
			return err
		}),
		one("ListAttempts of a workflow", func(ctx context.Context, tx trowel.Tx) error {
			_, err := tx.ListAttempts(ctx, trowel.AttemptFilter{Project: 1, Workflow: "w1", LastOnly: true, Limit: 20})
			return err
		}),
		sorted(one("ListAttempts of a session", func(ctx context.Context, tx trowel.Tx) error {
			_, err := tx.ListAttempts(ctx, trowel.AttemptFilter{Session: 77, Limit: 20})
			return err
		})),
		one("FindLastSession", func(ctx context.Context, tx trowel.Tx) error {
			_, err := tx.FindLastSession(ctx, 1, "w1", at)
			return err
		}),
		one("HasActiveAttempt", func(ctx context.Context, tx trowel.Tx) error { _, err := tx.HasActiveAttempt(ctx, 1, "w1"); return err }),
		sorted(one("FindLatestAttempt", func(ctx context.Context, tx trowel.Tx) error {
			_, err := tx.FindLatestAttempt(ctx, 1, "w1", time.UnixMicro(7), "")
			return err
		})),
		one("FindSetting", func(ctx context.Context, tx trowel.Tx) error { _, err := tx.FindAttemptContext(ctx, 77); return err }),
		scanned(one("ListReadyDelayed", func(ctx context.Context, tx trowel.Tx) error {
			_, err := tx.ListDueBackfillAttempts(ctx, time.UnixMicro(9), 20)
			return err
		})),
		sorted(one("ListTasks", func(ctx context.Context, tx trowel.Tx) error { _, err := tx.ListTasks(ctx, 7, 3); return err })),
		one("ListChanged", func(ctx context.Context, tx trowel.Tx) error { _, err := tx.ListChanged(ctx, 7, 3, 20); return err }),
		one("ListUpcoming", func(ctx context.Context, tx trowel.Tx) error {
			_, err := tx.ListUpcoming(ctx, trowel.UpcomingFilter{Before: time.UnixMicro(5000), Limit: 50})
			return err
		}),
		sorted(one("ListDurations", func(ctx context.Context, tx trowel.Tx) error {
			_, err := tx.ListDurations(ctx, 7, "w1", 7, 20)
			return err
		})),
		sorted(scanned(one("CountWaiting", func(ctx context.Context, tx trowel.Tx) error { _, err := tx.CountWaiting(ctx); return err }))),
		sorted(one("ListFailedAttempts", func(ctx context.Context, tx trowel.Tx) error {
			_, err := tx.ListFailedAttempts(ctx, trowel.FailureFilter{Since: time.UnixMicro(10), Until: time.UnixMicro(4000), Limit: 100})
			return err
		})),
		sorted(one("ListFailedAttempts of a cause", func(ctx context.Context, tx trowel.Tx) error {
			_, err := tx.ListFailedAttempts(ctx, trowel.FailureFilter{Since: time.UnixMicro(10), Until: time.UnixMicro(4000), Cause: 7, Limit: 100})
			return err
		})),
		one("FindFailures", func(ctx context.Context, tx trowel.Tx) error {
			_, err := tx.FindFailures(ctx, []int64{7, 9})
			return err
		}),
		sorted(one("ListFailures", func(ctx context.Context, tx trowel.Tx) error { _, err := tx.ListFailures(ctx, 7, 10); return err })),
		one("FindKnownCauses", func(ctx context.Context, tx trowel.Tx) error {
			_, err := tx.FindKnownCauses(ctx, []trowel.Cause{7}, 0, time.UnixMicro(10), time.UnixMicro(4000))
			return err
		}),
		sorted(one("CountCauses", func(ctx context.Context, tx trowel.Tx) error {
			_, err := tx.CountCauses(ctx, []trowel.Cause{7, 8}, 0, 7, time.UnixMicro(10))
			return err
		})),
		one("EachTaskLine", func(ctx context.Context, tx trowel.Tx) error {
			return tx.EachTaskLine(ctx, 7, 3, func(*trowel.TaskLine) error { return nil })
		}),
		sorted(one("FindTaskLines", func(ctx context.Context, tx trowel.Tx) error {
			_, err := tx.FindTaskLines(ctx, 7, []trowel.TaskID{6, 1006})
			return err
		})),
		one("EachArchivedLine", func(ctx context.Context, tx trowel.Tx) error {
			return tx.EachArchivedLine(ctx, 7, func(*trowel.TaskLine) error { return nil })
		}),
		one("FindLastAudit", func(ctx context.Context, tx trowel.Tx) error { _, err := tx.FindLastAudit(ctx, 7); return err }),
		one("ListTriesAmong", func(ctx context.Context, tx trowel.Tx) error {
			_, err := tx.ListTriesAmong(ctx, 7, []trowel.TaskID{6, 1006})
			return err
		}),
		sorted(one("ListTries", func(ctx context.Context, tx trowel.Tx) error { _, err := tx.ListTries(ctx, 7); return err })),
		sorted(one("ListAudits", func(ctx context.Context, tx trowel.Tx) error { _, err := tx.ListAudits(ctx, 7); return err })),
		{name: "ListOrphans", allowed: "SCAN TEMP B-TREE", run: func(ctx context.Context, tx trowel.Tx) error {
			_, err := tx.ListOrphans(ctx, at, 20)
			return err
		}},
		sorted(one("ListLive", func(ctx context.Context, tx trowel.Tx) error {
			_, err := tx.ListLive(ctx, []trowel.AttemptID{7, 8, 9})
			return err
		})),
		one("ListRunning", func(ctx context.Context, tx trowel.Tx) error { _, err := tx.ListRunning(ctx, 5, 20); return err }),
		one("FindRunning", func(ctx context.Context, tx trowel.Tx) error {
			_, err := tx.FindRunning(ctx, []trowel.AttemptID{7, 8, 9})
			return err
		}),
		{name: "ListRunningOf", allowed: "SCAN TEMP B-TREE", run: func(ctx context.Context, tx trowel.Tx) error {
			_, err := tx.ListRunningOf(ctx, "a7")
			return err
		}},
		one("FindTry", func(ctx context.Context, tx trowel.Tx) error {
			_, err := tx.FindTry(ctx, 7, trowel.TryID{Task: 6, Number: 1})
			return err
		}),
		// All tasks that run, once in a while.
		{name: "CountHolds", allowed: "SCAN TEMP B-TREE", run: func(ctx context.Context, tx trowel.Tx) error { _, err := tx.CountAcquired(ctx); return err }},
		one("CountAdmitted", func(ctx context.Context, tx trowel.Tx) error { _, err := tx.CountAdmitted(ctx, 1, "w1"); return err }),
		sorted(one("ListWaiting", func(ctx context.Context, tx trowel.Tx) error { _, err := tx.ListWaiting(ctx, 1, "w1", 20); return err })),
		// All attempts that wait: their index has no others.
		scanned(one("ListWaitingWorkflows", func(ctx context.Context, tx trowel.Tx) error { _, err := tx.ListWaitingWorkflows(ctx); return err })),
		one("HoldAgents", func(ctx context.Context, tx trowel.Tx) error {
			_, err := tx.LockAgents(ctx, []string{"a7", "a8"}, "s")
			return err
		}),
		one("RenewLeases", func(ctx context.Context, tx trowel.Tx) error {
			_, err := tx.RenewLeases(ctx, []string{"a7", "a8"}, at, at)
			return err
		}),
		one("LockUses", func(ctx context.Context, tx trowel.Tx) error {
			_, err := tx.LockCounters(ctx, []string{"n7", "n8"})
			return err
		}),
		one("FindTasks", func(ctx context.Context, tx trowel.Tx) error {
			_, err := tx.FindTasks(ctx, 7, []trowel.TaskID{6, 7})
			return err
		}),
		one("FindFirstTask", func(ctx context.Context, tx trowel.Tx) error { _, err := tx.FindFirstTask(ctx, 7); return err }),
		sorted(one("FindTasksNamed", func(ctx context.Context, tx trowel.Tx) error {
			_, err := tx.FindTasksNamed(ctx, 7, "+t", 20)
			return err
		})),
		sorted(one("ListOutlines", func(ctx context.Context, tx trowel.Tx) error { _, err := tx.ListOutlines(ctx, 7, 3); return err })),
		sorted(one("CountChildren", func(ctx context.Context, tx trowel.Tx) error { _, err := tx.CountChildren(ctx, 7, 3); return err })),
		scanned(one("ListReady", func(ctx context.Context, tx trowel.Tx) error { _, err := tx.ListReady(ctx, 20); return err })),
		scanned(one("ListBusy", func(ctx context.Context, tx trowel.Tx) error { _, err := tx.ListBusy(ctx, 20); return err })),
		sorted(one("CountReady", func(ctx context.Context, tx trowel.Tx) error { _, err := tx.CountReady(ctx, 7); return err })),
		sorted(one("ListUnfinished", func(ctx context.Context, tx trowel.Tx) error { _, err := tx.ListUnfinished(ctx, 7); return err })),
		sorted(one("ListWaitingTasks", func(ctx context.Context, tx trowel.Tx) error {
			_, err := tx.ListWaitingTasks(ctx, 7, 3, 20)
			return err
		})),
		one("FindPoolSample", func(ctx context.Context, tx trowel.Tx) error { _, err := tx.FindPoolSample(ctx); return err }),
		sorted(one("FindTimesTaken", func(ctx context.Context, tx trowel.Tx) error {
			_, err := tx.FindTimesTaken(ctx, 7, []string{"+a", "+b", "+c"})
			return err
		})),
		one("ListPoolUses", func(ctx context.Context, tx trowel.Tx) error {
			_, err := tx.ListPoolUsage(ctx, 7, time.UnixMicro(int64(*thousands)*1000-20))
			return err
		}),
		one("ListHandOffs", func(ctx context.Context, tx trowel.Tx) error {
			_, err := tx.ListHandOffs(ctx, time.UnixMicro(int64(*thousands)*1000-20))
			return err
		}),
		one("FindWorkflowKeys", func(ctx context.Context, tx trowel.Tx) error {
			_, err := tx.FindWorkflowKeys(ctx, 7, []string{"k"})
			return err
		}),
		sorted(one("ListAdmitted", func(ctx context.Context, tx trowel.Tx) error { _, err := tx.ListAdmitted(ctx, 7, "w1", 20); return err })),
		sorted(one("ListTriesOf", func(ctx context.Context, tx trowel.Tx) error { _, err := tx.ListTriesOf(ctx, 7, 7); return err })),
		sorted(one("ListAuditsAt", func(ctx context.Context, tx trowel.Tx) error { _, err := tx.ListAuditsAt(ctx, 7, at); return err })),
		{name: "CountLive", allowed: "SCAN TEMP B-TREE", run: func(ctx context.Context, tx trowel.Tx) error {
			_, err := tx.CountLive(ctx)
			return err
		}},
		scanned(one("EachLive", func(ctx context.Context, tx trowel.Tx) error {
			return tx.EachLive(ctx, trowel.TaskReady, func(*trowel.LiveTask, trowel.ProjectID) error { return nil })
		})),
		one("NameTasks", func(ctx context.Context, tx trowel.Tx) error {
			_, err := tx.NameTasks(ctx, map[trowel.TaskID]trowel.AttemptID{7: 7, 8: 7, 9: 7})
			return err
		}),
		one("ListTaskNames", func(ctx context.Context, tx trowel.Tx) error { _, err := tx.ListTaskNames(ctx, 7); return err }),
		one("ListAuditRows", func(ctx context.Context, tx trowel.Tx) error {
			_, err := tx.ListAuditRows(ctx, 7, 0, false, 50)
			return err
		}),
		one("ListAuditRows backward", func(ctx context.Context, tx trowel.Tx) error {
			_, err := tx.ListAuditRows(ctx, 7, 1000, true, 50)
			return err
		}),
		scanned(one("ListRecords", func(ctx context.Context, tx trowel.Tx) error {
			_, err := tx.ListRecords(ctx, trowel.RecordFilter{Limit: 20})
			return err
		})),
		one("ListRecords of a project", func(ctx context.Context, tx trowel.Tx) error {
			_, err := tx.ListRecords(ctx, trowel.RecordFilter{ProjectID: 7, Before: 5000, Limit: 20})
			return err
		}),
		sorted(one("MatchAttempts", func(ctx context.Context, tx trowel.Tx) error {
			_, err := tx.MatchAttempts(ctx, trowel.NameQuery{Words: []string{"n"}, Project: 1, Limit: 8})
			return err
		})),
		{name: "MatchRevisions", allowed: "SCAN TEMP B-TREE", run: func(ctx context.Context, tx trowel.Tx) error { // of the 500 that it looks at
			_, err := tx.MatchRevisions(ctx, trowel.NameQuery{Words: []string{"r"}, Project: 1, Limit: 8})
			return err
		}},
		sorted(one("MatchSessions", func(ctx context.Context, tx trowel.Tx) error {
			_, err := tx.MatchSessions(ctx, trowel.SessionSpan{From: at, To: at.Add(time.Hour), Limit: 200})
			return err
		})),
		sorted(one("MatchSessions of a workflow", func(ctx context.Context, tx trowel.Tx) error {
			_, err := tx.MatchSessions(ctx, trowel.SessionSpan{Project: 1, Workflow: "w1", From: at, To: at.Add(time.Hour), Limit: 8})
			return err
		})),
		one("FindErrorChunk", func(ctx context.Context, tx trowel.Tx) error {
			_, err := tx.FindErrorChunk(ctx, 7, "f", 100)
			return err
		}),
		sorted(one("SearchAttempts", func(ctx context.Context, tx trowel.Tx) error {
			_, _, err := tx.SearchAttempts(ctx, trowel.AttemptSearch{Limit: 100})
			return err
		})),
		sorted(one("SearchAttempts, the next page", func(ctx context.Context, tx trowel.Tx) error {
			_, _, err := tx.SearchAttempts(ctx, trowel.AttemptSearch{After: &trowel.AttemptKey{CreatedAt: time.UnixMicro(0), ID: 4000}, Limit: 100})
			return err
		})),
		sorted(one("SearchAttempts of a status, the oldest first", func(ctx context.Context, tx trowel.Tx) error {
			_, _, err := tx.SearchAttempts(ctx, trowel.AttemptSearch{Status: "running", Ascending: true, CreatedFrom: at, CreatedTo: at.Add(time.Hour), Limit: 100})
			return err
		})),
		sorted(one("SearchAttempts of a project", func(ctx context.Context, tx trowel.Tx) error {
			_, _, err := tx.SearchAttempts(ctx, trowel.AttemptSearch{Project: 1, Status: "error", CreatedTo: at, Limit: 100})
			return err
		})),
		sorted(one("SearchAttempts of a project, rare", func(ctx context.Context, tx trowel.Tx) error {
			_, _, err := tx.SearchAttempts(ctx, trowel.AttemptSearch{Project: 1, Status: "killed", Limit: 100})
			return err
		})),
		sorted(one("SearchAttempts of a workflow, last ones", func(ctx context.Context, tx trowel.Tx) error {
			_, _, err := tx.SearchAttempts(ctx, trowel.AttemptSearch{Project: 1, Workflow: "w1", Status: "error", LastOnly: true, Limit: 100})
			return err
		})),
		one("ListRecords of an attempt", func(ctx context.Context, tx trowel.Tx) error {
			_, err := tx.ListRecords(ctx, trowel.RecordFilter{AttemptID: 7, Limit: 20})
			return err
		}),
		sorted(one("ListLogFiles", func(ctx context.Context, tx trowel.Tx) error { _, err := tx.ListLogFiles(ctx, 7, "f"); return err })),
		one("ListLogChunks", func(ctx context.Context, tx trowel.Tx) error {
			_, err := tx.ListLogChunks(ctx, 7, "f", 3, 5, true)
			return err
		}),
		scanned(one("ListUnpackedLogs", func(ctx context.Context, tx trowel.Tx) error { _, err := tx.ListUnpackedLogs(ctx, 5); return err })),
		one("ListBlobs", func(ctx context.Context, tx trowel.Tx) error { _, err := tx.ListBlobs(ctx, "k7", "", 20); return err }),
		sorted(one("ListSecrets", func(ctx context.Context, tx trowel.Tx) error { _, err := tx.ListSecrets(ctx, 7, "project"); return err })),
		one("FindToken", func(ctx context.Context, tx trowel.Tx) error { _, err := tx.FindToken(ctx, []byte("h7")); return err }),
		one("DeleteParamValues", func(ctx context.Context, tx trowel.Tx) error {
			_, err := tx.DeleteParamValues(ctx, time.UnixMicro(9), 100)
			return err
		}),
		one("ListOldAttempts", func(ctx context.Context, tx trowel.Tx) error {
			_, _, err := tx.ListOldAttempts(ctx, at, 1000, 200)
			return err
		}),
		one("DeleteAttempts", func(ctx context.Context, tx trowel.Tx) error {
			_, err := tx.DeleteAttempts(ctx, at, []trowel.AttemptID{7, 8, 9})
			return err
		}),
		scanned(one("DeleteDecisions", func(ctx context.Context, tx trowel.Tx) error {
			_, err := tx.DeleteDecisions(ctx, time.UnixMicro(9), 100)
			return err
		})),
		// All attempts of old revisions, once an hour.
		{name: "ListOldRevisions", allowed: "SCAN TEMP B-TREE", most: 10_000, run: func(ctx context.Context, tx trowel.Tx) error {
			_, err := tx.ListOldRevisions(ctx, at, 0, 50)
			return err
		}},
		sorted(one("DeleteLogs", func(ctx context.Context, tx trowel.Tx) error { _, err := tx.DeleteLogs(ctx, 7); return err })),
	}
}

// seed fills the tables: a thousand projects of two workflows in two revisions each; the first
// project has as many sessions of one workflow as all others together. numbers makes a table n with
// the numbers from 1 on, and bytes is the type of bytes.
func seed(t *testing.T, db *sql.DB, numbers, bytes string) {
	t.Helper()
	large := *thousands * 1000
	for _, row := range []struct {
		rows int
		text string
	}{
		{1000, `INSERT INTO project (id, name, revision_id, created_at) SELECT i, 'p' || i, i + 1000, i FROM n`},
		{2000, `INSERT INTO revision (id, project_id, name, archive_type, archive_bytes, actor, created_at)
SELECT i, 1 + (i - 1) % 1000, 'r' || (i / 1000), 'none', 0, '', i FROM n`},
		{1000, `INSERT INTO workflow_config (id, project_id, digest, zone) SELECT i, i, i, 'UTC' FROM n`},
		{4000, `INSERT INTO workflow (id, revision_id, name, config_id) SELECT i, 1 + (i - 1) % 2000, 'w' || (i / 2000), 1 + i % 1000 FROM n`},
		{4000, `INSERT INTO schedule (id, project_id, workflow, workflow_id, next_run_at, next_session_at, created_at, updated_at)
SELECT i, 1 + (i - 1) % 1000, 'w' || (i / 1000), i, i, i, 0, 0 FROM n`},
		{large, `INSERT INTO schedule_decision (id, at, schedule_id, project_id, workflow, session_at, run_at, what, reason)
SELECT i, i, i, 1 + i % 1000, 'w1', i, i, 'started', '' FROM n`},
		{large, `INSERT INTO session (id, project_id, workflow, session_time, uuid, last_attempt_id)
SELECT i, CASE WHEN i % 2 = 0 THEN 1 ELSE 1 + i % 1000 END, 'w1', i, 'u', i FROM n`},
		{large, `INSERT INTO attempt (id, session_id, project_id, workflow, name, number, workflow_id, zone, flags, cause, actor, version, created_at,
finished_at, wait_reason) SELECT i, i, CASE WHEN i % 2 = 0 THEN 1 ELSE 1 + i % 1000 END, 'w1', '', 1, 1 + i % 4000, 'UTC', 2, '', '', 0, i,
CASE WHEN i % 100 = 0 THEN NULL ELSE i END, CASE WHEN i % 300 = 0 THEN 'attempts_limit' ELSE NULL END FROM n`},
		{1000, `INSERT INTO delayed_attempt (attempt_id, depends_on, next_run_at) SELECT i, i, i FROM n`},
		{large, `INSERT INTO task (id, attempt_id, full_name, is_group, state, flags, parent_round, try, updated_at, agent_id, version, begun)
SELECT i, 1 + i % 1000, '+t', i % 100 = 0, CASE WHEN i % 100 = 0 THEN 4 ELSE 0 END, 0, 0, 1, i, 'a' || (i % 50), i % 5, i % 100 = 0 FROM n`},
		{40, `INSERT INTO agent (id, name, version, slots, started_at, seen_at, lease_ends) SELECT 'a' || i, '', '', 1, 0, 0, 2000000 FROM n`},
		{large, `INSERT INTO hand_off (at, queue, counts) SELECT i, 'q', '[]' FROM n`},
		{large, `INSERT INTO pool_history (pool_id, at, samples, sampled_at, slots, used, most_used, waiting, most_waiting)
SELECT i % 20, i, 1, i, 1, 1, 1, 1, 1 FROM n`},
		{large, `INSERT INTO limit_use (name, used) SELECT 'n' || i, 0 FROM n`},
		{large, `INSERT INTO audit_record (id, at, actor_kind, actor, source, action, object_kind, object_id, object, project_id, attempt_id)
SELECT i, i, '', '', '', '', '', '', '', 1 + i % 1000, 1 + i % 1000 FROM n`},
		{large, `INSERT INTO task_try (attempt_id, task_id, number, full_name, ended_at, exit_kind) SELECT 1 + i % 1000, i, 1, '+t', i, 'success' FROM n`},
		{large, `INSERT INTO failure (id, at, attempt_id, project_id, workflow, cause, operator, kind, message, task_id, task_name, try, tasks)
SELECT i, i, 1 + i % 1000, 1 + i % 1000, 'w1', i % 50, 'sh', '', '', i, '+t', 1, 1 FROM n`},
		{large, `INSERT INTO audit (id, at, attempt_id, batch, entries) SELECT i, i, 1 + i % 1000, i, '[]' FROM n`},
		{large, `INSERT INTO log_chunk (attempt_id, file, seq, first_line, line_count, text_offset, text_bytes, data_bytes, blob_key, blob_offset)
SELECT 1 + i % 1000, 'f', i, 0, 0, 0, 0, 0, 'k', 0 FROM n`},
		{large, `INSERT INTO blob_part (key, part, data) SELECT 'k' || i, 0, '' FROM n`},
		{large, `INSERT INTO secret (project_id, scope, key, engine, value, actor, updated_at) SELECT 1 + i % 1000, 'project', 'k' || i, '', '', '', 0 FROM n`},
		{large, `INSERT INTO token (id, name, hash, role, actor, created_at) SELECT i, '', CAST('h' || i AS BYTEA), '', '', 0 FROM n`},
		{large, `INSERT INTO param_value (key, value, updated_at) SELECT 'k' || i, '', i FROM n`},
	} {
		text := fmt.Sprintf(numbers, row.rows) + strings.ReplaceAll(row.text, "BYTEA", bytes)
		if _, err := db.ExecContext(t.Context(), text); err != nil {
			t.Fatalf("%v\n%s", err, text)
		}
	}
	if _, err := db.ExecContext(t.Context(), "ANALYZE"); err != nil {
		t.Fatal(err)
	}
}

func explain(t *testing.T, db *sql.DB, text string, args []any) string {
	t.Helper()
	rows, err := db.QueryContext(t.Context(), text, args...)
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	defer rows.Close()
	columns, err := rows.Columns()
	if err != nil {
		t.Fatal(err)
	}
	var plan strings.Builder
	for rows.Next() {
		dest := make([]any, len(columns))
		for i := range dest {
			dest[i] = new(any)
		}
		if err := rows.Scan(dest...); err != nil {
			t.Fatal(err)
		}
		fmt.Fprintln(&plan, *dest[len(dest)-1].(*any)) //nolint:forcetypeassert // made above
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	return plan.String()
}

// recorded returns the first statement of a method, and its values.
func recorded(t *testing.T, run func(context.Context, trowel.Tx) error) (string, []any) {
	t.Helper()
	r := &recorder{}
	db, err := store.New(t.Context(), sql.OpenDB(r), store.Dialect{
		BeginRead: "BEGIN", KeepsStatements: true, Classify: func(err error) error { return err },
	})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = db.Close() }()
	err = db.View(t.Context(), func(tx trowel.Tx) error { return run(t.Context(), tx) })
	if !errors.Is(err, errRecorded) {
		t.Fatalf("record a statement: %v", err)
	}
	return r.text, r.args
}

var errRecorded = errors.New("recorded")

// recorder is a driver that records the first statement of a transaction.
type recorder struct {
	driver.Conn

	text string
	args []any
}

func (r *recorder) Connect(context.Context) (driver.Conn, error) { return r, nil }
func (r *recorder) Driver() driver.Driver                        { return nil }
func (r *recorder) Close() error                                 { return nil }

func (r *recorder) QueryContext(_ context.Context, text string, args []driver.NamedValue) (driver.Rows, error) {
	r.record(text, args)
	return nil, errRecorded
}

func (r *recorder) ExecContext(_ context.Context, text string, args []driver.NamedValue) (driver.Result, error) {
	if text == "BEGIN" || text == "ROLLBACK" {
		return driver.RowsAffected(0), nil
	}
	r.record(text, args)
	return nil, errRecorded
}

func (r *recorder) record(text string, args []driver.NamedValue) {
	if r.text != "" {
		return
	}
	r.text = text
	for _, arg := range args {
		r.args = append(r.args, arg.Value)
	}
}
