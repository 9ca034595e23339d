package cli_test

import (
	"flag"
	"net/http"
	"regexp"
	"testing"

	"github.com/trowel-project/trowel/internal/operator/gcp/gcptest"
	"github.com/trowel-project/trowel/internal/operator/td/tdtest"
	"github.com/trowel-project/trowel/internal/trowtest/killtest"
)

// The server is killed at each step between the submit of a job and its result: one job and one result for each session.
// A kill comes at the next request to a place, before or after the service has handled it, or after the answer.
var kills = flag.Int("cli.kills", 50, "how often TestServerKilled kills the server for each kind of task")

func TestServerKilledAroundTD(t *testing.T) {
	t.Parallel()
	service := tdtest.Start(t)
	service.Looks, service.Columns, service.Rows = 1, [][2]string{{"n", "bigint"}}, [][]any{{int64(7)}}
	assassin := killtest.NewAssassin("/v3/job/issue/", "/v3/job/status/", "/v3/job/result/", "/v3/job/show/", "")
	service.Before = func(r *http.Request) bool { return assassin.Before(r.URL.Path) }
	service.Answered = func(r *http.Request) bool { return assassin.Answered(r.URL.Path) }
	trial := killtest.Trial{
		Assassin: assassin, Kills: *kills, Secrets: map[string]string{"td.apikey": "k"},
		Files: map[string]string{"main.dig": "_export:\n  td: {database: db, endpoint: '" + service.Host + "', use_ssl: false}\n" +
			"+q:\n  td>: {data: \"select '${session_date}'\"}\n  store_last_results: true\n+after:\n  echo>: ${td.last_results.n}\n"},
		Result: `"last_results":{"n":7}`,
		Begun: func() map[string]int {
			var queries []string
			for _, job := range service.Jobs() {
				queries = append(queries, job.Form.Get("query"))
			}
			return bySession(queries)
		},
	}
	trial.Run(t)
}

func TestServerKilledAroundBigQuery(t *testing.T) {
	t.Parallel()
	service := gcptest.Start(t)
	service.Looks = 1
	const jobs = "/bigquery/v2/projects/proj/jobs"
	assassin := killtest.NewAssassin("POST "+jobs, "GET "+jobs, "POST /token", "")
	service.Fault = func(_ http.ResponseWriter, request string, done bool) bool {
		if !done && !assassin.Before(request) || done && !assassin.Answered(request) {
			panic(http.ErrAbortHandler)
		}
		return false
	}
	trial := killtest.Trial{
		Assassin: assassin, Kills: *kills, Env: service.Proxy(t), Secrets: map[string]string{"gcp.credential": service.Credential()},
		Files:  map[string]string{"main.dig": "+q:\n  bq>: {data: \"select '${session_date}'\"}\n+after:\n  echo>: ${bq.last_job_id}\n"},
		Result: `"last_job_id":"proj:EU.digdag_s0_p_p_w_main_t_`,
		Begun: func() map[string]int {
			service.Mu.Lock()
			defer service.Mu.Unlock()
			var bodies []string
			for _, job := range service.Jobs {
				bodies = append(bodies, job.Body)
			}
			return bySession(bodies)
		},
	}
	trial.Run(t)
}

var sessionDate = regexp.MustCompile(`\d{4}-\d\d-\d\d`)

// bySession counts texts by the session date in them.
func bySession(texts []string) map[string]int {
	counts := map[string]int{}
	for _, text := range texts {
		counts[sessionDate.FindString(text)]++
	}
	return counts
}
