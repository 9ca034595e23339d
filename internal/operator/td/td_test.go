package td_test

import (
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/operator"
	"github.com/trowel-project/trowel/internal/operator/operatortest"
	"github.com/trowel-project/trowel/internal/operator/td"
	"github.com/trowel-project/trowel/internal/operator/td/tdtest"
	"github.com/trowel-project/trowel/internal/param"
)

// key is the API key of tests, which must be seen nowhere.
const key = "1/00112233445566778899001122334455667788ff"

// fixture is a task and the service that it talks to.
type fixture struct {
	*operatortest.Fixture
	service *tdtest.Service
	log     *strings.Builder
}

// newTask returns a task with a database and a key.
func newTask(t *testing.T, options td.Options, own ...any) *fixture {
	t.Helper()
	f := &fixture{operatortest.New(t, td.Table(options), param.Of(own...)), tdtest.Start(t), &strings.Builder{}}
	f.With("td", param.Of("database", "db")).With("endpoint", f.service.Host).With("use_ssl", false)
	f.Secrets(map[string]string{"td.apikey": key})
	f.service.Key = key
	f.Request.Log = slog.New(slog.NewTextHandler(f.log, nil))
	f.Request.Lease.Context = &trowel.AttemptContext{
		Project: trowel.Project{ID: 3, Name: "etl"}, Session: trowel.Session{ID: 5, Workflow: "main", Time: time.Unix(1705276800, 0)},
	}
	return f
}

