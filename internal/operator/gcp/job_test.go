package gcp_test

import (
	"context"
	"errors"
	"math/rand/v2"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/trowel-project/trowel/internal/operator"
	"github.com/trowel-project/trowel/internal/operator/gcp/gcptest"
	"github.com/trowel-project/trowel/internal/operator/operatortest"
	"github.com/trowel-project/trowel/internal/param"
)

var query = param.Of("bq>", param.Of("data", "SELECT 1"), "location", "EU")

func TestQuery(t *testing.T) {
	t.Parallel()
	g := gcptest.Start(t)
	f := g.Task(t, query)
	first, err := f.Run()
	if err != nil || first.Again == nil || first.Again.After != 0 || !first.Again.Job {
		t.Fatalf("the first run returned %+v, %v; want the id stored at once, and that there may be a job", first, err)
	}
	id, _ := param.NewReader(first.Again.State).String("jobId")
	if !strings.HasPrefix(id, "digdag_s0_p__w__t_7_a_11_") {
		t.Errorf("id %s", id)
	}
	f.State = first.Again.State
	second, err := f.Run()
	if err != nil || second.Again == nil || !second.Again.Job || second.Again.After != 5*time.Second {
		t.Fatalf("the second run returned %+v, %v; want a job that is looked at after 5 s", second.Again, err)
	}
	wantLink := "https://console.cloud.google.com/bigquery?j=bq%3AEU%3A" + id + "&page=queryresults&project=proj"
	if len(second.Links) != 1 || second.Links[0].URL != wantLink || second.Links[0].Check() != nil {
		t.Errorf("links %v, want %s", second.Links, wantLink)
	}
	f.State = second.Again.State
	outcome, _, err := f.RunToEnd()
	if err != nil {
		t.Fatal(err)
	}
	want := `{"bq":{"last_job_id":"proj:EU.ID","last_jobid":"proj:EU.ID"}}`
	if got := strings.ReplaceAll(param.JSON(outcome.Result.Store), id, "ID"); got != want {
		t.Errorf("stored %s, want %s", got, want)
	}
	if g.Tokens != 1 {
		t.Errorf("%d tokens were asked for, want 1 for all runs", g.Tokens)
	}
}

// A job whose errors are known fails the task with them (operators 10.3).
func TestJobFails(t *testing.T) {
	t.Parallel()
	g := gcptest.Start(t)
	g.Failure = `, "errorResult": {"reason": "x"}, "errors": [{"reason": "x", "message": "m"}]`
	_, _, err := g.Task(t, query).RunToEnd()
	failure, _ := errors.AsType[*operator.Failure](err)
	if failure == nil || !strings.HasPrefix(failure.Message, "BigQuery job failed: proj:digdag_") {
		t.Fatalf("got %v", err)
	}
	want := `{"errors":"{\n  \"message\" : \"m\",\n  \"reason\" : \"x\"\n}"}`
	if got := param.JSON(failure.Props); got != want {
		t.Errorf("properties %s, want %s", got, want)
	}
}

