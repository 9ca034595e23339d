package gcptest

import (
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"encoding/pem"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/trowel-project/trowel/internal/operator/gcp"
	"github.com/trowel-project/trowel/internal/operator/operatortest"
	"github.com/trowel-project/trowel/internal/param"
)

// apiBigQuery is where the API of BigQuery is.
const apiBigQuery = "/bigquery/v2"

// Service is Google's services. Its fields are set before it is used; Mu guards what requests change.
type Service struct {
	*httptest.Server
	// Looks is how often a job is seen running before it is done.
	Looks int
	// Fault may answer a request in place of the service, before or after it was carried out.
	Fault func(w http.ResponseWriter, request string, done bool) bool
	// Failure is added to the status of a job that is done.
	Failure string

	Mu       sync.Mutex
	Requests []string // methods and addresses, without those for tokens
	Bodies   []string
	Jobs     map[string]*Job // by id
	Tokens   int             // that were given out
}

// Job is a job of BigQuery.
type Job struct {
	Body  string // of the request that has begun it
	looks int
}

// Start starts the services. Their jobs are done at the third look.
func Start(tb testing.TB) *Service {
	tb.Helper()
	s := &Service{Looks: 2, Jobs: map[string]*Job{}}
	s.Server = httptest.NewServer(s)
	tb.Cleanup(s.Close)
	return s
}

// ServeHTTP implements http.Handler.
func (s *Service) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.Mu.Lock()
	defer s.Mu.Unlock()
	body, _ := io.ReadAll(r.Body)
	request := r.Method + " " + r.URL.EscapedPath()
	if r.URL.RawQuery != "" {
		request += "?" + r.URL.RawQuery
	}
	if s.Fault != nil && s.Fault(w, request, false) {
		return
	}
	if r.URL.Path != "/token" {
		s.Requests, s.Bodies = append(s.Requests, request), append(s.Bodies, string(body))
	}
	status, answer := s.answer(r.Method, r.URL.Path, string(body))
	if s.Fault != nil && s.Fault(w, request, true) {
		return
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_, _ = io.WriteString(w, answer)
}

func (s *Service) answer(method, path, body string) (status int, answer string) {
	at, isJob := strings.CutPrefix(path, apiBigQuery+"/projects/proj/jobs")
	switch {
	case path == "/token":
		s.Tokens++
		return 200, fmt.Sprintf(`{"access_token": "token-%d", "expires_in": 3600, "token_type": "Bearer"}`, s.Tokens)
	case isJob && method == http.MethodPost && at == "":
		sent, _ := param.ParseMap(body)
		reference, _ := sent.Get("jobReference")
		id, _ := reference.(*param.Map).Get("jobId")
		if _, found := s.Jobs[id.(string)]; found {
			return 409, `{"error": {"code": 409, "message": "Already Exists"}}`
		}
		s.Jobs[id.(string)] = &Job{Body: body}
		return 200, `{"id": "proj:EU.` + id.(string) + `", "jobReference": {"location": "EU"}}`
	case isJob && method == http.MethodPost:
		delete(s.Jobs, strings.TrimSuffix(at[1:], "/cancel"))
		return 200, `{}`
	case isJob:
		id := at[1:]
		job := s.Jobs[id]
		if job == nil {
			return 404, `{"error": {"code": 404, "message": "Not found: Job"}}`
		}
		if job.looks++; job.looks <= s.Looks {
			return 200, `{"status": {"state": "RUNNING"}}`
		}
		return 200, `{"id": "proj:EU.` + id + `", "status": {"state": "DONE"` + s.Failure + `}}`
	default:
		return 404, `{"error": {"code": 404, "message": "Not found"}}`
	}
}

// Options reach the services.
func (s *Service) Options() gcp.Options {
	return gcp.Options{BigQuery: s.URL + apiBigQuery, Storage: s.URL + "/storage/v1"}
}

// Task returns a task whose secrets are for the services.
func (s *Service) Task(t *testing.T, own *param.Map) *operatortest.Fixture {
	t.Helper()
	return operatortest.New(t, gcp.Table(s.Options()), own).Secrets(map[string]string{"gcp.credential": s.Credential()})
}

var key = sync.OnceValue(func() string {
	made, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		panic(err)
	}
	return string(pem.EncodeToMemory(&pem.Block{Type: "RSA PRIVATE KEY", Bytes: x509.MarshalPKCS1PrivateKey(made)}))
})

// Credential returns the key of a service account whose tokens come from the services.
func (s *Service) Credential() string {
	return param.JSON(param.Of(
		"type", "service_account", "project_id", "proj", "private_key_id", "k", "private_key", key(),
		"client_email", "robot@proj.iam.gserviceaccount.com", "token_uri", s.URL+"/token",
	))
}
