package td_test

import (
	"context"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/trowel-project/trowel/internal/operator"
	"github.com/trowel-project/trowel/internal/operator/operatortest"
	"github.com/trowel-project/trowel/internal/operator/td"
	"github.com/trowel-project/trowel/internal/operator/td/tdtest"
	"github.com/trowel-project/trowel/internal/param"
)

func newQuery(t *testing.T, more ...any) *fixture {
	t.Helper()
	return newTask(t, td.Options{}, append([]any{"td>", param.Of("data", "select 1")}, more...)...)
}

// Operators 8.1: the domain key is stored before it is sent, the id before it is waited for, and a job goes on in between.
func TestJob(t *testing.T) {
	t.Parallel()
	f := newQuery(t)
	f.service.Looks = 3
	var pauses []time.Duration
	for i := 0; ; i++ {
		outcome, err := f.Run()
		if err != nil {
			t.Fatal(err)
		}
		if outcome.Again == nil {
			f.check(t, outcome, err, lastJob)
			break
		}
		if !outcome.Again.Job {
			t.Errorf("run %d: no job goes on", i)
		}
		job, _ := param.NewReader(outcome.Again.State).MapOf("job")
		if got := len(f.service.Jobs()); got != min(i, 1) || !job.Has("domainKey") {
			t.Errorf("run %d: %d jobs, state %s", i, got, param.JSON(outcome.Again.State))
		}
		f.State, pauses = outcome.Again.State, append(pauses, outcome.Again.After)
	}
	want := []time.Duration{0, time.Second, time.Second, 2 * time.Second, 4 * time.Second}
	if diff := cmp.Diff(want, pauses); diff != "" {
		t.Errorf("pauses (-want +got):\n%s", diff)
	}
	for _, line := range []string{"Started job 1000", "Job 1000: running after 3s", "Job 1000: success"} {
		if strings.Count(f.log.String(), line) != 1 {
			t.Errorf("the log has %q %d times:\n%s", line, strings.Count(f.log.String(), line), f.log)
		}
	}
}

// Each request fails in each way, and comes again: one job, one result.
func TestFaultsPass(t *testing.T) {
	t.Parallel()
	faults := map[string]tdtest.Fault{
		"429": {Status: 429, Body: `{"text":"slow down"}`}, "500": {Status: 500, Body: "oops", Times: 5}, "half": {Cut: true}, "none": {Break: true},
		"lost answer": {Handled: true, Break: true, Times: 5}, "no JSON": {Handled: true, Body: "<html>"},
	}
	for _, call := range []string{"POST /v3/job/issue", "GET /v3/job/status", "GET /v3/job/result"} {
		for name, fault := range faults {
			t.Run(call+" "+name, func(t *testing.T) {
				t.Parallel()
				f := newQuery(t, "store_last_results", true).withResult()
				fault.Call, fault.Times = call, max(fault.Times, 1) // five are more than one run tries
				f.service.Fail(fault)
				outcome, _, err := f.RunToEnd()
				f.check(t, outcome, err, `{"td":{"last_results":{"s":"a \"b\",\r\nc","n":-1,"l":[1,"x"]},"last_job_id":"1000","last_job":{"id":"1000","num_records":3}}}`)
				if jobs := f.service.Jobs(); len(jobs) != 1 {
					t.Errorf("%d jobs were begun", len(jobs))
				}
			})
		}
	}
}

