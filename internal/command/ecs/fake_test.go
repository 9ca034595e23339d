//go:build unix

package ecs

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/trowel-project/trowel/internal/command"
	"github.com/trowel-project/trowel/internal/command/transfer/transfertest"
)

// fake is ECS with CloudWatch Logs. It runs the containers of tasks as processes of this machine. It is the transport of an
// Executor, too.
type fake struct {
	tb     testing.TB
	bucket *transfertest.Bucket
	// answer, if it is set, may answer a request in place of the services. Of a request that it lets pass it may change the
	// answer.
	answer func(r *fakeRequest) *fakeAnswer
	lost   func(r *fakeRequest) error // of an answer; nil for one that comes

	mu       sync.Mutex
	tasks    map[string]*fakeTask // by ARN
	tokens   map[string]*fakeTask
	counts   map[string]int // of requests, by operation
	logging  bool           // the container has the log driver awslogs
	requests []fakeRequest
}

type fakeAnswer struct {
	status int
	body   any
}

type fakeRequest struct {
	operation string
	nth       int // of this operation, from 1
	body      map[string]any
	raw       string
}

type fakeTask struct {
	arn, body string
	container *transfertest.Container
	overrides any
	reason    string // of the container
	noExit    bool
	stopped   bool
}

func newFake(tb testing.TB) *fake {
	tb.Helper()
	return &fake{
		tb: tb, bucket: transfertest.NewBucket(tb), tasks: map[string]*fakeTask{}, tokens: map[string]*fakeTask{}, counts: map[string]int{}, logging: true,
	}
}

// settings returns the settings of a cluster.
func (f *fake) settings(more ...string) map[string]string {
	all := map[string]string{
		"ecs.name": "c1", "ecs.c1.region": "us-east-1", "ecs.c1.access_key_id": "AKID", "ecs.c1.secret_access_key": "hush-hush-secret", "ecs.c1.max_retries": "2",
	}
	f.bucket.Settings(all, "ecs.temporal_storage")
	for i := 0; i+1 < len(more); i += 2 {
		all[more[i]] = more[i+1]
	}
	return all
}

// executor returns an Executor without long pauses.
func (f *fake) executor(log *slog.Logger, more ...string) *Executor {
	e := New(Options{Setting: transfertest.Setting(f.settings(more...)), HTTP: &http.Client{Transport: f}, Log: log})
	const short = 10 * time.Millisecond
	e.times = times{
		resubmit: short, throttle: func(int) time.Duration { return short }, drain: 300 * time.Millisecond, look: short, missing: 100 * time.Millisecond, failed: short, retry: short,
	}
	return e
}

var errLost = errors.New("connection reset by peer")

// RoundTrip implements http.RoundTripper.
func (f *fake) RoundTrip(r *http.Request) (*http.Response, error) {
	data, err := io.ReadAll(r.Body)
	if err != nil {
		return nil, err
	}
	if !strings.HasPrefix(r.Header.Get("Authorization"), "AWS4-HMAC-SHA256 Credential=AKID/") {
		return nil, errors.New("a request is not signed")
	}
	_, operation, _ := strings.Cut(r.Header.Get("X-Amz-Target"), ".")
	request := fakeRequest{operation: operation, raw: string(data)}
	if err := json.Unmarshal(data, &request.body); err != nil {
		return nil, err
	}
	f.mu.Lock()
	f.counts[operation]++
	request.nth = f.counts[operation]
	f.requests = append(f.requests, request)
	f.mu.Unlock()
	if f.answer != nil {
		if answer := f.answer(&request); answer != nil {
			return answerOf(answer.status, answer.body), nil
		}
	}
	status, body := f.serve(&request)
	if f.lost != nil {
		if err := f.lost(&request); err != nil {
			return nil, err
		}
	}
	return answerOf(status, body), nil
}

func answerOf(status int, body any) *http.Response {
	text, ok := body.(string)
	if !ok {
		data, err := json.Marshal(body)
		if err != nil {
			panic(err)
		}
		text = string(data)
	}
	return &http.Response{
		StatusCode: status, Status: fmt.Sprintf("%d %s", status, http.StatusText(status)), Body: io.NopCloser(bytes.NewBufferString(text)),
		Header: http.Header{"X-Amzn-Requestid": {"request-1"}},
	}
}

func refuse(code, message string) map[string]any {
	return map[string]any{"__type": "com.amazonaws.ecs#" + code, "message": message}
}

