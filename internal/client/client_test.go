package client_test

import (
	"bytes"
	"compress/flate"
	"compress/gzip"
	"compress/zlib"
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/trowel-project/trowel/internal/api"
	"github.com/trowel-project/trowel/internal/client"
	"github.com/trowel-project/trowel/internal/param"
)

// fakeServer answers requests and remembers them.
type fakeServer struct {
	*httptest.Server

	mu       sync.Mutex
	requests []string // method, path as it came, body
	headers  []http.Header
}

func (s *fakeServer) seen() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]string(nil), s.requests...)
}

// serve starts a server that answers with a function. try counts the requests from 1.
func serve(t *testing.T, answer func(w http.ResponseWriter, r *http.Request, try int)) *fakeServer {
	t.Helper()
	s := &fakeServer{}
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		s.mu.Lock()
		s.requests = append(s.requests, strings.TrimSpace(r.Method+" "+r.RequestURI+" "+string(body)))
		s.headers = append(s.headers, r.Header.Clone())
		try := len(s.requests)
		s.mu.Unlock()
		answer(w, r, try)
	}))
	t.Cleanup(s.Close)
	return s
}

func newClient(t *testing.T, options client.Options) *client.Client {
	t.Helper()
	options.Version, options.DigdagVersion = "0.1.0", "0.10.6"
	c, err := client.New(options)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	return c
}

// send writes an answer.
func send(w http.ResponseWriter, status int, body string) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_, _ = io.WriteString(w, body)
}

// server 1.7.2: GET is tried again on 5xx, 408 and 429, up to ten times. Other errors are final.
func TestTries(t *testing.T) {
	t.Parallel()
	cases := []struct {
		status, tries int
		text          string
	}{
		{500, 10, "Status code 500: HTTP 500 Internal Server Error"},
		{503, 10, "Status code 503: HTTP 503 Service Unavailable"},
		{408, 10, "Status code 408: HTTP 408 Request Timeout"},
		{429, 10, "Status code 429: HTTP 429 Too Many Requests"},
		{302, 1, "Status code 302: HTTP 302 Found"},
		{401, 1, "Status code 401: HTTP 401 Unauthorized"},
		{404, 1, "Resource not found: HTTP 404 Not Found"},
		{409, 1, "Request conflicted: HTTP 409 Conflict"},
		{422, 1, "Invalid option: HTTP 422 Unprocessable Entity"},
	}
	for _, tc := range cases {
		t.Run(http.StatusText(tc.status), func(t *testing.T) {
			t.Parallel()
			server := serve(t, func(w http.ResponseWriter, _ *http.Request, _ int) { send(w, tc.status, `{"message":"m","status":1}`) })
			_, err := newClient(t, client.Options{Endpoint: server.URL}).FindAttempt(t.Context(), 5)
			if err == nil || err.Error() != tc.text {
				t.Errorf("error = %v, want %s", err, tc.text)
			}
			if got := len(server.seen()); got != tc.tries {
				t.Errorf("tried %d times, want %d", got, tc.tries)
			}
		})
	}
}

// server 1.7.2: a GET that fails at first succeeds later, even after a dropped connection.
func TestTriesUntilItWorks(t *testing.T) {
	t.Parallel()
	server := serve(t, func(w http.ResponseWriter, _ *http.Request, try int) {
		switch try {
		case 1:
			send(w, 502, "")
		case 2:
			panic(http.ErrAbortHandler) // cuts the connection
		case 3:
			w.Header().Set("Content-Length", "100") // cuts the body
			send(w, 200, `{"version":`)
		default:
			send(w, 200, `{"version":"0.10.6","new":1}`)
		}
	})
	got, err := newClient(t, client.Options{Endpoint: server.URL}).Version(t.Context())
	if err != nil || got != "0.10.6" {
		t.Errorf("version = %q, %v", got, err)
	}
	if tries := len(server.seen()); tries != 4 {
		t.Errorf("tried %d times, want 4", tries)
	}
}

