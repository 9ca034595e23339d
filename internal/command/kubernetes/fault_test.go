//go:build unix

package kubernetes

import (
	"bytes"
	"errors"
	"log/slog"
	"net/http"
	"strings"
	"testing"

	"github.com/trowel-project/trowel/internal/command"
	"github.com/trowel-project/trowel/internal/command/commandtest"
	"github.com/trowel-project/trowel/internal/param"
)

type faultCase struct {
	answer, lost func(w http.ResponseWriter, r *fakeRequest) bool
	change       func(pod *param.Map)
	params       *param.Map
	settings     []string
	limits       command.Limits
	during       func(f *fake, r *command.Request)
	exit         int
	kind         string // "LimitError" for one in the status, "config" for a *param.Error
	message      string
	pods         int // that were created
}

// refuseFirst refuses the first requests of a kind.
func refuseFirst(what string, times, status int, message string) func(http.ResponseWriter, *fakeRequest) bool {
	return func(w http.ResponseWriter, r *fakeRequest) bool {
		if r.what != what || times > 0 && r.nth > times {
			return false
		}
		refuseWith(w, status, "", message)
		return true
	}
}

// refuseAfter refuses the requests of a kind after the first ones.
func refuseAfter(what string, times, status int, message string) func(http.ResponseWriter, *fakeRequest) bool {
	return func(w http.ResponseWriter, r *fakeRequest) bool {
		if r.what != what || r.nth <= times {
			return false
		}
		refuseWith(w, status, "", message)
		return true
	}
}

// breakFirst breaks the connection of the first requests of a kind.
func breakFirst(what string, times int) func(http.ResponseWriter, *fakeRequest) bool {
	return func(_ http.ResponseWriter, r *fakeRequest) bool {
		if r.what == what && r.nth <= times {
			panic(http.ErrAbortHandler)
		}
		return false
	}
}

// status sets the status of a pod.
func status(text string) func(*param.Map) {
	return func(pod *param.Map) {
		made, err := param.ParseMap(text)
		if err != nil {
			panic(err)
		}
		pod.Set("status", made)
	}
}

func waiting(reason, message string) func(*param.Map) {
	return status(`{"phase":"Pending","containerStatuses":[{"state":{"waiting":{"reason":"` + reason + `","message":"` + message + `"}}}]}`)
}

func terminated(reason, message, exit string) func(*param.Map) {
	return status(`{"phase":"Failed","containerStatuses":[{"state":{"terminated":{"reason":"` + reason + `","message":"` + message + `","exitCode":` + exit + `}}}]}`)
}

