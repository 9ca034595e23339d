package clitest

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/trowel-project/trowel/internal/version"
)

// Answers are the answers of a server by method and path. The status comes before the body
// unless it is 200.
type Answers map[string]string

// APIServer is a server with fixed answers that records its requests.
type APIServer struct {
	URL string // address of the server

	mu    sync.Mutex
	Asked []string // requests so far, except checks of versions: method, path below /api/, JSON
}

// NewAPI starts a server with fixed answers until the test ends. It accepts the version of the client, unless answers say
// otherwise.
func NewAPI(t *testing.T, known Answers) *APIServer {
	t.Helper()
	s := &APIServer{}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		asked := r.Method + " " + strings.TrimPrefix(r.RequestURI, "/api/")
		answer, found := known[asked]
		if asked == VersionCheck {
			if !found {
				answer, found = GoodVersion, true
			}
		} else {
			s.mu.Lock()
			if len(body) > 0 && r.Header.Get("Content-Type") == "application/json" {
				s.Asked = append(s.Asked, asked+" "+strings.TrimSpace(string(body)))
			} else {
				s.Asked = append(s.Asked, asked)
			}
			s.mu.Unlock()
		}
		status := http.StatusOK
		if !found {
			answer = `404{"message":"Resource does not exist: ` + asked + `","status":404}`
		}
		if len(answer) > 3 && strings.ContainsAny(answer[:1], "45") {
			_, _ = fmt.Sscan(answer[:3], &status)
			answer = answer[3:]
		}
		w.WriteHeader(status)
		_, _ = io.WriteString(w, answer)
	}))
	t.Cleanup(server.Close)
	s.URL = server.URL
	return s
}

// VersionCheck is the first request of every command.
const VersionCheck = "GET version/check?client=0.10.6&version=" + version.Number

// Answers of a server, in the shapes that were recorded.
const (
	GoodVersion = `{"serverVersion":"0.10.6","upgradeRecommended":false,"apiCompatible":true}`

	ProjectDemo = `{"id":"1","name":"demo","revision":"r1","createdAt":"2024-01-01T00:00:00Z","updatedAt":"2024-01-01T18:00:00Z",` +
		`"deletedAt":null,"archiveType":"db","archiveMd5":"jLRpyUChql91xNxDlwdk+Q=="}`
	WorkflowMain = `{"id":"2","name":"main","project":{"id":"1","name":"demo"},"revision":"r1","timezone":"UTC","config":{"+a":{"echo>":"a ${session_date}"},"+b":{"sh>":"echo b"}}}`
	AttemptDone  = `{"status":"success","id":"4","index":1,"project":{"id":"1","name":"demo"},"workflow":{"name":"main","id":"2"},"sessionId":"3",` +
		`"sessionUuid":"21b98f61-0000-4000-8000-000000000000","sessionTime":"2024-01-15T00:00:00+00:00","retryAttemptName":null,"done":true,"success":true,` +
		`"cancelRequested":false,"params":{"k":"<v>"},"createdAt":"2024-01-01T00:00:00Z","finishedAt":"2024-01-01T00:00:05Z"}`
	ScheduleMain = `{"id":"5","project":{"id":"1","name":"demo"},"workflow":{"id":"2","name":"main"},"nextRunTime":"2024-01-01T18:05:06Z",` +
		`"nextScheduleTime":"2024-01-02T00:00:00+09:00","disabledAt":"2024-01-01T18:02:02Z"}`
	SummaryMain = `{"id":"5","project":{"id":"1","name":"demo"},"workflow":{"id":"2","name":"main"},"nextRunTime":"2024-01-02T18:05:06Z",` +
		`"nextScheduleTime":"2024-01-02T00:00:00+09:00","createdAt":"2024-01-01T18:02:02Z","updatedAt":"2024-01-01T18:02:02Z","disabledAt":null}`
)