// server 1.7.2, 1.7.3: PUT, POST and DELETE are sent once, and their errors show the answer.
func TestChangesAreSentOnce(t *testing.T) {
	t.Parallel()
	cases := []struct {
		status int
		text   string
	}{
		{400, `Status code 400: {"message":"m","status":400}`},
		{404, `Resource not found: {"message":"m","status":400}`},
		{409, `Request conflicted: {"message":"m","status":400}`},
		{500, `Status code 500: {"message":"m","status":400}`},
	}
	for _, tc := range cases {
		t.Run(http.StatusText(tc.status), func(t *testing.T) {
			t.Parallel()
			server := serve(t, func(w http.ResponseWriter, _ *http.Request, _ int) {
				send(w, tc.status, `{"message":"m","status":400}`)
			})
			_, err := newClient(t, client.Options{Endpoint: server.URL}).KillAttempt(t.Context(), 5)
			if err == nil || err.Error() != tc.text {
				t.Errorf("error = %v, want %s", err, tc.text)
			}
			if diff := cmp.Diff([]string{"POST /api/attempts/5/kill {}"}, server.seen()); diff != "" {
				t.Errorf("requests (-want +got):\n%s", diff)
			}
			refused, ok := errors.AsType[*client.StatusError](err)
			if !ok || !refused.Told || *refused.Answer().Message != "m" {
				t.Errorf("refusal = %+v", refused)
			}
		})
	}
}

// Nobody listens: the error is an UnreachableError with the address, and the call can be canceled meanwhile.
func TestUnreachable(t *testing.T) {
	t.Parallel()
	gone := httptest.NewServer(http.NotFoundHandler())
	gone.Close()
	c := newClient(t, client.Options{Endpoint: gone.URL})
	_, err := c.Version(t.Context())
	unreachable, ok := errors.AsType[*client.UnreachableError](err)
	if !ok || unreachable.Endpoint != gone.URL || !strings.HasPrefix(err.Error(), "cannot reach the server at "+gone.URL+": dial") {
		t.Errorf("error = %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := c.Version(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("error after a cancel = %v", err)
	}
}

// server 1.7.2: the headers of each request.
func TestHeaders(t *testing.T) {
	t.Parallel()
	server := serve(t, func(w http.ResponseWriter, _ *http.Request, _ int) {
		send(w, 200, `{"key":"k","project":{"id":1,"name":"p"}}`)
	})
	c := newClient(t, client.Options{Endpoint: server.URL, Header: http.Header{"authorization": {"TD1 x"}, "X-Test": {"1"}}})
	if err := c.SetSecret(t.Context(), 1, "a.b", "<&>"); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{`PUT /api/projects/1/secrets/a.b {"value":"<&>"}`}, server.seen()); diff != "" {
		t.Errorf("requests (-want +got):\n%s", diff)
	}
	want := map[string]string{
		"User-Agent": "DigdagClient/0.1.0", "Accept-Encoding": "gzip, deflate", "Accept": "application/json",
		"Content-Type": "application/json", "Authorization": "TD1 x", "X-Test": "1",
	}
	for name, value := range want {
		if got := server.headers[0].Get(name); got != value {
			t.Errorf("%s = %q, want %q", name, got, value)
		}
	}
}

// server 1.7.2, 2.1: answers may be compressed, and deflate may have the header of zlib or not.
func TestEncodings(t *testing.T) {
	t.Parallel()
	const text = `{"version":"0.10.6"}`
	for _, encoding := range []string{"gzip", "zlib", "raw"} {
		t.Run(encoding, func(t *testing.T) {
			t.Parallel()
			server := serve(t, func(w http.ResponseWriter, _ *http.Request, _ int) {
				var packed bytes.Buffer
				var zip io.WriteCloser
				name := "deflate"
				switch encoding {
				case "gzip":
					zip, name = gzip.NewWriter(&packed), "gzip"
				case "zlib":
					zip = zlib.NewWriter(&packed)
				default:
					zip, _ = flate.NewWriter(&packed, flate.BestSpeed)
				}
				_, _ = io.WriteString(zip, text)
				_ = zip.Close()
				w.Header().Set("Content-Encoding", name)
				send(w, 200, packed.String())
			})
			got, err := newClient(t, client.Options{Endpoint: server.URL}).Version(t.Context())
			if err != nil || got != "0.10.6" {
				t.Errorf("version = %q, %v", got, err)
			}
		})
	}
}