func faultCases() map[string]faultCase {
	const always = 0
	return map[string]faultCase{
		"wrong token":                {settings: []string{"kubernetes.k1.oauth_token", "wrong"}, kind: "runtime", message: "Unauthorized; its token is wrong or has expired"},
		"no right to create":         {answer: refuseFirst("POST pods", always, 403, "pods is forbidden"), kind: "runtime", message: "pods is forbidden; the token's account needs the verbs"},
		"refused pod":                {answer: refuseFirst("POST pods", always, 422, "spec.volumes: Invalid value"), kind: "config", message: "spec.volumes: Invalid value"},
		"too many requests":          {answer: refuseFirst("POST pods", 2, 429, "later"), pods: 1},
		"server fails":               {answer: refuseFirst("POST pods", always, 500, "etcd is away"), kind: "runtime", message: "etcd is away"},
		"answer to creation is lost": {lost: breakFirst("POST pods", 1), pods: 1},
		"creation is never answered": {lost: breakFirst("POST pods", 1), answer: refuseAfter("POST pods", 1, 500, "etcd is away"), kind: "runtime", message: "etcd is away", pods: 1},
		"looks fail for a while":     {answer: refuseFirst("GET pods", 7, 503, "away"), pods: 1},
		"looks are broken off":       {answer: breakFirst("GET pods", 4), pods: 1},
		"half a look": {answer: func(w http.ResponseWriter, r *fakeRequest) bool {
			if r.what != "GET pods" || r.nth > 4 {
				return false
			}
			_, _ = w.Write([]byte(`{"kind":"Po`))
			return true
		}, pods: 1},
		"looks are refused":        {answer: refuseFirst("GET pods", always, 403, "may not get"), kind: "runtime", message: "may not get", pods: 1},
		"logs fail for a while":    {answer: refuseFirst("GET log", 3, 500, "kubelet is away"), pods: 1},
		"logs always fail":         {answer: refuseFirst("GET log", always, 500, "kubelet is away"), kind: "runtime", message: "kubelet is away", pods: 1},
		"delete fails for a while": {answer: refuseFirst("DELETE pods", 4, 500, "away"), pods: 1},
		"image cannot be pulled":   {change: waiting("ImagePullBackOff", "Back-off pulling image busybox"), kind: "runtime", message: "The image busybox of the command cannot be pulled: ImagePullBackOff: Back-off pulling image busybox", pods: 1},
		"wrong name of an image":   {change: waiting("InvalidImageName", "no such name"), kind: "runtime", message: "cannot start: InvalidImageName: no such name", pods: 1},
		"no bash":                  {change: terminated("StartError", "exec: /bin/bash: no such file or directory", "128"), kind: "runtime", message: "The container cannot start: exec: /bin/bash: no such file or directory; its image needs bash, curl and tar", pods: 1},
		"evicted":                  {change: status(`{"phase":"Failed","reason":"Evicted","message":"The node was low on resource: memory."}`), kind: "runtime", message: "was evicted: The node was low on resource: memory.", pods: 1},
		"node is lost":             {change: status(`{"phase":"Failed","reason":"NodeLost","message":"Node n1 is gone"}`), kind: "runtime", message: "has failed: Node n1 is gone", pods: 1},
		"out of memory":            {limits: command.Limits{Memory: 64 << 20}, change: terminated("OOMKilled", "", "137"), kind: "LimitError", message: "The command used more memory than its limit of 64MiB", pods: 1},
		"disk is full": {
			limits: command.Limits{Disk: 1 << 30}, change: status(`{"phase":"Failed","reason":"Evicted","message":"Pod ephemeral local storage usage exceeds the total limit of containers 1Gi."}`),
			kind: "LimitError", message: "The command used more space for files than its limit of 1GiB", pods: 1,
		},
		"deadline": {change: status(`{"phase":"Failed","reason":"DeadlineExceeded","message":"late"}`), kind: "runtime", message: "Pod execution timeout: attempt=3, task=", pods: 1},
		"older than its time": {
			settings: []string{"kubernetes.default_pod_ttl", "1s"}, during: func(*fake, *command.Request) {}, kind: "runtime", message: "Pod execution timeout: attempt=3, task=", pods: 1,
		},
		"deleted from outside": {
			during: func(f *fake, r *command.Request) {
				f.mu.Lock()
				defer f.mu.Unlock()
				delete(f.objects, "/api/v1/namespaces/tasks/pods/"+podName(&r.Try))
			}, kind: "runtime", message: "does not exist any more: something else has deleted it", pods: 1,
		},
		"no image":     {params: param.Of("x", "y"), kind: "config", message: "Parameter 'docker.image' is required but not set"},
		"no namespace": {settings: []string{"kubernetes.k1.namespace", ""}, kind: "config", message: textSettings},
		"no file":      {settings: []string{"kubernetes.k1.kube_config_path", "/nowhere"}, kind: "config", message: textUnreadable},
		"no storage":   {settings: []string{"kubernetes.config_storage.out.type", ""}, kind: "config", message: "kubernetes config_storage must have out.type"},
	}
}

func TestFaults(t *testing.T) {
	t.Parallel()
	for name, c := range faultCases() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := newFake(t)
			f.answer, f.lost, f.change = c.answer, c.lost, c.change
			params := c.params
			if params == nil {
				params = taskParams()
			}
			script := "echo ran"
			if c.during != nil {
				script = "sleep 60"
			}
			var log bytes.Buffer
			r := commandtest.NewRequest(t, &commandtest.Subject{Params: params}, script)
			r.Limits, r.Log = c.limits, slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug}))
			e := f.executor(nil, c.settings...)
			status, err := e.Run(t.Context(), r)
			for first := true; err == nil && !status.Finished; first = false {
				if first && c.during != nil {
					c.during(f, r)
				}
				checkSecrets(t, param.JSON(status.State))
				status, err = e.Poll(t.Context(), r, status.State)
			}
			c.check(t, status, err)
			checkSecrets(t, log.String())
			if f.created != c.pods || f.podOf(&r.Try) != nil {
				t.Errorf("%d pods were created, want %d; there is one = %v", f.created, c.pods, f.podOf(&r.Try) != nil)
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
	checkSecrets(t, message)
}

// checkSecrets checks that a text has neither the token nor a signed URL in it.
func checkSecrets(t *testing.T, text string) {
	t.Helper()
	for _, secret := range []string{"hush-hush-token", "X-Amz-Signature"} {
		if strings.Contains(text, secret) {
			t.Errorf("%q is in %q", secret, text)
		}
	}
}
