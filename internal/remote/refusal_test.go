package remote_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/agent"
	"github.com/trowel-project/trowel/internal/api"
	blobdb "github.com/trowel-project/trowel/internal/blob/db"
	"github.com/trowel-project/trowel/internal/operator"
	"github.com/trowel-project/trowel/internal/param"
	"github.com/trowel-project/trowel/internal/remote"
	"github.com/trowel-project/trowel/internal/secret"
	"github.com/trowel-project/trowel/internal/trowtest"
)

// call sends a request as an agent would; with an empty protocol it has that of this version.
func (s *testServer) call(t *testing.T, method, path, bearer, protocol string, body any) (status int, text string) {
	t.Helper()
	var reader io.Reader
	switch body := body.(type) {
	case nil:
	case io.Reader:
		reader = body
	default:
		data, err := json.Marshal(body)
		if err != nil {
			t.Fatal(err)
		}
		reader = bytes.NewReader(data)
	}
	req, err := http.NewRequestWithContext(t.Context(), method, s.URL+path, reader)
	if err != nil {
		t.Fatal(err)
	}
	if protocol == "" {
		protocol = api.AgentProtocol
	}
	req.Header.Set(api.AgentProtocolHeader, protocol)
	req.Header.Set("Content-Type", "application/json")
	if bearer != "" {
		req.Header.Set("Authorization", "Bearer "+bearer)
	}
	res, err := s.Client().Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = res.Body.Close() }()
	data, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	return res.StatusCode, string(data)
}

// Callers that may not be agents get the right status and a sentence.
func TestRefusedAgents(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	h := f.serve(t, "s1", "")
	self := api.AgentRegistration{Name: "a", Host: "h", Version: "0.1.0", Slots: 4}
	with := func(change func(*api.AgentRegistration)) api.AgentRegistration {
		r := self
		change(&r)
		return r
	}
	for _, row := range []struct {
		name, bearer, protocol string
		body                   any
		status                 int
		want                   string
	}{
		{"right", f.bearer, "", self, 200, `"heartbeatMs":200`},
		{"administrator", f.token(t, &trowel.Token{Name: "admin", Role: "admin"}), "", self, 200, `"leaseMs":3000`},
		{"no token", "", "", self, 401, "Missing Authorization header"},
		{"wrong token", "trw_x", "", self, 401, "unauthorized"},
		{"expired", f.token(t, &trowel.Token{Name: "e", Role: "agent", ExpiresAt: time.Now()}), "", self, 401, "the token e expired at "},
		{"revoked", f.token(t, &trowel.Token{Name: "r", Role: "agent", RevokedAt: time.Now()}), "", self, 401, "the token r was revoked at "},
		{"operator", f.token(t, &trowel.Token{Name: "o", Role: "operator"}), "", self, 403, "it needs RunAgent"},
		{"reader", f.token(t, &trowel.Token{Name: "o", Role: "read"}), "", self, 403, "it needs RunAgent"},
		{"of a project", f.token(t, &trowel.Token{Name: "p", Role: "agent", ProjectID: f.context.Project.ID}), "", self, 403, "is for one project"},
		{"another version", f.bearer, "99", self, 409, `speaks version 2 of the agents' protocol, and the agent \"99\"`},
		{"no slots", f.bearer, "", with(func(r *api.AgentRegistration) { r.Slots = 0 }), 400, "slots must be 1 to 10000, not 0"},
		{"no name", f.bearer, "", with(func(r *api.AgentRegistration) { r.Name = "" }), 400, "the agent's name must have"},
		{"a name that turns text round", f.bearer, "", with(func(r *api.AgentRegistration) { r.Name = "a\u202eb" }), 400, "without control characters"},
		{"odd queue", f.bearer, "", with(func(r *api.AgentRegistration) { r.Queues = []string{"a\nb"} }), 400, "name of a queue"},
		{"odd limits", f.bearer, "", with(func(r *api.AgentRegistration) {
			r.Limits = &api.KeptLimits{Names: []string{"memory"}, Max: api.CommandLimits{CPU: -1}}
		}), 400, "must not be negative"},
		{"limits of a later version", f.bearer, "", with(func(r *api.AgentRegistration) {
			r.Limits = &api.KeptLimits{Names: []string{"memory", "gpu"}}
		}), 200, `"heartbeatMs":200`},
		{"nonsense", f.bearer, "", strings.NewReader("{"), 400, "unexpected end"},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			status, text := h.call(t, "POST", "/api/agents", row.bearer, row.protocol, row.body)
			if status != row.status || !strings.Contains(text, row.want) {
				t.Errorf("status %d, %s; want %d and %q", status, text, row.status, row.want)
			}
		})
	}
	t.Run("a token of agents is for nothing else", func(t *testing.T) {
		t.Parallel()
		for _, path := range []string{"/api/projects", "/api/projects/1/secrets", "/api/attempts/1", "/api/tokens", "/api/projects/99"} {
			if status, text := h.call(t, "GET", path, f.bearer, "", nil); status != 403 {
				t.Errorf("GET %s: status %d, %s; want 403", path, status, text)
			}
		}
	})
}