// server 1.7.2: requests to this machine go through the proxy, too.
func TestThroughProxy(t *testing.T) {
	t.Parallel()
	proxy := serve(t, func(w http.ResponseWriter, _ *http.Request, _ int) { send(w, 200, `{"version":"by proxy"}`) })
	c := newClient(t, client.Options{
		Endpoint: "http://127.0.0.1:1",
		Lookup:   func(name string) (string, bool) { return proxy.URL, name == "http_proxy" },
	})
	got, err := c.Version(t.Context())
	if err != nil || got != "by proxy" {
		t.Errorf("version = %q, %v", got, err)
	}
	if diff := cmp.Diff([]string{"GET http://127.0.0.1:1/api/version"}, proxy.seen()); diff != "" {
		t.Errorf("requests (-want +got):\n%s", diff)
	}
}

// server 1.7.1: a self-signed certificate is refused unless the option allows it.
func TestCertificate(t *testing.T) {
	t.Parallel()
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { send(w, 200, `{"version":"1"}`) }))
	server.Config.ErrorLog = log.New(io.Discard, "", 0) // the handshake that fails
	server.StartTLS()
	t.Cleanup(server.Close)
	if _, err := newClient(t, client.Options{Endpoint: server.URL}).Version(t.Context()); err == nil {
		t.Error("an unknown certificate was accepted")
	}
	got, err := newClient(t, client.Options{Endpoint: server.URL, AnyCertificate: true}).Version(t.Context())
	if err != nil || got != "1" {
		t.Errorf("version with any certificate = %q, %v", got, err)
	}
}

