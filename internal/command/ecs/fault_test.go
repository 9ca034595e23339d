//go:build unix

package ecs

import (
	"bytes"
	"errors"
	"log/slog"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/trowel-project/trowel/internal/command"
	"github.com/trowel-project/trowel/internal/command/commandtest"
	"github.com/trowel-project/trowel/internal/command/ecs/ecstest"
	"github.com/trowel-project/trowel/internal/param"
)

// until answers the first requests of an operation.
func until(operation string, times, status int, body any) func(*ecstest.Request) *ecstest.Answer {
	return func(r *ecstest.Request) *ecstest.Answer {
		if r.Operation != operation || times > 0 && r.Nth > times {
			return nil
		}
		return &ecstest.Answer{Status: status, Body: body}
	}
}

// lose loses the answers to the first requests of an operation.
func lose(operation string, times int) func(*ecstest.Request) error {
	return func(r *ecstest.Request) error {
		if r.Operation == operation && (times == 0 || r.Nth <= times) {
			return ecstest.ErrLost
		}
		return nil
	}
}

// regionParams names a cluster in a region.
func regionParams(region string) *param.Map {
	return param.Merged(taskParams(), param.Of(clusterParam, param.Of("cluster_name", "c1", "region", region)))
}

type faultCase struct {
	answer   func(*ecstest.Request) *ecstest.Answer
	lost     func(*ecstest.Request) error
	settings []string
	params   *param.Map
	fake     func(*ecstest.Service)
	limits   command.Limits
	during   func(f *ecstest.Service, r *command.Request) // once the task is there
	exit     int
	message  string // of the status, or a part of the error
	kind     string // of the error: "config" for a *param.Error, "LimitError" for one in the status; empty for none
	tasks    int    // of ECS
	stopped  bool
}

func faultCases() map[string]faultCase {
	const always = 0
	return map[string]faultCase{
		"no right to submit": {answer: until("RunTask", always, 400, ecstest.Refuse("AccessDeniedException", "You may not.")), kind: "config", message: "Task failed during the task submission: You may not."},
		"no cluster":         {answer: until("RunTask", always, 400, ecstest.Refuse("ClusterNotFoundException", "Cluster not found.")), kind: "config", message: "Cluster not found."},
		"wrong keys":         {answer: until("DescribeTaskDefinition", always, 403, ecstest.Refuse("UnrecognizedClientException", "The security token is invalid.")), kind: "unrecognized client", message: "The security token is invalid."},
		"no definition":      {answer: until("DescribeTaskDefinition", always, 400, ecstest.Refuse("ClientException", "Unable to describe task definition.")), kind: "client", message: "Unable to describe task definition. (Service: AmazonECS; Status Code: 400; Error Code: ClientException; Request ID: request-1)"},
		"two containers": {
			answer: until("DescribeTaskDefinition", always, 200, `{"taskDefinition":{"taskDefinitionArn":"arn:td:1","containerDefinitions":[{"name":"a"},{"name":"b"}]}}`),
			kind:   "config", message: "Task definition must not have multiple container definitions: arn:td:1",
		},
		"throttled submission":       {answer: until("RunTask", 30, 400, ecstest.Refuse("ThrottlingException", "Rate exceeded")), tasks: 1},
		"too many requests":          {answer: until("RunTask", 5, 429, "slow down"), tasks: 1},
		"submission fails for good":  {answer: until("RunTask", always, 500, ecstest.Refuse("ServerException", "Service unavailable.")), kind: "server", message: "Service unavailable."},
		"submission fails once":      {answer: until("RunTask", 1, 503, ""), tasks: 1},
		"half an answer":             {answer: until("RunTask", 1, 200, `{"tasks":[{"taskArn":"arn:aw`), tasks: 1},
		"submission without answer":  {lost: lose("RunTask", 2), tasks: 1},
		"agent of a machine is away": {answer: until("RunTask", 1, 200, `{"tasks":[],"failures":[{"reason":"AGENT"}]}`), tasks: 1},
		"agents are always away":     {answer: until("RunTask", always, 200, `{"failures":[{"reason":"AGENT","arn":"arn:m"}]}`), kind: "runtime", message: "ECS has not started the task: AGENT on arn:m"},
		"no room":                    {answer: until("RunTask", always, 200, `{"failures":[{"reason":"RESOURCE:MEMORY"}]}`), kind: "runtime", message: "RESOURCE:MEMORY"},
		"looks fail for a while":     {answer: until("DescribeTasks", 8, 500, ""), tasks: 1},
		"half of a look":             {answer: until("DescribeTasks", 4, 200, `{"tasks":[{"ta`), tasks: 1},
		"looks are refused":          {answer: until("DescribeTasks", always, 400, ecstest.Refuse("AccessDeniedException", "You may not look.")), kind: "access denied", message: "You may not look.", tasks: 1, stopped: true},
		"output fails for a while":   {answer: until("GetLogEvents", 5, 500, ""), tasks: 1},
		"output always fails":        {answer: until("GetLogEvents", always, 500, "no answer"), kind: "runtime", message: "500", tasks: 1, stopped: true},
		"task is not known any more": {answer: until("DescribeTasks", always, 200, `{"tasks":[],"failures":[{"reason":"MISSING"}]}`), kind: "runtime", message: "ECS does not know the task of the command any more: arn:aws:ecs:us-east-1:1:task/c1/id1", tasks: 1},
		"no log driver":              {fake: func(f *ecstest.Service) { f.Logging = false }, tasks: 1},
		"container cannot start": {
			during: func(f *ecstest.Service, r *command.Request) {
				task := f.TaskOf(&r.Try)
				task.Container.Kill()
				task.NoExit, task.Reason = true, "CannotPullContainerError: no such image"
			}, exit: 1, message: "CannotPullContainerError: no such image", tasks: 1,
		},
		"out of memory": {
			limits: command.Limits{Memory: 256 << 20, CPU: 0.5},
			during: func(f *ecstest.Service, r *command.Request) {
				task := f.TaskOf(&r.Try)
				task.Container.Kill()
				task.Reason = "OutOfMemoryError: Container killed due to memory usage"
			}, kind: "LimitError", message: "The command used more memory than its limit of 256MiB", tasks: 1,
		},
		"files cannot be fetched for a while": {fake: func(f *ecstest.Service) {
			var refused atomic.Int32
			hook := func(w http.ResponseWriter, r *http.Request) bool {
				if r.Method != http.MethodGet || !strings.Contains(r.URL.Path, "output") || refused.Add(1) > 8 {
					return false
				}
				w.WriteHeader(http.StatusServiceUnavailable)
				return true
			}
			f.Bucket.Answer.Store(&hook)
		}, tasks: 1},
		"region with an address": {params: regionParams("x.example/"), kind: "config", message: "Illegal AWS region: x.example/"},
		"image is not tagged": {
			fake:   func(*ecstest.Service) {},
			answer: until("ListTaskDefinitions", always, 200, `{"taskDefinitionArns":[]}`), settings: []string{"image", "alpine"},
			kind: "config", message: "Not found task definition with 'digdag.docker.image' tag: alpine",
		},
	}
}