// registered makes an agent without a connection that runs a task, as the database has it, and returns its
// id and the task.
func (f *fixture) registered(t *testing.T, h *testServer) (id string, row trowel.LiveTask) {
	t.Helper()
	status, text := h.call(t, "POST", "/api/agents", f.bearer, "", api.AgentRegistration{Name: "a", Host: "h", Version: "0", Slots: 4})
	var got api.AgentRegistered
	if err := json.Unmarshal([]byte(text), &got); err != nil || status != 200 {
		t.Fatalf("register: %d, %s", status, text)
	}
	ctx, cancel := context.WithCancel(t.Context())
	s, err := h.hub.Connect(ctx, got.ID, tokenID(t, f), api.AgentHeld{})
	if err != nil {
		t.Fatal(err)
	}
	h.start(t, one("x"))
	for {
		message, err := s.Next(ctx)
		if err != nil {
			t.Fatal(err)
		}
		if len(message.Leases) > 0 {
			break
		}
	}
	cancel()
	s.Close()
	trowtest.View(t, f.store, func(tx trowel.Tx) error {
		rows, err := tx.ListRunningOf(t.Context(), got.ID)
		row = rows[0]
		return err
	})
	return got.ID, row
}

func tokenID(t *testing.T, f *fixture) (id trowel.TokenID) {
	t.Helper()
	trowtest.View(t, f.store, func(tx trowel.Tx) error {
		tokens, err := tx.ListTokens(t.Context())
		id = tokens[0].ID
		return err
	})
	return id
}

// A result is taken once, taken for the same when it comes again, and refused when the try is not the
// agent's; one that is too large is refused before it is read.
func TestReportsAreChecked(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.lease = time.Hour // these agents send no heartbeats
	h := f.serve(t, "s1", "")
	id, task := f.registered(t, h)
	other, _ := f.registered(t, h)
	report := api.AgentReport{TaskID: int64(task.TaskID), AttemptID: int64(task.AttemptID), Try: task.Try, Outcome: api.AgentSuccess, Ran: true}
	change := func(f func(*api.AgentReport)) api.AgentReport {
		r := report
		f(&r)
		return r
	}
	for _, row := range []struct {
		name   string
		agent  string
		report api.AgentReport
		status int
		want   string
	}{
		{"of another agent", other, report, 409, "does not run on this agent"},
		{"of an agent that is not there", "nobody", report, 409, "does not run on this agent"},
		{"a task that it never had", id, change(func(r *api.AgentReport) { r.TaskID += 1000 }), 409, "does not run on this agent"},
		{"an earlier try", id, change(func(r *api.AgentReport) { r.Try = 0 }), 409, "does not run on this agent"},
		{"another attempt", id, change(func(r *api.AgentReport) { r.AttemptID = 99 }), 409, "does not run on this agent"},
		{"no outcome", id, change(func(r *api.AgentReport) { r.Outcome = "" }), 400, "outcome must be success"},
		{"waits for ever", id, change(func(r *api.AgentReport) { r.RetryInMicros = 1 << 62 }), 400, "retryInMicros must be"},
		{"output of others", id, change(func(r *api.AgentReport) {
			r.Logs = []api.AgentLogChunk{piece(99, "x")}
		}), 400, "has output of attempt 99"},
		{"output outside", id, change(func(r *api.AgentReport) {
			r.Logs = []api.AgentLogChunk{piece(task.AttemptID, "../x")}
		}), 400, "cannot be the name of a log"},
		{"right", id, report, 200, ""},
		{"again", id, report, 200, ""},
		{"again, in other words", id, change(func(r *api.AgentReport) { r.Outcome = api.AgentFailure }), 200, ""},
	} {
		status, text := h.call(t, "POST", "/api/agents/"+row.agent+"/reports", f.bearer, "", api.AgentReports{Reports: []api.AgentReport{row.report}})
		var got api.AgentAnswers
		if err := json.Unmarshal([]byte(text), &got); err != nil || status != 200 || len(got.Answers) != 1 {
			t.Fatalf("%s: status %d, %s", row.name, status, text)
		}
		if a := got.Answers[0]; a.Status != row.status || !strings.Contains(a.Message, row.want) {
			t.Errorf("%s: answer %+v, want %d and %q", row.name, a, row.status, row.want)
		}
	}
	tries := f.tries(t, task.AttemptID)
	if len(tries) != 1 || tries[0].Exit != trowel.ExitSuccess {
		t.Errorf("tries = %+v, want one success", tries)
	}
	large := io.LimitReader(zeros{}, 100<<20)
	if status, text := h.call(t, "POST", "/api/agents/"+id+"/reports", f.bearer, "", large); status != 413 || !strings.Contains(text, "the body is larger than") {
		t.Errorf("100 MB: status %d, %s; want 413", status, text)
	}
}