func (f *fake) serve(r *fakeRequest) (status int, body any) {
	f.mu.Lock()
	defer f.mu.Unlock()
	switch r.operation {
	case "DescribeTaskDefinition":
		container := map[string]any{"name": "main", "image": "busybox:1"}
		if f.logging {
			container["logConfiguration"] = map[string]any{"logDriver": "awslogs", "options": map[string]any{"awslogs-group": "/g", "awslogs-stream-prefix": "pre"}}
		}
		return http.StatusOK, map[string]any{"taskDefinition": map[string]any{"taskDefinitionArn": "arn:td:1", "containerDefinitions": []any{container}}}
	case "RunTask":
		return f.runTask(r)
	case "DescribeTasks", "StopTask":
		arn, _ := r.body["task"].(string)
		if list, ok := r.body["tasks"].([]any); ok {
			arn, _ = list[0].(string)
		}
		t := f.tasks[arn]
		switch {
		case t == nil && r.operation == "StopTask":
			return http.StatusBadRequest, refuse("InvalidParameterException", "The referenced task was not found.")
		case t == nil:
			return http.StatusOK, map[string]any{"tasks": []any{}, "failures": []any{map[string]any{"arn": arn, "reason": "MISSING"}}}
		case r.operation == "StopTask":
			t.stopped, t.noExit = true, true
			t.container.Kill()
			return http.StatusOK, map[string]any{"task": t.document()}
		}
		return http.StatusOK, map[string]any{"tasks": []any{t.document()}}
	case "GetLogEvents":
		return f.getLogEvents(r)
	}
	return http.StatusBadRequest, refuse("UnknownOperationException", r.operation)
}

// runTask starts a container. A token gives the task that has it, or a conflict if the request is another one.
func (f *fake) runTask(r *fakeRequest) (status int, body any) {
	token, _ := r.body["clientToken"].(string)
	if t := f.tokens[token]; t != nil {
		if t.body != r.raw {
			conflict := refuse("ConflictException", "The token is in use")
			conflict["resourceIds"] = []string{t.arn}
			return http.StatusBadRequest, conflict
		}
		return http.StatusOK, map[string]any{"tasks": []any{t.document()}}
	}
	var in runTask
	if err := json.Unmarshal([]byte(r.raw), &in); err != nil {
		f.tb.Error(err)
	}
	over := in.Overrides.Containers[0]
	var env []string
	for _, v := range over.Environment {
		env = append(env, v.Name+"="+v.Value)
	}
	t := &fakeTask{
		arn: fmt.Sprintf("arn:aws:ecs:us-east-1:1:task/c1/id%d", len(f.tasks)+1), body: r.raw, overrides: r.body["overrides"],
		container: transfertest.Start(f.tb, f.tb.TempDir(), env, over.Command...),
	}
	f.tasks[t.arn], f.tokens[token] = t, t
	return http.StatusOK, map[string]any{"tasks": []any{t.document()}}
}

func (t *fakeTask) document() map[string]any {
	status, container := "RUNNING", map[string]any{"name": "main"}
	if exit, ended := t.container.Ended(); ended {
		status = "STOPPED"
		if !t.noExit {
			container["exitCode"] = exit
		}
		if t.reason != "" {
			container["reason"] = t.reason
		}
	}
	return map[string]any{"taskArn": t.arn, "lastStatus": status, "createdAt": 1705276800.5, "containers": []any{container}, "overrides": t.overrides}
}

// getLogEvents returns the lines after those that the token counts.
func (f *fake) getLogEvents(r *fakeRequest) (status int, body any) {
	stream, _ := r.body["logStreamName"].(string)
	t := f.tasks["arn:aws:ecs:us-east-1:1:task/c1/"+strings.TrimPrefix(stream, "pre/main/")]
	if t == nil {
		return http.StatusBadRequest, refuse("ResourceNotFoundException", "The specified log stream does not exist.")
	}
	from := 0
	if token, ok := r.body["nextToken"].(string); ok {
		if _, err := fmt.Sscanf(token, "f/%d", &from); err != nil {
			f.tb.Error(err)
		}
	}
	text := t.container.Output()
	lines := strings.Split(text[:strings.LastIndexByte(text, '\n')+1], "\n")
	lines = lines[:len(lines)-1]
	events := []any{}
	for _, line := range lines[min(from, len(lines)):] {
		events = append(events, map[string]any{"timestamp": 1, "message": line})
	}
	return http.StatusOK, map[string]any{"events": events, "nextForwardToken": fmt.Sprintf("f/%d", len(lines)), "nextBackwardToken": "b/0"}
}

// taskOf returns the task of a try; nil for none.
func (f *fake) taskOf(try *command.Try) *fakeTask {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.tokens[try.Key()]
}
