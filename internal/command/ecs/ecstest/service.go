//go:build unix

package ecstest

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/trowel-project/trowel/internal/command"
	"github.com/trowel-project/trowel/internal/command/transfer/transfertest"
)

// Service is the service. It is the transport of an executor, too. Its exported fields are set before it is used.
type Service struct {
	Bucket *transfertest.Bucket
	// Answer, if it is set, may answer a request in place of the services. Of a request that it lets pass it may change the
	// answer.
	Answer func(r *Request) *Answer
	// Lost, if it is set, returns the error of a client whose answer is lost; nil for one that comes.
	Lost func(r *Request) error
	// Before and Answered, if they are set, are called around the handling of a request. If they return false, the connection is
	// broken.
	Before, Answered func(r *Request) bool
	// Logging says that the container has the log driver awslogs.
	Logging bool

	tb       testing.TB
	mu       sync.Mutex
	tasks    map[string]*Task // by ARN
	tokens   map[string]*Task
	counts   map[string]int // of requests, by operation
	requests []Request
}

// Answer is an answer to a request.
type Answer struct {
	Status int
	Body   any // a text, or what is sent as JSON
}

// Request is a request.
type Request struct {
	Operation string
	Nth       int // of this operation, from 1
	Body      map[string]any
	Raw       string
}

// Task is a task that the service has begun.
type Task struct {
	Container *transfertest.Container
	Reason    string // of the container
	NoExit    bool   // the exit code is not known
	Stopped   bool   // by a request

	arn, body string
	overrides any
}

// Start starts the service and a bucket for the executor.
func Start(tb testing.TB) *Service {
	tb.Helper()
	return &Service{
		tb: tb, Bucket: transfertest.NewBucket(tb), tasks: map[string]*Task{}, tokens: map[string]*Task{}, counts: map[string]int{}, Logging: true,
	}
}

// Settings returns the settings of a cluster.
func (s *Service) Settings(more ...string) map[string]string {
	all := map[string]string{
		"ecs.name": "c1", "ecs.c1.region": "us-east-1", "ecs.c1.access_key_id": "AKID", "ecs.c1.secret_access_key": "hush-hush-secret", "ecs.c1.max_retries": "2",
	}
	s.Bucket.Settings(all, "ecs.temporal_storage")
	for i := 0; i+1 < len(more); i += 2 {
		all[more[i]] = more[i+1]
	}
	return all
}

// ErrLost is what a client is told of a lost answer.
var ErrLost = errors.New("connection reset by peer")

// ServeHTTP implements http.Handler. A lost answer breaks the connection.
func (s *Service) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	answer, err := s.RoundTrip(r) //nolint:bodyclose // it is a text
	if err != nil {
		panic(http.ErrAbortHandler)
	}
	w.WriteHeader(answer.StatusCode)
	_, _ = io.Copy(w, answer.Body)
}