// What the service answers decides whether the task waits or fails, with the service's sentence.
func TestFaults(t *testing.T) {
	t.Parallel()
	answer := func(on string, status int, text string) func(http.ResponseWriter, string, bool) bool {
		times := 0
		return func(w http.ResponseWriter, request string, done bool) bool {
			if done || !strings.HasPrefix(request, on) || status < 500 && status != 429 && times > 0 || times > 2 {
				return false
			}
			times++
			if status == 0 {
				panic(http.ErrAbortHandler)
			}
			w.WriteHeader(status)
			_, _ = w.Write([]byte(text))
			return true
		}
	}
	for name, c := range map[string]struct {
		fault func(http.ResponseWriter, string, bool) bool
		want  string // empty for success
	}{
		"token refused":          {answer("POST /token", 400, `{"error": "invalid_grant", "error_description": "Invalid JWT"}`), "400 Bad Request\n{\n  \"error\" : \"invalid_grant\",\n  \"error_description\" : \"Invalid JWT\"\n} (token response)"},
		"token service busy":     {answer("POST /token", 503, `busy`), ""},
		"too many tokens":        {answer("POST /token", 429, `slow`), ""},
		"token service silent":   {answer("POST /token", 0, ``), ""},
		"half a token":           {answer("POST /token", 200, `{"access_to`), ""},
		"insert refused":         {answer("POST /bigquery/v2/projects/proj/jobs", 403, `{"error": {"message": "no"}}`), "403 Forbidden\n{\n  \"message\" : \"no\"\n} (google json response)"},
		"too many inserts":       {answer("POST /bigquery/v2/projects/proj/jobs", 429, `{"error": {"message": "slow"}}`), "429 Too Many Requests\n{\n  \"message\" : \"slow\"\n} (google json response)"},
		"insert in trouble":      {answer("POST /bigquery/v2/projects/proj/jobs", 500, `oops`), ""},
		"insert without answer":  {answer("POST /bigquery/v2/projects/proj/jobs", 0, ``), ""},
		"insert with half of it": {answer("POST /bigquery/v2/projects/proj/jobs", 200, `{"id":`), ""},
		"look refused":           {answer("GET /bigquery/v2/projects/proj/jobs", 403, `{"error": {"message": "no"}}`), "403 Forbidden\n{\n  \"message\" : \"no\"\n} (google json response)"},
		"too many looks":         {answer("GET /bigquery/v2/projects/proj/jobs", 429, `{}`), ""},
		"look in trouble":        {answer("GET /bigquery/v2/projects/proj/jobs", 502, `oops`), ""},
		"look without answer":    {answer("GET /bigquery/v2/projects/proj/jobs", 0, ``), ""},
		"half a look":            {answer("GET /bigquery/v2/projects/proj/jobs", 200, `{"status": {`), ""},
		"job disappeared":        {answer("GET /bigquery/v2/projects/proj/jobs", 404, `{"error": {"message": "Not found: Job"}}`), "404 Not Found\n{\n  \"message\" : \"Not found: Job\"\n} (google json response)"},
		"strange state":          {answer("GET /bigquery/v2/projects/proj/jobs", 200, `{"status": {"state": "X"}}`), "Unknown job state: proj:ID: X (runtime)"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			g := gcptest.Start(t)
			g.Fault = c.fault
			f := g.Task(t, query)
			_, _, err := f.RunToEnd()
			id, _ := param.NewReader(f.State).StringOr("jobId", "?")
			if diff := cmp.Diff(c.want, strings.ReplaceAll(operatortest.Message(err), id, "ID")); diff != "" {
				t.Errorf("error (-want +got):\n%s", diff)
			}
			if c.want == "" && len(g.Jobs) != 1 {
				t.Errorf("%d jobs, want 1", len(g.Jobs))
			}
		})
	}
}

// The task shows only the beginning of an answer that has no end.
func TestLargeRefusal(t *testing.T) {
	t.Parallel()
	for _, path := range []string{"POST /bigquery", "POST /token"} {
		g := gcptest.Start(t)
		g.Fault = func(w http.ResponseWriter, request string, _ bool) bool {
			if !strings.HasPrefix(request, path) {
				return false
			}
			w.WriteHeader(http.StatusForbidden)
			_, _ = w.Write([]byte(strings.Repeat("no ", 1<<18)))
			return true
		}
		_, _, err := g.Task(t, query).RunToEnd()
		if got := operatortest.Message(err); !strings.HasPrefix(got, "403 Forbidden\nno no") || len(got) > 70<<10 {
			t.Errorf("%s: %d bytes: %.100s", path, len(got), got)
		}
	}
}

// A token that was revoked is replaced once.
func TestTokenRevoked(t *testing.T) {
	t.Parallel()
	g := gcptest.Start(t)
	refused := 0
	g.Fault = func(w http.ResponseWriter, request string, done bool) bool {
		if done || refused > 0 || !strings.HasPrefix(request, "GET /bigquery/v2/") {
			return false
		}
		refused++
		w.WriteHeader(http.StatusUnauthorized)
		return true
	}
	if _, _, err := g.Task(t, query).RunToEnd(); err != nil || g.Tokens != 2 {
		t.Errorf("error %v, %d tokens, want none and 2", err, g.Tokens)
	}
}

