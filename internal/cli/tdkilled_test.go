package cli_test

import (
	"fmt"
	"net/http"
	"os/exec"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/trowel-project/trowel/internal/operator/td/tdtest"
	"github.com/trowel-project/trowel/internal/trowtest/killtest"
)

// kills is how often the server is killed. Before each time a session begins.
const kills = 50

// The server is killed at each step between the submit of a job and its result, 50 times: one job and one result for each
// session. A kill comes at the next request to a place, before or after the service has handled it, or after the answer.
func TestServerKilledAroundJobs(t *testing.T) {
	t.Parallel()
	program, err := exec.LookPath("trowel")
	if err != nil {
		t.Fatal(err)
	}
	service := tdtest.Start(t)
	service.Looks, service.Columns, service.Rows = 1, [][2]string{{"n", "bigint"}}, [][]any{{int64(7)}}
	assassin := &assassin{places: map[string]int{}}
	service.Before, service.Answered = assassin.before, assassin.answered
	s := killtest.Start(t, program, "digdag.secret-encryption-key = AAECAwQFBgcICQoLDA0ODw==", "agent.max-task-threads = 8",
		"agent.poison_limit = 1000")
	s.Push("p", fmt.Sprintf("_export:\n  td: {database: db, endpoint: '%s', use_ssl: false}\n+q:\n  td>: {data: \"select '${session_date}'\"}\n"+
		"  store_last_results: true\n+after:\n  echo>: ${td.last_results.n}\n", service.Host))
	if status, text := s.Request("PUT", "/api/projects/1/secrets/td.apikey", "application/json", `{"value":"k"}`); status/100 != 2 {
		t.Fatalf("secret: %d %s", status, text)
	}
	attempts := make([]string, kills)
	for i := range attempts {
		assassin.arm(i)
		attempts[i] = s.StartAttempt("1", time.Unix(0, 0).UTC().AddDate(0, 0, i).Format(time.RFC3339))
		s.Eventually("a request to be killed at", assassin.struck)
		s.Kill()
	}
	assassin.rest()
	for i, attempt := range attempts {
		if got := s.Wait(attempt); got != "success" {
			t.Errorf("session %d: %s, tasks %v", i+1, got, s.States(attempt))
		}
		if _, text := s.Request("GET", "/api/attempts/"+attempt+"/tasks", "application/json", ""); !strings.Contains(text, `"last_results":{"n":7}`) {
			t.Errorf("session %d has no result", i+1)
		}
	}
	begun := map[string]int{}
	for _, job := range service.Jobs() {
		query := job.Form.Get("query")
		begun[query[strings.LastIndex(query, "select"):]]++
	}
	if len(begun) != kills {
		t.Errorf("jobs of %d sessions, want %d", len(begun), kills)
	}
	for query, n := range begun {
		if n != 1 {
			t.Errorf("%s: %d jobs were begun, want 1", query, n)
		}
	}
	t.Logf("killed %v", assassin.places)
}

// assassin says when the server is to be killed: at the next request to a place, in a phase of it.
type assassin struct {
	mu     sync.Mutex
	armed  bool
	place  string
	phase  int
	hit    bool
	places map[string]int // where it struck
}

// Phases of a request.
const (
	phaseBefore = iota // it was not handled
	phaseHandled
	phaseAnswered
	phases
)

func (a *assassin) arm(nth int) {
	places := []string{"/v3/job/issue/", "/v3/job/status/", "/v3/job/result/", "/v3/job/show/", ""}
	a.mu.Lock()
	defer a.mu.Unlock()
	a.armed, a.hit, a.phase, a.place = true, false, nth%phases, places[nth/phases%len(places)]
}

func (a *assassin) rest() {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.armed = false
}

func (a *assassin) struck() bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.hit
}

func (a *assassin) before(r *http.Request) bool { return !a.strikes(r, phaseBefore) }

// answered breaks the connection, or lets the answer go out just before the kill.
func (a *assassin) answered(r *http.Request) bool {
	a.strikes(r, phaseAnswered)
	return !a.strikes(r, phaseHandled)
}

func (a *assassin) strikes(r *http.Request, phase int) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	if !a.armed || a.phase != phase || !strings.HasPrefix(r.URL.Path, a.place) {
		return false
	}
	a.armed, a.hit = false, true
	a.places[fmt.Sprint(a.place, phase)]++
	return true
}