// piece is the output "x" of a try.
func piece(attempt trowel.AttemptID, file string) api.AgentLogChunk {
	data, size := zipped("x")
	return api.AgentLogChunk{AttemptID: int64(attempt), File: file, TextBytes: size, Data: data}
}

type zeros struct{}

func (zeros) Read(data []byte) (int, error) {
	for i := range data {
		data[i] = ' '
	}
	return len(data), nil
}

// Nothing is given out for tries that do not run on the agent, nor to who comes with another token.
func TestNeedsAreForRunningTries(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.lease = time.Hour // these agents send no heartbeats
	h := f.serve(t, "s1", "")
	id, task := f.registered(t, h)
	idle, idleTask := f.registered(t, h)
	report := api.AgentReport{TaskID: int64(idleTask.TaskID), AttemptID: int64(idleTask.AttemptID), Try: idleTask.Try, Outcome: api.AgentSuccess}
	if status, text := h.call(t, "POST", "/api/agents/"+idle+"/reports", f.bearer, "", api.AgentReports{Reports: []api.AgentReport{report}}); status != 200 {
		t.Fatalf("report: %d, %s", status, text)
	}
	stranger := f.token(t, &trowel.Token{Name: "other agents", Role: "agent"})
	own := api.AgentTry{TaskID: int64(task.TaskID), Try: task.Try}
	log := func(attempt trowel.AttemptID, task string) api.AgentLogs {
		return api.AgentLogs{Chunks: []api.AgentLogChunk{piece(attempt, task+"@65a3f2c000000001.a.log.gz")}}
	}
	requests := []struct {
		method, path string
		body         any
		own          int // status for the agent that runs the try
	}{
		{"POST", "/secret", api.AgentSecretRequest{AgentTry: own, Key: "k"}, 200},
		{"POST", "/secret", api.AgentSecretRequest{AgentTry: own, AttemptID: int64(task.AttemptID), Key: "k"}, 200},
		{"POST", "/secret", api.AgentSecretRequest{AgentTry: own, AttemptID: int64(task.AttemptID) + 1, Key: "k"}, 409},
		{"POST", "/secret", api.AgentSecretRequest{AgentTry: api.AgentTry{TaskID: own.TaskID, Try: own.Try + 1}, Key: "k"}, 409},
		{"POST", "/session", api.AgentSessionRequest{Requirer: int64(task.AttemptID) + 1, Workflow: "known"}, 409},
		{"POST", "/session", api.AgentSessionRequest{Requirer: int64(task.AttemptID), Workflow: "known"}, 200},
		{"POST", "/params", api.AgentParams{Values: map[string]string{"k": "v"}}, 200},
		{"POST", "/params/find", api.AgentParamKeys{Keys: []string{"k"}}, 200},
		{"GET", fmt.Sprintf("/archives/%d", task.AttemptID), nil, 404}, // it has none
		{"GET", fmt.Sprintf("/archives/%d", task.AttemptID+1), nil, 409},
		{"POST", "/logs", log(task.AttemptID, "+w+a"), 200},
		{"POST", "/logs", log(task.AttemptID, "+w+ax"), 409},
		{"POST", "/logs", log(task.AttemptID, "+w"), 409},
		{"POST", "/logs", log(task.AttemptID+1, "+w+a"), 409},
		{"POST", "/logs", api.AgentLogs{Chunks: append(log(task.AttemptID, "+w+a").Chunks, log(task.AttemptID, "+w+z").Chunks...)}, 409},
	}
	for _, r := range requests {
		for _, who := range []struct {
			agent, bearer string
			want          int
		}{{id, f.bearer, r.own}, {idle, f.bearer, 409}, {"nobody", f.bearer, 404}, {id, stranger, 404}, {id, "trw_x", 401}} {
			status, text := h.call(t, r.method, "/api/agents/"+who.agent+r.path, who.bearer, "", r.body)
			slowed := who.want == http.StatusUnauthorized && status == http.StatusTooManyRequests // who failed often waits
			if status != who.want && !slowed {
				t.Errorf("%s %s as agent %s: status %d, %s; want %d", r.method, r.path, who.agent, status, text, who.want)
			}
		}
	}
	if status, text := h.call(t, "POST", "/api/agents/nobody/heartbeat", f.bearer, "", api.AgentHeld{}); status != 404 || !strings.Contains(text, "never registered") {
		t.Errorf("heartbeat of nobody: status %d, %s; want 404", status, text)
	}
	if status, text := h.call(t, "POST", "/api/agents/"+id+"/heartbeat", stranger, "", api.AgentHeld{}); status != 404 || !strings.Contains(text, "never registered") {
		t.Errorf("heartbeat with another token: status %d, %s; want 404", status, text)
	}
	again := api.AgentReports{Reports: []api.AgentReport{report, {TaskID: own.TaskID, AttemptID: int64(task.AttemptID), Try: own.Try, Outcome: api.AgentSuccess}}}
	_, absent := h.call(t, "POST", "/api/agents/nobody/reports", stranger, "", again)
	for _, other := range []string{id, idle} {
		status, text := h.call(t, "POST", "/api/agents/"+other+"/reports", stranger, "", again)
		if status != 200 || text != absent || strings.Count(text, `"status":409`) != 2 {
			t.Errorf("reports with another token: %d, %s; want what nobody is told: %s", status, text, absent)
		}
	}
	for name, wrong := range map[string]api.AgentReport{
		"of another attempt":       {TaskID: own.TaskID, AttemptID: int64(task.AttemptID) + 1, Try: own.Try, Outcome: api.AgentSuccess},
		"with a log of other task": {TaskID: own.TaskID, AttemptID: int64(task.AttemptID), Try: own.Try, Outcome: api.AgentSuccess, Logs: log(task.AttemptID, "+w+z").Chunks},
	} {
		_, text := h.call(t, "POST", "/api/agents/"+id+"/reports", f.bearer, "", api.AgentReports{Reports: []api.AgentReport{wrong}})
		if strings.Contains(text, `"status":200`) {
			t.Errorf("a report %s is accepted: %s", name, text)
		}
	}
	if tries := f.tries(t, task.AttemptID); len(tries) != 0 {
		t.Errorf("a try has ended: %+v", tries)
	}
}