// However often a server is killed, at whatever step, there is one job and one result: what a run returned may be lost, and
// requests and answers may be, too.
func TestOneJob(t *testing.T) {
	t.Parallel()
	for seed := range uint64(50) {
		// The service decides in goroutines of its own.
		random, troubles := rand.New(rand.NewPCG(seed, 1)), rand.New(rand.NewPCG(seed, 2)) //nolint:gosec // a test that can be repeated
		g := gcptest.Start(t)
		f := g.Task(t, query)
		losses := 0
		g.Fault = func(_ http.ResponseWriter, request string, _ bool) bool {
			if strings.Contains(request, "/jobs") && losses < 6 && troubles.IntN(4) == 0 {
				losses++
				panic(http.ErrAbortHandler)
			}
			return false
		}
		var results int
		for runs := 0; results == 0; runs++ {
			outcome, err := f.Run()
			switch {
			case runs > 60:
				t.Fatalf("seed %d: no end", seed)
			case random.IntN(3) == 0 && runs < 30:
				// killed before the outcome was stored: the next run has the old state
			case err != nil:
				t.Fatalf("seed %d: %v", seed, err)
			case outcome.Again != nil:
				f.State = outcome.Again.State
			default:
				results++
			}
		}
		if len(g.Jobs) != 1 {
			t.Errorf("seed %d: %d jobs, want 1", seed, len(g.Jobs))
		}
	}
}

// A killed task cancels its job, once the job may exist; one that is gone is no error.
func TestCancel(t *testing.T) {
	t.Parallel()
	g := gcptest.Start(t)
	f := g.Task(t, query)
	for range 2 {
		outcome, err := f.Run()
		if err != nil {
			t.Fatal(err)
		}
		f.State = outcome.Again.State
	}
	for range 2 {
		if err := cancel(f); err != nil {
			t.Errorf("cancel: %v", err)
		}
	}
	if len(g.Jobs) != 0 {
		t.Errorf("jobs %v are left", g.Jobs)
	}
	if last := g.Requests[len(g.Requests)-1]; !strings.HasSuffix(last, "/cancel?location=EU") {
		t.Errorf("the last request was %s", last)
	}
}

func cancel(f *operatortest.Fixture) error {
	selection, _, err := operator.Select(param.Merged(f.Inherited, f.Own))
	if err != nil {
		return err
	}
	r := f.Request
	r.Params, r.Local, r.State, r.Project = param.NewReader(selection.Config), f.Own, f.State, f.Project
	return f.Table.Cancel(context.Background(), selection.Type, &r)
}

// The run that inserts the job may be lost with its agent, so that the state is that of the run before.
func TestCancelAfterLostRun(t *testing.T) {
	t.Parallel()
	g := gcptest.Start(t)
	f := g.Task(t, query)
	outcome, err := f.Run()
	if err != nil || !outcome.Again.Job {
		t.Fatalf("got %+v, %v, want another run with a job", outcome.Again, err)
	}
	f.State = outcome.Again.State
	if _, err := f.Run(); err != nil || len(g.Jobs) != 1 { // what it returns is lost
		t.Fatalf("error %v, jobs %v", err, g.Jobs)
	}
	if err := cancel(f); err != nil || len(g.Jobs) != 0 {
		t.Errorf("cancel: %v, jobs %v", err, g.Jobs)
	}
}

// A run that is killed while it inserts a job says that there may be one.
func TestKilledWhileInserting(t *testing.T) {
	t.Parallel()
	g := gcptest.Start(t)
	f := g.Task(t, query)
	outcome, err := f.Run()
	if err != nil {
		t.Fatal(err)
	}
	f.State = outcome.Again.State
	ctx, kill := context.WithCancel(t.Context())
	g.Fault = func(_ http.ResponseWriter, request string, done bool) bool {
		if done && strings.HasPrefix(request, "POST /bigquery") {
			kill()
			panic(http.ErrAbortHandler)
		}
		return false
	}
	outcome, err = f.RunContext(ctx)
	if err != nil || outcome.Again == nil || !outcome.Again.Job {
		t.Fatalf("got %+v, %v, want another run with a job", outcome.Again, err)
	}
	g.Fault = nil
	f.State = outcome.Again.State
	if err := cancel(f); err != nil || len(g.Jobs) != 0 {
		t.Errorf("cancel: %v, jobs %v", err, g.Jobs)
	}
}

// Secrets stand in no error, output or state.
func TestNoSecretGetsOut(t *testing.T) {
	t.Parallel()
	g := gcptest.Start(t)
	g.Fault = func(w http.ResponseWriter, request string, _ bool) bool {
		if strings.HasPrefix(request, "GET /bigquery") {
			w.WriteHeader(http.StatusForbidden)
			return true
		}
		return false
	}
	f := g.Task(t, query)
	_, _, err := f.RunToEnd()
	for _, text := range []string{operatortest.Message(err), param.JSON(operator.ErrorObject(err)), param.JSON(f.State), f.Output.String()} {
		if strings.Contains(text, "PRIVATE KEY") || strings.Contains(text, "token-1") {
			t.Errorf("a secret is in %s", text)
		}
	}
}