func TestFaults(t *testing.T) {
	t.Parallel()
	for name, c := range faultCases() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := ecstest.Start(t)
			f.Answer, f.Lost = c.answer, c.lost
			if c.fake != nil {
				c.fake(f)
			}
			var log bytes.Buffer
			params := taskParams()
			if len(c.settings) > 0 {
				params = param.Of("docker", param.Of("image", c.settings[1]))
			}
			if c.params != nil {
				params = c.params
			}
			script := "echo ran"
			if c.during != nil {
				script = "sleep 60"
			}
			r := commandtest.NewRequest(t, &commandtest.Subject{Params: params}, script)
			r.Limits, r.Log = c.limits, slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug}))
			e := executorOf(f, nil)
			status, err := e.Run(t.Context(), r)
			for first := true; err == nil && !status.Finished; first = false {
				if first && c.during != nil {
					c.during(f, r)
				}
				checkSecrets(t, param.JSON(status.State))
				status, err = e.Poll(t.Context(), r, status.State)
			}
			c.check(t, status, err)
			if len(f.Tasks()) != c.tasks {
				t.Errorf("ECS has %d tasks, want %d", len(f.Tasks()), c.tasks)
			}
			for _, task := range f.Tasks() {
				if task.Stopped != c.stopped {
					t.Errorf("stopped = %v", task.Stopped)
				}
			}
			checkSecrets(t, log.String())
			if err != nil {
				checkSecrets(t, err.Error())
			}
		})
	}
}

func (c *faultCase) check(t *testing.T, status command.Status, err error) {
	t.Helper()
	kind, message := "", status.Message
	wrong, isConfig := errors.AsType[*param.Error](err)
	refused, isKnown := errors.AsType[*command.Error](err)
	switch {
	case isConfig:
		kind, message = "config", wrong.Message
	case isKnown:
		kind, message = refused.Kind, refused.Message
	case err != nil:
		kind, message = "runtime", err.Error()
	case status.Exceeded != nil:
		kind, message = "LimitError", status.Exceeded.Error()
	case status.ExitCode != c.exit:
		t.Errorf("exit code = %d, want %d", status.ExitCode, c.exit)
	}
	if kind != c.kind || !strings.Contains(message, c.message) {
		t.Errorf("%s: %q, want %s: %q", kind, message, c.kind, c.message)
	}
}

// checkSecrets checks that a text has neither a key nor a signed URL in it.
func checkSecrets(t *testing.T, text string) {
	t.Helper()
	for _, secret := range []string{"hush-hush-secret", "X-Amz-Signature"} {
		if strings.Contains(text, secret) {
			t.Errorf("%q is in %q", secret, text)
		}
	}
}
