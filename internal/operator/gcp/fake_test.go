package gcp_test

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

// google is a fake of Google's services. Its job of an id is done at the third look.
type google struct {
	*httptest.Server
	mu sync.Mutex
	// fault may answer a request in place of the fake, before or after it was carried out.
	fault    func(w http.ResponseWriter, request string, done bool) bool
	requests []string
	bodies   []string
	jobs     map[string]int // looks at each
	tokens   int            // that were given out
	failure  string         // the status of a job that is done
}

func newGoogle(t *testing.T) *google {
	t.Helper()
	g := &google{jobs: map[string]int{}}
	g.Server = httptest.NewServer(http.HandlerFunc(g.serve))
	t.Cleanup(g.Close)
	return g
}

func (g *google) serve(w http.ResponseWriter, r *http.Request) {
	g.mu.Lock()
	defer g.mu.Unlock()
	body, _ := io.ReadAll(r.Body)
	request := r.Method + " " + r.URL.EscapedPath()
	if r.URL.RawQuery != "" {
		request += "?" + r.URL.RawQuery
	}
	if g.fault != nil && g.fault(w, request, false) {
		return
	}
	if r.URL.Path != "/token" {
		g.requests, g.bodies = append(g.requests, request), append(g.bodies, string(body))
	}
	status, answer := g.answer(r.Method, r.URL.Path, string(body))
	if g.fault != nil && g.fault(w, request, true) {
		return
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_, _ = io.WriteString(w, answer)
}

func (g *google) answer(method, path, body string) (status int, answer string) {
	at, isJob := strings.CutPrefix(path, "/bq/projects/proj/jobs")
	switch {
	case path == "/token":
		g.tokens++
		return 200, fmt.Sprintf(`{"access_token": "token-%d", "expires_in": 3600, "token_type": "Bearer"}`, g.tokens)
	case isJob && method == http.MethodPost && at == "":
		sent, _ := param.ParseMap(body)
		reference, _ := sent.Get("jobReference")
		id, _ := reference.(*param.Map).Get("jobId")
		if _, found := g.jobs[id.(string)]; found {
			return 409, `{"error": {"code": 409, "message": "Already Exists"}}`
		}
		g.jobs[id.(string)] = 0
		return 200, `{"id": "proj:EU.` + id.(string) + `", "jobReference": {"location": "EU"}}`
	case isJob && method == http.MethodPost:
		delete(g.jobs, strings.TrimSuffix(at[1:], "/cancel"))
		return 200, `{}`
	case isJob:
		id := at[1:]
		looks, found := g.jobs[id]
		if !found {
			return 404, `{"error": {"code": 404, "message": "Not found: Job"}}`
		}
		if g.jobs[id]++; looks < 2 {
			return 200, `{"status": {"state": "RUNNING"}}`
		}
		return 200, `{"id": "proj:EU.` + id + `", "status": {"state": "DONE"` + g.failure + `}}`
	default:
		return 404, `{"error": {"code": 404, "message": "Not found"}}`
	}
}

// options reach the fake.
func (g *google) options() gcp.Options {
	return gcp.Options{BigQuery: g.URL + "/bq", Storage: g.URL + "/gcs"}
}

// task returns a task whose secrets are for the fake.
func (g *google) task(t *testing.T, own *param.Map) *operatortest.Fixture {
	t.Helper()
	return operatortest.New(t, gcp.Table(g.options()), own).Secrets(map[string]string{"gcp.credential": g.credential()})
}

var key = sync.OnceValue(func() string {
	made, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		panic(err)
	}
	return string(pem.EncodeToMemory(&pem.Block{Type: "RSA PRIVATE KEY", Bytes: x509.MarshalPKCS1PrivateKey(made)}))
})

func (g *google) credential() string {
	return param.JSON(param.Of(
		"type", "service_account", "project_id", "proj", "private_key_id", "k", "private_key", key(),
		"client_email", "robot@proj.iam.gserviceaccount.com", "token_uri", g.URL+"/token",
	))
}