// What can never succeed fails, with the service's sentence.
func TestFaultsFail(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		fault tdtest.Fault
		set   func(*fixture)
		want  string
	}{
		"wrong key":   {set: func(f *fixture) { f.service.Key = "other" }, want: "[AUTHENTICATION_FAILURE] [401:Unauthorized] API request to /v3/job/issue/presto/db has failed: API key is invalid (td client http unauthorized)"},
		"no database": {fault: tdtest.Fault{Call: "POST /v3/job/issue", Status: 404, Body: `{"text":"Couldn't find UserDatabase with name = db"}`}, want: "[TARGET_NOT_FOUND] [404:Not Found] API request to /v3/job/issue/presto/db has failed: Couldn't find UserDatabase with name = db (td client http not found)"},
		"forbidden":   {fault: tdtest.Fault{Call: "GET /v3/job/status", Status: 403, Body: `{"text":"no"}`}, want: "[CLIENT_ERROR] [403:Forbidden] API request to /v3/job/status/1000 has failed: no (td client http)"},
		"job fails":   {set: func(f *fixture) { f.service.Ends, f.service.Output, f.service.Errors = "error", "started", "boom" }, want: "started\nboom"},
		"job prints much": {
			set:  func(f *fixture) { f.service.Ends, f.service.Output = "error", strings.Repeat("x", 2<<20) },
			want: strings.Repeat("x", 1<<20) + "\n",
		},
		"job is killed": {set: func(f *fixture) { f.service.Ends = "killed" }, want: "\n"},
		"job fails, no details": {
			set: func(f *fixture) { f.service.Ends = "error" }, fault: tdtest.Fault{Call: "GET /v3/job/show", Status: 404, Body: `{"text":"gone"}`},
			want: "Job 1000 has ended with the status error; what it printed cannot be read: [TARGET_NOT_FOUND] [404:Not Found] API request to /v3/job/show/1000 has failed: gone",
		},
		"job disappears": {set: func(f *fixture) {
			f.service.Answered = func(r *http.Request) bool {
				if strings.HasPrefix(r.URL.Path, "/v3/job/issue") {
					f.service.Forget()
				}
				return true
			}
		}, want: "[TARGET_NOT_FOUND] [404:Not Found] API request to /v3/job/status/1000 has failed: Couldn't find Job with id = 1000 (td client http not found)"},
		"no key":       {set: func(f *fixture) { f.Secrets(nil) }, want: "The 'td.apikey' secret is missing (config)"},
		"blank key":    {set: func(f *fixture) { f.Secrets(map[string]string{"td.apikey": " "}) }, want: "The 'td.apikey' secret is empty (config)"},
		"engine":       {set: func(f *fixture) { f.With("engine", "pig") }, want: "Unknown 'engine:' option (available options are: hive and presto): pig (config)"},
		"endpoint":     {set: func(f *fixture) { f.With("endpoint", "a b/c") }, want: "Parameter 'endpoint' must be the name of a host: a b/c (config)"},
		"secret flag":  {set: func(f *fixture) { f.Secrets(map[string]string{"td.apikey": key, "td.use_ssl": "maybe"}) }, want: "The 'td.use_ssl' secret must be true or false (config)"},
		"both tables":  {set: func(f *fixture) { f.With("insert_into", "a").With("create_table", "b") }, want: "Setting both insert_into and create_table is invalid (config)"},
		"block":        {set: func(f *fixture) { f.Inherited.Set("td", "x") }, want: "Parameter 'td' must be an object (config)"},
		"settings":     {set: func(f *fixture) { f.With("result_settings", "{}") }, want: "result_settings is valid only if result_connection is set (config)"},
		"no such file": {set: func(f *fixture) { f.Own.Set("td>", "none.sql") }, want: "File not found: PROJECT/none.sql (config)"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := newQuery(t)
			if c.set != nil {
				c.set(f)
			}
			if c.fault.Call != "" {
				c.fault.Times = 100
				f.service.Fail(c.fault)
			}
			_, _, err := f.RunToEnd()
			if got := strings.ReplaceAll(operatortest.Message(err), f.Project, "PROJECT"); got != c.want {
				t.Errorf("error %q, want %q", got, c.want)
			}
		})
	}
}

// A service that asks to be left alone for longer is not asked before.
func TestRetryAfter(t *testing.T) {
	t.Parallel()
	f := newQuery(t)
	f.service.Fail(tdtest.Fault{Call: "POST", Times: 9, Status: 429, Header: map[string]string{"Retry-After": "77"}})
	outcome, err := f.Run()
	if err != nil {
		t.Fatal(err)
	}
	f.State = outcome.Again.State
	outcome, err = f.Run()
	if err != nil || outcome.Again.After != 77*time.Second || !outcome.Again.Job || outcome.Again.Cause == nil {
		t.Errorf("Run = %+v, %v, want another run after 77 s", outcome.Again, err)
	}
	if got := len(f.service.Calls()); got != 1 {
		t.Errorf("%d requests", got)
	}
}

// Operators 8.1: the secret alone names the database, and comes before the parameter.
func TestDatabaseSecret(t *testing.T) {
	t.Parallel()
	f := newQuery(t)
	f.Secrets(map[string]string{"td.apikey": key, "td.database": " other "})
	f.Inherited.Delete("td")
	if _, _, err := f.RunToEnd(); err != nil {
		t.Fatal(err)
	}
	if got := f.service.Calls()[0]; got != "POST /v3/job/issue/presto/other" {
		t.Errorf("call = %s", got)
	}
	f.Secrets(map[string]string{"td.apikey": key})
	f.State = nil
	_, err := f.Run()
	if got := operatortest.Message(err); got != "Parameter 'database' is required but not set (config)" {
		t.Errorf("error = %q", got)
	}
}

// Operators 8.1: an old layout of the state.
func TestOldState(t *testing.T) {
	t.Parallel()
	f := newQuery(t)
	if _, _, err := f.RunToEnd(); err != nil {
		t.Fatal(err)
	}
	f.State = param.Of("jobId", "1000", "domainKey", "d", "pollIteration", 2)
	outcome, _, err := f.RunToEnd()
	f.check(t, outcome, err, lastJob)
	if got := len(f.service.Jobs()); got != 1 {
		t.Errorf("%d jobs were begun", got)
	}
}

// cancel does what an agent does with a killed task.
func (f *fixture) cancel(t *testing.T, name string, tries int) error {
	t.Helper()
	request := f.Request
	lease := *request.Lease
	lease.Try, lease.Cancel, lease.Job = lease.RetryCount+1+tries, true, true
	request.Lease, request.State, request.Project = &lease, f.State, f.Project
	request.Params, request.Local = param.NewReader(f.params()), f.Own
	return f.Table.Cancel(t.Context(), name, &request)
}