// check compares what came of a task, and that the key is seen nowhere.
func (f *fixture) check(t *testing.T, outcome operator.Outcome, err error, want string) {
	t.Helper()
	got := operatortest.Message(err)
	if err == nil {
		got = param.JSON(outcome.Result.Store)
		if outcome.Result.Subtasks != nil {
			got = param.JSON(outcome.Result.Subtasks)
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("outcome (-want +got):\n%s", diff)
	}
	for name, text := range map[string]string{"log": f.log.String(), "state": param.JSON(f.State), "outcome": got, "output": f.Output.String()} {
		if strings.Contains(text, key) {
			t.Errorf("the %s shows the key: %s", name, text)
		}
	}
}

const lastJob = `{"td":{"last_job_id":"1000","last_job":{"id":"1000","num_records":0}}}`

// Operators 8.2 to 8.11: what each operator sends, and what becomes of the task.
func TestJobs(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		own  []any
		call string
		form map[string]string
		want string
	}{
		"query": {
			own: []any{"td>", param.Of("data", "select 1"), "priority", 2, "job_retry", "3", "engine_version", "v", "presto_pool_name", "p", "hive_pool_name", "h"}, call: "POST /v3/job/issue/presto/db",
			form: map[string]string{"priority": "2", "retry_limit": "3", "engine_version": "v", "pool_name": "p", "scheduled_time": "1705276800", "query": comments + "select 1"},
		},
		"hive": {
			own: []any{"td>", nil, "query", "select 1", "engine", "hive", "engine_version", "v", "hive_engine_version", "w", "hive_pool_name", "h"}, call: "POST /v3/job/issue/hive/db",
			form: map[string]string{"engine_version": "w", "pool_name": "h", "query": comments + "select 1"},
		},
		"result elsewhere": {
			own:  []any{"td>", nil, "query", "q", "result_url", "mysql://u:${secret:my.pw}@h/db", "result_connection", "c", "result_settings", `{"a": "${secret:my.pw}"}`},
			call: "POST /v3/job/issue/presto/db", form: map[string]string{"result": "mysql://u:hush1234@h/db", "result_connection_id": "9", "result_connection_settings": `{"a":"hush1234"}`},
		},
		"insert": {
			own: []any{"td>", nil, "query", "select 1", "insert_into", "other.dest"}, call: "POST /v3/job/issue/presto/db",
			form: map[string]string{"query": comments + "INSERT INTO \"other\".\"dest\"\nselect 1"},
		},
		"create": {
			own: []any{"td>", nil, "query", "select 1", "create_table", "dest"}, call: "POST /v3/job/issue/presto/db",
			form: map[string]string{"query": comments + "DROP TABLE IF EXISTS \"dest\";\nCREATE TABLE \"dest\" AS\nselect 1"},
		},
		"create with hive": {
			own: []any{"td>", nil, "query", "select 1", "create_table", "dest", "engine", "hive"}, call: "POST /v3/job/issue/hive/db",
			form: map[string]string{"query": comments + "INSERT OVERWRITE TABLE `dest`\nselect 1"},
		},
		"saved query": {own: []any{"td_run>", "my query"}, call: "POST /v3/schedule/run/my%20query/1705276800"},
		"saved query by id": {
			own: []any{"td_run>", 17, "session_time", "2024-01-16T00:00:00+00:00"}, call: "POST /v4/queries/17/jobs",
			form: map[string]string{"scheduled_time": "2024-01-16T00:00:00Z"},
		},
		"load": {
			own: []any{"td_load>", nil, "config", param.Of("in", param.Of("pw", "${secret:my.pw}")), "table", "t"}, call: "POST /v3/job/issue/bulkload/db",
			form: map[string]string{"table": "t", "config": `{"in":{"pw":"hush1234"}}`, "priority": "0"},
		},
		"load by name": {own: []any{"td_load>", "stored"}, call: "POST /v3/bulk_loads/stored/jobs", form: map[string]string{"scheduled_time": "1705276800"}},
		"table export": {
			own:  []any{"td_table_export>", nil, "table", "o.t", "file_format", "jsonl.gz", "from", "2024-01-01 00:00:00 +0900", "to", 1704074400, "s3_bucket", "b", "s3_path_prefix", "p/"},
			call: "POST /v3/export/run/o/t",
			form: map[string]string{"from": "1704034800", "to": "1704074400", "access_key_id": "AKIA", "secret_access_key": "s3secret", "bucket": "b", "file_prefix": "p/", "domain_key": ""},
		},
		"table export in a zone": {
			own:  []any{"td_table_export>", nil, "table", "t", "file_format", "tsv.gz", "from", "2024-01-01 09:00:00", "to", "1704074400", "s3_bucket", "b", "s3_path_prefix", "p/", "timezone", "Asia/Tokyo"},
			call: "POST /v3/export/run/db/t", form: map[string]string{"from": "1704067200", "to": "1704074400"},
		},
		"result export": {
			own: []any{"td_result_export>", nil, "job_id", 5, "result_connection", "c", "result_settings", param.Of("k", "${secret:my.pw}")}, call: "POST /v3/job/result_export/5",
			form: map[string]string{"result_connection_id": "9", "result_connection_settings": `{"k":"hush1234"}`, "domain_key": ""},
		},
		"partial delete": {
			own: []any{"td_partial_delete>", "t", "from", "2024-01-01T00:00:00", "to", "1704070800"}, call: "POST /v3/table/partialdelete/db/t",
			form: map[string]string{"from": "1704067200", "to": "1704070800"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := newTask(t, td.Options{}, c.own...)
			f.Secrets(map[string]string{"td.apikey": key, "my.pw": "hush1234", "aws.access_key_id": "AKIA", "aws.s3.secret_access_key": "s3secret", "aws.secret_access_key": "other"})
			outcome, _, err := f.RunToEnd()
			f.check(t, outcome, err, lastJob)
			jobs := f.service.Jobs()
			if len(jobs) != 1 {
				t.Fatalf("%d jobs were begun, want 1", len(jobs))
			}
			if calls := strings.Join(f.service.Calls(), "\n"); !strings.Contains(calls, c.call) {
				t.Errorf("calls:\n%s\nwant %s", calls, c.call)
			}
			for field, want := range c.form {
				if got := jobs[0].Form.Get(field); got != want {
					t.Errorf("%s = %q, want %q", field, got, want)
				}
			}
			for _, hidden := range []string{"hush1234", "s3secret"} {
				if strings.Contains(f.log.String()+param.JSON(f.State), hidden) {
					t.Errorf("log or state show a secret: %s %s", f.log, param.JSON(f.State))
				}
			}
		})
	}
}

const comments = "-- project_id: 3\n-- project_name: etl\n-- workflow_name: main\n-- session_id: 5\n-- attempt_id: 11\n-- task_name: +main+a\n"