// What a task asks its server for comes as it would in the server's process.
func TestNeeds(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.lease, f.beat = time.Hour, time.Hour // the task runs once, however slow the machine is
	h := f.serve(t, "s1", "")
	crypter, err := secret.NewCrypter("MDEyMzQ1Njc4OTAxMjM0NQ==")
	if err != nil {
		t.Fatal(err)
	}
	f.update(t, func(tx trowel.Tx) error {
		return crypter.Store(t.Context(), tx, &trowel.Secret{
			ProjectID: f.context.Project.ID, Scope: trowel.SecretProject, Key: "db.password", UpdatedAt: time.Now(),
		}, "hush")
	})
	if err := blobdb.New(f.store).Put(t.Context(), "a1", strings.NewReader("files"), 5); err != nil {
		t.Fatal(err)
	}
	var link *remote.Link
	ready := make(chan struct{})
	var got []string
	m := f.connect(t, func(ctx context.Context, r *operator.Request) (operator.Outcome, error) {
		<-ready
		value, found, err := r.Secrets.Find(ctx, "db.password")
		got = append(got, fmt.Sprint(value.Reveal(), found, err))
		_, found, err = r.Secrets.Find(ctx, "db.none")
		got = append(got, fmt.Sprint(found, err))
		_, _, err = r.Secrets.Find(ctx, "db..x")
		got = append(got, fmt.Sprint(err))
		for _, workflow := range []string{"known", "full", "none"} {
			started, err := r.Sessions.StartSession(ctx, operator.StartRequest{Workflow: workflow, Params: param.New(), Requirer: r.Lease.AttemptID})
			got = append(got, fmt.Sprint(started.New, started.SessionID, started.AttemptID, started.Flags, err))
		}
		got = append(got, fmt.Sprint(link.SetParams(ctx, map[string]string{"k": "v"})))
		values, err := link.FindParams(ctx, []string{"k", "none"})
		got = append(got, fmt.Sprint(values, err))
		from, err := link.Archive(ctx, r.Lease.Context.Revision.Archive)
		if err != nil {
			got = append(got, err.Error())
			return operator.Outcome{}, err
		}
		files, err := io.ReadAll(from)
		got = append(got, string(files))
		return operator.Outcome{}, errors.Join(err, from.Close())
	}, nil, h.URL)
	link = m.link
	close(ready)
	if status := result(t, h.start(t, one("x"))); status != "success" {
		t.Errorf("the attempt ended as %s, want success", status)
	}
	want := []string{
		"hushtrue <nil>", "false <nil>", "Illegal key: 'db..x'", "true 7 8 2 <nil>", "false 0 0 0 too many attempts running", "false 0 0 0 not found",
		"<nil>", "map[k:v] <nil>", "files",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("answers (-want +got):\n%s", diff)
	}
}