// server 1.7.2: an archive may be in another place, which does not get the user's headers.
func TestArchiveElsewhere(t *testing.T) {
	t.Parallel()
	bucket := serve(t, func(w http.ResponseWriter, r *http.Request, _ int) {
		if r.URL.Path == "/1" {
			w.Header().Set("Location", "/2?signed=yes")
			w.WriteHeader(http.StatusSeeOther)
			return
		}
		_, _ = io.WriteString(w, "the archive")
	})
	server := serve(t, func(w http.ResponseWriter, _ *http.Request, _ int) {
		w.Header().Set("Location", bucket.URL+"/1")
		w.WriteHeader(http.StatusSeeOther)
	})
	c := newClient(t, client.Options{Endpoint: server.URL, Header: http.Header{"Authorization": {"secret"}}})
	body, err := c.FetchArchive(t.Context(), 3, "r 1")
	if err != nil {
		t.Fatal(err)
	}
	data, err := io.ReadAll(body)
	if err != nil || string(data) != "the archive" {
		t.Errorf("archive = %q, %v", data, err)
	}
	if err := body.Close(); err != nil {
		t.Error(err)
	}
	if diff := cmp.Diff([]string{"GET /api/projects/3/archive?revision=r+1"}, server.seen()); diff != "" {
		t.Errorf("requests (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{"GET /1", "GET /2?signed=yes"}, bucket.seen()); diff != "" {
		t.Errorf("requests elsewhere (-want +got):\n%s", diff)
	}
	if server.headers[0].Get("Authorization") != "secret" || bucket.headers[0].Get("Authorization") != "" {
		t.Error("the user's headers went elsewhere, or not to the server")
	}
}

// An answer that stops in its middle ends with an error, once. An endless answer is not read for ever.
func TestAnswersWithoutEnd(t *testing.T) {
	t.Parallel()
	server := serve(t, func(w http.ResponseWriter, r *http.Request, _ int) {
		if r.URL.Path == "/api/projects" {
			_, _ = io.WriteString(w, `{"projects":[`)
			_ = http.NewResponseController(w).Flush()
			<-r.Context().Done()
			return
		}
		w.Header().Set("Content-Encoding", "gzip")
		zip := gzip.NewWriter(w)
		blank := bytes.Repeat([]byte{' '}, 1<<20)
		for range 257 {
			_, _ = zip.Write(blank)
		}
		_ = zip.Close()
	})
	c := newClient(t, client.Options{Endpoint: server.URL, Silence: 10 * time.Millisecond})
	_, err := c.ListProjects(t.Context(), client.ProjectQuery{})
	if err == nil || !strings.Contains(err.Error(), "the answer stopped in its middle") || len(server.seen()) != 1 {
		t.Errorf("an answer that stops: %v after %d requests", err, len(server.seen()))
	}
	c = newClient(t, client.Options{Endpoint: server.URL})
	if _, err := c.FindAttempt(t.Context(), 1); err == nil || err.Error() != "the answer to GET /api/attempts/1 has more than 256 MiB" {
		t.Errorf("an answer without an end: %v", err)
	}
}

// The memory for an answer is limited, too: {} is a task like any other. A list in a parameter may be longer, and text that
// looks like a list does not count.
func TestBulkyAnswers(t *testing.T) {
	t.Parallel()
	const million = 1 << 20
	list := func(n int, entry string) string { return "[" + strings.Repeat(entry+",", n-1) + entry + "]" }
	for name, row := range map[string]struct {
		answer  string
		refused bool
	}{
		"many tasks":           {`{"tasks":` + list(million, "{}") + `}`, false},
		"too many tasks":       {`{"tasks":` + list(million+1, "{}") + `}`, true},
		"too many of nothing":  {`{"tasks":` + list(million+1, "null") + `}`, true},
		"a parameter":          {`{"tasks":[{"storeParams":{"l":` + list(2*million, "1") + `}}]}`, false},
		"a parameter of lists": {`{"tasks":[{"storeParams":{"l":` + list(9, list(million, "1")) + `}}]}`, true},
		"a text":               {`{"tasks":[{"fullName":"\"[` + strings.Repeat(",", 9*million) + `]"}]}`, false},
	} {
		server := serve(t, func(w http.ResponseWriter, _ *http.Request, _ int) { send(w, 200, row.answer) })
		_, err := newClient(t, client.Options{Endpoint: server.URL}).ListTasks(t.Context(), 1)
		if _, foreign := errors.AsType[*client.ForeignError](err); foreign != row.refused || (err != nil) != row.refused {
			t.Errorf("%s: %v, refused %v", name, err, row.refused)
		}
	}
}

// server 1.7.2: redirects end after ten.
func TestRedirectsEnd(t *testing.T) {
	t.Parallel()
	server := serve(t, func(w http.ResponseWriter, _ *http.Request, _ int) {
		w.Header().Set("Location", "/again")
		w.WriteHeader(http.StatusSeeOther)
	})
	_, err := newClient(t, client.Options{Endpoint: server.URL}).FetchArchive(t.Context(), 3, "")
	if err == nil || len(server.seen()) != 11 {
		t.Errorf("error = %v after %d requests", err, len(server.seen()))
	}
}

// server 1.7.2, 2.6.8: logs come from their own address without headers, or from the server, with all
// escapes in their names.
func TestLogFiles(t *testing.T) {
	t.Parallel()
	server := serve(t, func(w http.ResponseWriter, r *http.Request, _ int) {
		if strings.HasSuffix(r.URL.Path, "/files") {
			send(w, 200, fmt.Sprintf(`{"files":[{"fileName":"+main+a b@65a.x@y.log.gz","fileSize":1,"taskName":"+main+a b",`+
				`"fileTime":"2024-01-15T00:00:00Z","agentId":"x@y","direct":null},{"fileName":"f","direct":"http://%s/direct"}]}`, r.Host))
			return
		}
		_, _ = io.WriteString(w, "log of "+r.URL.Path)
	})
	c := newClient(t, client.Options{Endpoint: server.URL, Header: http.Header{"X-Test": {"1"}}, NoDirectDownload: true})
	files, err := c.ListLogFiles(t.Context(), 7, "+main")
	if err != nil {
		t.Fatal(err)
	}
	var texts []string
	for i := range files.Files {
		body, err := c.FetchLogFile(t.Context(), 7, &files.Files[i])
		if err != nil {
			t.Fatal(err)
		}
		data, err := io.ReadAll(body)
		texts = append(texts, string(data))
		if err := errors.Join(err, body.Close()); err != nil {
			t.Error(err)
		}
	}
	if diff := cmp.Diff([]string{"log of /api/logs/7/files/+main+a b@65a.x@y.log.gz", "log of /direct"}, texts); diff != "" {
		t.Errorf("logs (-want +got):\n%s", diff)
	}
	want := []string{
		"GET /api/logs/7/files?direct_download=false&task=%2Bmain",
		"GET /api/logs/7/files/%2Bmain%2Ba%20b%4065a.x%40y.log.gz?direct_download=false",
		"GET /direct",
	}
	if diff := cmp.Diff(want, server.seen()); diff != "" {
		t.Errorf("requests (-want +got):\n%s", diff)
	}
	if server.headers[1].Get("X-Test") != "1" || server.headers[2].Get("X-Test") != "" {
		t.Error("the user's headers went to the direct address, or not to the server")
	}
}

// server 1.7.3: look-ups by name that find nothing have their own texts.
func TestNotFoundByName(t *testing.T) {
	t.Parallel()
	server := serve(t, func(w http.ResponseWriter, _ *http.Request, _ int) {
		send(w, 200, `{"projects":[],"workflows":[],"schedules":[]}`)
	})
	c := newClient(t, client.Options{Endpoint: server.URL})
	cases := []struct {
		find func() error
		want string
	}{
		{func() error { _, err := c.FindProject(t.Context(), "p"); return err }, "project not found: p"},
		{
			func() error { _, err := c.FindWorkflow(t.Context(), 3, "", "w"); return err },
			"workflow not found in the latest revision of project id = 3: w",
		},
		{
			func() error { _, err := c.FindWorkflow(t.Context(), 3, "r", "w"); return err },
			"workflow not found in revision = r of project id = 3: w",
		},
		{
			func() error { _, err := c.FindSchedule(t.Context(), 3, "w"); return err },
			"schedule not found in the latest revision of project id = 3: w",
		},
	}
	for _, tc := range cases {
		if err := tc.find(); err == nil || err.Error() != "Resource not found: "+tc.want {
			t.Errorf("error = %v, want %s", err, tc.want)
		}
	}
}

// server 2.6.11: each method uses its route.
func TestRoutes(t *testing.T) {
	t.Parallel()
	server := serve(t, func(w http.ResponseWriter, _ *http.Request, _ int) { send(w, 200, `{}`) })
	c := newClient(t, client.Options{Endpoint: server.URL})
	ctx, two := t.Context(), 2
	at, name := api.Instant{}, "n"
	page := client.Page{LastID: 9, Size: &two}
	calls := []struct {
		want string
		call func() error
	}{
		{"GET /api/version", func() error { _, err := c.Version(ctx); return err }},
		{"GET /api/version/check?client=0.10.6&version=0.1.0", func() error { _, err := c.CheckVersion(ctx); return err }},
		{"GET /api/projects?count=2&last_id=9&name_pattern=p+%26", func() error {
			_, err := c.ListProjects(ctx, client.ProjectQuery{LastID: 9, Count: &two, Name: "p &"})
			return err
		}},
		{"GET /api/projects/1", func() error { _, err := c.ProjectByID(ctx, 1); return err }},
		{"GET /api/projects/1/revisions?name=r", func() error { _, err := c.ListRevisions(ctx, 1, "r"); return err }},
		{"DELETE /api/projects/1", func() error { _, err := c.DeleteProject(ctx, 1); return err }},
		{"PUT /api/projects?project=p&revision=r&schedule_from=0001-01-01T00%3A00%3A01Z body", func() error {
			_, err := c.PushProject(ctx, client.Push{Project: "p", Revision: "r", ScheduleFrom: at.Add(1e9), Archive: strings.NewReader("body"), Size: 4})
			return err
		}},
		{"GET /api/workflows?order=desc", func() error {
			_, err := c.ListWorkflows(ctx, client.WorkflowQuery{Descending: true})
			return err
		}},
		{"GET /api/workflows/1", func() error { _, err := c.WorkflowByID(ctx, 1); return err }},
		{"GET /api/projects/1/workflows?revision=r", func() error { _, err := c.ListProjectWorkflows(ctx, 1, "r"); return err }},
		{"GET /api/workflows/1/truncated_session_time?mode=day&session_time=2016-01-01T00%3A00", func() error {
			_, err := c.WorkflowSessionTime(ctx, 1, "2016-01-01T00:00", client.CutDay)
			return err
		}},
		{"GET /api/schedules?last_id=9", func() error { _, err := c.ListSchedules(ctx, 9); return err }},
		{"GET /api/projects/1/schedules", func() error { _, err := c.ListProjectSchedules(ctx, 1, 0); return err }},
		{"GET /api/schedules/1", func() error { _, err := c.ScheduleByID(ctx, 1); return err }},
		{`POST /api/schedules/1/skip {"count":2,"fromTime":"0001-01-01T00:00:00Z","nextTime":null,"nextRunTime":null,"dryRun":true}`, func() error {
			_, err := c.SkipSchedule(ctx, 1, api.ScheduleSkipRequest{Count: &two, FromTime: &at, DryRun: true})
			return err
		}},
		{`POST /api/schedules/1/backfill {"fromTime":"0001-01-01T00:00:00Z","attemptName":"n","count":null,"dryRun":false}`, func() error {
			_, err := c.BackfillSchedule(ctx, 1, api.ScheduleBackfillRequest{AttemptName: "n"})
			return err
		}},
		{"POST /api/schedules/1/disable {}", func() error { _, err := c.DisableSchedule(ctx, 1); return err }},
		{"POST /api/schedules/1/enable {}", func() error { _, err := c.EnableSchedule(ctx, 1); return err }},
		{"GET /api/sessions?last_id=9&page_size=2", func() error { _, err := c.ListSessions(ctx, page); return err }},
		{"GET /api/projects/1/sessions?last_id=9&page_size=2&workflow=w", func() error {
			_, err := c.ListProjectSessions(ctx, 1, "w", page)
			return err
		}},
		{"GET /api/sessions/1", func() error { _, err := c.FindSession(ctx, 1); return err }},
		{"GET /api/sessions/1/attempts", func() error { _, err := c.ListSessionAttempts(ctx, 1, client.Page{}); return err }},
		{"GET /api/attempts?include_retried=true&project=p&workflow=w", func() error {
			_, err := c.ListAttempts(ctx, client.AttemptQuery{Project: "p", Workflow: "w", IncludeRetried: true})
			return err
		}},
		{"GET /api/attempts/1", func() error { _, err := c.FindAttempt(ctx, 1); return err }},
		{"GET /api/attempts/1/retries", func() error { _, err := c.ListRetries(ctx, 1); return err }},
		{"GET /api/attempts/1/tasks", func() error { _, err := c.ListTasks(ctx, 1); return err }},
		{`PUT /api/attempts {"workflowId":"1","sessionTime":"0001-01-01T00:00:00Z","retryAttemptName":"n","resume":{"mode":"failed","attemptId":"4"},"params":{"a>":"<b>"}}`, func() error {
			_, err := c.StartAttempt(ctx, api.AttemptRequest{
				WorkflowID: 1, RetryAttemptName: &name, Params: param.Of("a>", "<b>"),
				Resume: &api.Resume{Mode: api.ResumeFailed, AttemptID: 4},
			})
			return err
		}},
		{"GET /api/projects/1/secrets", func() error { _, err := c.ListSecrets(ctx, 1); return err }},
		{"DELETE /api/projects/1/secrets/k", func() error { return c.DeleteSecret(ctx, 1, "k") }},
	}
	for _, tc := range calls {
		if err := tc.call(); err != nil {
			t.Errorf("%s: %v", tc.want, err)
		}
		seen := server.seen()
		if diff := cmp.Diff(tc.want, seen[len(seen)-1]); diff != "" {
			t.Errorf("request (-want +got):\n%s", diff)
		}
	}
}