// RoundTrip implements http.RoundTripper.
func (s *Service) RoundTrip(r *http.Request) (*http.Response, error) {
	data, err := io.ReadAll(r.Body)
	if err != nil {
		return nil, err
	}
	if !strings.HasPrefix(r.Header.Get("Authorization"), "AWS4-HMAC-SHA256 Credential=AKID/") {
		return nil, errors.New("a request is not signed")
	}
	_, operation, _ := strings.Cut(r.Header.Get("X-Amz-Target"), ".")
	request := Request{Operation: operation, Raw: string(data)}
	if err := json.Unmarshal(data, &request.Body); err != nil {
		return nil, err
	}
	s.mu.Lock()
	s.counts[operation]++
	request.Nth = s.counts[operation]
	s.requests = append(s.requests, request)
	s.mu.Unlock()
	if s.Answer != nil {
		if answer := s.Answer(&request); answer != nil {
			return answerOf(answer.Status, answer.Body), nil
		}
	}
	if s.Before != nil && !s.Before(&request) {
		return nil, ErrLost
	}
	status, body := s.serve(&request)
	if s.Answered != nil && !s.Answered(&request) {
		return nil, ErrLost
	}
	if s.Lost != nil {
		if err := s.Lost(&request); err != nil {
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

// Refuse returns the body of a refusal.
func Refuse(code, message string) map[string]any {
	return map[string]any{"__type": "com.amazonaws.ecs#" + code, "message": message}
}

func (s *Service) serve(r *Request) (status int, body any) {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch r.Operation {
	case "DescribeTaskDefinition":
		container := map[string]any{"name": "main", "image": "busybox:1"}
		if s.Logging {
			container["logConfiguration"] = map[string]any{"logDriver": "awslogs", "options": map[string]any{"awslogs-group": "/g", "awslogs-stream-prefix": "pre"}}
		}
		return http.StatusOK, map[string]any{"taskDefinition": map[string]any{"taskDefinitionArn": "arn:td:1", "containerDefinitions": []any{container}}}
	case "RunTask":
		return s.runTask(r)
	case "DescribeTasks", "StopTask":
		arn, _ := r.Body["task"].(string)
		if list, ok := r.Body["tasks"].([]any); ok {
			arn, _ = list[0].(string)
		}
		t := s.tasks[arn]
		switch {
		case t == nil && r.Operation == "StopTask":
			return http.StatusBadRequest, Refuse("InvalidParameterException", "The referenced task was not found.")
		case t == nil:
			return http.StatusOK, map[string]any{"tasks": []any{}, "failures": []any{map[string]any{"arn": arn, "reason": "MISSING"}}}
		case r.Operation == "StopTask":
			t.Stopped, t.NoExit = true, true
			t.Container.Kill()
			return http.StatusOK, map[string]any{"task": t.document()}
		}
		return http.StatusOK, map[string]any{"tasks": []any{t.document()}}
	case "GetLogEvents":
		return s.getLogEvents(r)
	}
	return http.StatusBadRequest, Refuse("UnknownOperationException", r.Operation)
}

// runTask starts a container. A token gives the task that has it, or a conflict if the request is another one.
func (s *Service) runTask(r *Request) (status int, body any) {
	token, _ := r.Body["clientToken"].(string)
	if t := s.tokens[token]; t != nil {
		if t.body != r.Raw {
			conflict := Refuse("ConflictException", "The token is in use")
			conflict["resourceIds"] = []string{t.arn}
			return http.StatusBadRequest, conflict
		}
		return http.StatusOK, map[string]any{"tasks": []any{t.document()}}
	}
	var in struct {
		Overrides struct {
			Containers []struct {
				Command     []string `json:"command"`
				Environment []struct {
					Name  string `json:"name"`
					Value string `json:"value"`
				} `json:"environment"`
			} `json:"containerOverrides"`
		} `json:"overrides"`
	}
	if err := json.Unmarshal([]byte(r.Raw), &in); err != nil {
		s.tb.Error(err)
	}
	over := in.Overrides.Containers[0]
	var env []string
	for _, v := range over.Environment {
		env = append(env, v.Name+"="+v.Value)
	}
	t := &Task{
		arn: fmt.Sprintf("arn:aws:ecs:us-east-1:1:task/c1/id%d", len(s.tasks)+1), body: r.Raw, overrides: r.Body["overrides"],
		Container: transfertest.Start(s.tb, s.tb.TempDir(), env, over.Command...),
	}
	s.tasks[t.arn], s.tokens[token] = t, t
	return http.StatusOK, map[string]any{"tasks": []any{t.document()}}
}

func (t *Task) document() map[string]any {
	status, container := "RUNNING", map[string]any{"name": "main"}
	if exit, ended := t.Container.Ended(); ended {
		status = "STOPPED"
		if !t.NoExit {
			container["exitCode"] = exit
		}
		if t.Reason != "" {
			container["reason"] = t.Reason
		}
	}
	return map[string]any{"taskArn": t.arn, "lastStatus": status, "createdAt": 1705276800.5, "containers": []any{container}, "overrides": t.overrides}
}

// getLogEvents returns the lines after those that the token counts.
func (s *Service) getLogEvents(r *Request) (status int, body any) {
	stream, _ := r.Body["logStreamName"].(string)
	t := s.tasks["arn:aws:ecs:us-east-1:1:task/c1/"+strings.TrimPrefix(stream, "pre/main/")]
	if t == nil {
		return http.StatusBadRequest, Refuse("ResourceNotFoundException", "The specified log stream does not exist.")
	}
	from := 0
	if token, ok := r.Body["nextToken"].(string); ok {
		if _, err := fmt.Sscanf(token, "f/%d", &from); err != nil {
			s.tb.Error(err)
		}
	}
	text := t.Container.Output()
	lines := strings.Split(text[:strings.LastIndexByte(text, '\n')+1], "\n")
	lines = lines[:len(lines)-1]
	events := []any{}
	for _, line := range lines[min(from, len(lines)):] {
		events = append(events, map[string]any{"timestamp": 1, "message": line})
	}
	return http.StatusOK, map[string]any{"events": events, "nextForwardToken": fmt.Sprintf("f/%d", len(lines)), "nextBackwardToken": "b/0"}
}

// TaskOf returns the task of a try; nil for none.
func (s *Service) TaskOf(try *command.Try) *Task {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.tokens[try.Key()]
}

// Tasks returns all tasks.
func (s *Service) Tasks() []*Task {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Collect(maps.Values(s.tasks))
}