// An agent that no server takes says why, and does not try for ever.
func TestRegisterRefused(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	h := f.serve(t, "s1", "")
	link, err := remote.New(remote.Options{
		Servers: []string{"http://127.0.0.1:1", h.URL}, Token: "trw_wrong", Now: time.Now, Log: slog.New(slog.DiscardHandler),
		Self: api.AgentRegistration{Name: "a", Host: "h", Version: "0", Slots: 1},
	})
	if err != nil {
		t.Fatal(err)
	}
	defer link.Close()
	_, err = link.Register(t.Context())
	if refused, ok := errors.AsType[*remote.RefusedError](err); !ok || refused.Status != 401 {
		t.Errorf("Register: %v, want a refusal with 401", err)
	}
}

// An agent whose token is revoked stops what it runs when its lease is over, and ends.
func TestRevoked(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	h := f.serve(t, "s1", "")
	ended := make(chan error, 1)
	begun := make(chan struct{}, 1)
	link, err := remote.New(remote.Options{
		Servers: []string{h.URL}, Token: f.bearer, Now: time.Now, Log: slog.New(slog.DiscardHandler),
		Self: api.AgentRegistration{Name: "a", Host: "h", Version: "0", Slots: 1},
	})
	if err != nil {
		t.Fatal(err)
	}
	defer link.Close()
	if _, err := link.Register(t.Context()); err != nil {
		t.Fatal(err)
	}
	a := &losingAgent{begun: begun, lost: make(chan struct{}, 1)}
	go func() { ended <- link.Run(t.Context(), a) }()
	h.start(t, one("x"))
	within(t, begun, "the task")
	f.update(t, func(tx trowel.Tx) error {
		tokens, err := tx.ListTokens(t.Context())
		if err != nil {
			return err
		}
		tokens[0].RevokedAt = time.Now()
		return tx.UpdateToken(t.Context(), tokens[0])
	})
	if refused, ok := errors.AsType[*remote.RefusedError](within(t, ended, "the end")); !ok || refused.Status != 401 {
		t.Errorf("Run: want a refusal with 401")
	}
	within(t, a.lost, "the stop of the task")
}

// losingAgent is an agent that notes what is lost.
type losingAgent struct {
	begun chan struct{}
	lost  chan struct{}
}

func (l *losingAgent) Rebind(string)          {}
func (l *losingAgent) Assign([]*trowel.Lease) { l.begun <- struct{}{} }
func (l *losingAgent) Cancel([]trowel.TryID)  {}
func (l *losingAgent) Lose(ids []trowel.TryID) {
	if len(ids) > 0 {
		l.lost <- struct{}{}
	}
}

var _ remote.Agent = (*agent.Agent)(nil)