func (f *fixture) params() *param.Map {
	merged := param.Merged(f.Inherited, f.Own)
	selection, _, _ := operator.Select(merged)
	return selection.Config
}

// Operators 1.14: a killed task ends its job, whatever is known of it.
func TestCancel(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		runs, lost int
		fault      tdtest.Fault
		jobs       int
		killed     []string
	}{
		"nothing was sent":          {runs: 1},
		"the try that sent is lost": {runs: 1, lost: 1, jobs: 1, killed: []string{"1000"}},
		"the answer is not known":   {runs: 2, fault: tdtest.Fault{Call: "POST /v3/job/issue", Times: 4, Handled: true, Break: true}, jobs: 1, killed: []string{"1000"}},
		"the job runs":              {runs: 3, jobs: 1, killed: []string{"1000"}},
		"it is refused":             {runs: 1, lost: 1, fault: tdtest.Fault{Call: "POST /v3/job/issue", Times: 4, Status: 422}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := newQuery(t)
			f.service.Looks = 100
			f.service.Fail(c.fault)
			for range c.runs {
				outcome, err := f.Run()
				if err != nil || !outcome.Again.Job {
					t.Fatalf("Run = %+v, %v", outcome.Again, err)
				}
				f.State = outcome.Again.State
			}
			for range 2 { // it may be called more than once
				if err := f.cancel(t, "td", c.lost); err != nil {
					t.Errorf("Cancel = %v", err)
				}
			}
			if got := len(f.service.Jobs()); got != c.jobs {
				t.Errorf("%d jobs were begun, want %d", got, c.jobs)
			}
			if diff := cmp.Diff(c.killed, f.service.Killed()); diff != "" {
				t.Errorf("killed (-want +got):\n%s", diff)
			}
		})
	}
}

// A try that is lost after it has sent the request goes on with the job of that request.
func TestLostTry(t *testing.T) {
	t.Parallel()
	f := newQuery(t)
	outcome, err := f.Run()
	if err != nil {
		t.Fatal(err)
	}
	f.State = outcome.Again.State
	if _, err := f.Run(); err != nil { // what it returns is lost
		t.Fatal(err)
	}
	last, _, err := f.RunToEnd()
	f.check(t, last, err, lastJob)
	if got := len(f.service.Jobs()); got != 1 {
		t.Errorf("%d jobs were begun", got)
	}
}

// All operators that begin jobs end them, also the ones that Digdag leaves (operators 1.14).
func TestCancelOfOthers(t *testing.T) {
	t.Parallel()
	for name, own := range map[string][]any{
		"td_run": {"td_run>", "q"}, "td_wait": {"td_wait>", param.Of("data", "q")}, "td_wait_table": {"td_wait_table>", "t", "rows", 1},
		"td_for_each": {"td_for_each>", param.Of("data", "q"), "_do", param.Of("echo>", "x")}, "td_load": {"td_load>", "n"},
		"td_result_export":  {"td_result_export>", nil, "job_id", 1, "result_connection", "c", "result_settings", "{}"},
		"td_partial_delete": {"td_partial_delete>", "t", "from", 0, "to", 3600},
		"td":                {"td>", param.Of("data", "q"), "create_table", "t"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for _, runs := range []int{1, 3} {
				f := newTask(t, td.Options{}, own...)
				f.service.Looks = 100
				f.service.Table("db.t")
				for range runs {
					outcome, err := f.Run()
					if err != nil || !outcome.Again.Job {
						t.Fatalf("Run = %+v, %v", outcome.Again, err)
					}
					f.State = outcome.Again.State
				}
				if err := f.cancel(t, name, 1); err != nil {
					t.Errorf("Cancel = %v", err)
				}
				want := []string{"1000"}
				if runs == 1 && (name == "td_result_export" || name == "td_partial_delete" || name == "td") {
					want = nil // the service is told no domain key, or would begin to delete
				}
				if diff := cmp.Diff(want, f.service.Killed()); diff != "" {
					t.Errorf("after %d runs: killed (-want +got):\n%s", runs, diff)
				}
				if got := len(f.service.Jobs()); got != len(want) {
					t.Errorf("after %d runs: %d jobs were begun, want %d", runs, got, len(want))
				}
			}
		})
	}
}

// A run that is stopped in the middle of a request says that a job may go on.
func TestStoppedRun(t *testing.T) {
	t.Parallel()
	f := newQuery(t)
	outcome, err := f.Run()
	if err != nil {
		t.Fatal(err)
	}
	f.State = outcome.Again.State
	ctx, stop := context.WithCancel(t.Context())
	f.service.Answered = func(*http.Request) bool { stop(); <-ctx.Done(); return true }
	outcome, err = f.RunContext(ctx)
	if err != nil || outcome.Again == nil || !outcome.Again.Job {
		t.Fatalf("Run = %+v, %v, want a run that goes on with its job", outcome.Again, err)
	}
	f.service.Answered = nil
	f.State = outcome.Again.State
	if err := f.cancel(t, "td", 0); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"1000"}, f.service.Killed()); diff != "" || len(f.service.Jobs()) != 1 {
		t.Errorf("killed (-want +got):\n%s%v", diff, f.service.Jobs())
	}
}
