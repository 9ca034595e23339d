//go:build unix

package kubernetes

import (
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/trowel-project/trowel/internal/command"
	"github.com/trowel-project/trowel/internal/command/transfer/transfertest"
	"github.com/trowel-project/trowel/internal/param"
)

// fake is an API server. It runs pods as processes of this machine.
type fake struct {
	tb     testing.TB
	bucket *transfertest.Bucket
	server *httptest.Server
	// answer, if it is set, may answer a request in place of the server, and reports whether it did. lost does so after the
	// server has done what was asked.
	answer, lost func(w http.ResponseWriter, r *fakeRequest) bool
	// change changes the document of a pod before it is given.
	change func(pod *param.Map)

	mu      sync.Mutex
	objects map[string]*param.Map // by path
	running map[string]*transfertest.Container
	created int
	counts  map[string]int
}

type fakeRequest struct {
	what string // "POST pods", "GET log"
	nth  int    // of these, from 1
	path string
	body *param.Map
}

func newFake(tb testing.TB) *fake {
	tb.Helper()
	f := &fake{
		tb: tb, bucket: transfertest.NewBucket(tb), objects: map[string]*param.Map{}, running: map[string]*transfertest.Container{}, counts: map[string]int{},
	}
	f.server = httptest.NewTLSServer(f)
	tb.Cleanup(f.server.Close)
	return f
}

func (f *fake) settings(more ...string) map[string]string {
	ca := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: f.server.Certificate().Raw})
	all := map[string]string{
		"kubernetes.name": "k1", "kubernetes.k1.master": f.server.URL, "kubernetes.k1.certs_ca_data": base64.StdEncoding.EncodeToString(ca),
		"kubernetes.k1.oauth_token": "hush-hush-token", "kubernetes.k1.namespace": "tasks",
	}
	f.bucket.Settings(all, "kubernetes.config_storage.in")
	f.bucket.Settings(all, "kubernetes.config_storage.out")
	for i := 0; i+1 < len(more); i += 2 {
		all[more[i]] = more[i+1]
	}
	return all
}

// executor returns an Executor without long pauses.
func (f *fake) executor(log *slog.Logger, more ...string) *Executor {
	e := New(Options{Setting: transfertest.Setting(f.settings(more...)), Log: log})
	const short = 10 * time.Millisecond
	e.times = times{pull: 50 * time.Millisecond, failed: short, again: short}
	return e
}

// ServeHTTP implements http.Handler.
func (f *fake) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Header.Get("Authorization") != "Bearer hush-hush-token" {
		refuseWith(w, http.StatusUnauthorized, "Unauthorized", "Unauthorized")
		return
	}
	data, err := io.ReadAll(r.Body)
	if err != nil {
		f.tb.Error(err)
	}
	request := &fakeRequest{path: r.URL.Path, what: r.Method + " " + lastKind(r.URL.Path)}
	if len(data) > 0 {
		if request.body, err = param.ParseMap(string(data)); err != nil {
			f.tb.Error(err)
		}
	}
	f.mu.Lock()
	f.counts[request.what]++
	request.nth = f.counts[request.what]
	f.mu.Unlock()
	if f.answer != nil && f.answer(w, request) {
		return
	}
	if f.lost != nil {
		recorded := httptest.NewRecorder()
		f.serve(recorded, r.Method, request)
		if f.lost(w, request) {
			return
		}
		w.WriteHeader(recorded.Code)
		_, _ = w.Write(recorded.Body.Bytes())
		return
	}
	f.serve(w, r.Method, request)
}

// lastKind returns what a path is about: "pods", "log".
func lastKind(path string) string {
	parts := strings.Split(path, "/")
	if last := parts[len(parts)-1]; last == "log" || strings.HasSuffix(last, "s") {
		return last
	}
	return parts[len(parts)-2]
}

func refuseWith(w http.ResponseWriter, status int, reason, message string) {
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(map[string]any{"kind": "Status", "status": "Failure", "reason": reason, "message": message, "code": status})
}

func (f *fake) serve(w http.ResponseWriter, method string, r *fakeRequest) {
	f.mu.Lock()
	defer f.mu.Unlock()
	object := f.objects[strings.TrimSuffix(r.path, "/log")]
	name := textAt(r.body, "metadata", "name")
	switch {
	case method == http.MethodPost && f.objects[r.path+"/"+name] != nil:
		refuseWith(w, http.StatusConflict, "AlreadyExists", "pods \""+name+"\" already exists")
		return
	case method == http.MethodPost:
		object = r.body
		f.objects[r.path+"/"+name] = object
		if strings.HasSuffix(r.path, "/pods") {
			f.created++
			mapAt(object, "metadata").Set("creationTimestamp", time.Now().UTC().Format(time.RFC3339))
			f.running[name] = f.run(object)
		}
	case object == nil:
		refuseWith(w, http.StatusNotFound, "NotFound", r.path+" not found")
		return
	case method == http.MethodPut:
		f.objects[r.path] = r.body
	case method == http.MethodDelete:
		delete(f.objects, r.path)
		if c := f.running[textAt(object, "metadata", "name")]; c != nil {
			c.Kill()
		}
	case strings.HasSuffix(r.path, "/log"):
		_, _ = io.WriteString(w, f.running[textAt(object, "metadata", "name")].Output())
		return
	}
	if c := f.running[textAt(object, "metadata", "name")]; c != nil {
		object = f.withStatus(object, c)
	}
	_, _ = w.Write(param.AppendJSON(nil, object))
}

// run runs the container of a pod. Its project is in another folder than that of the test.
func (f *fake) run(pod *param.Map) *transfertest.Container {
	container := first(pod, "spec", "containers")
	var env, args []string
	list, _ := at(container, "env").(param.List)
	for _, one := range list {
		v, _ := one.(*param.Map)
		env = append(env, textAt(v, "name")+"="+expand(textAt(v, "value")))
	}
	for _, key := range []string{"command", "args"} {
		words, _ := at(container, key).(param.List)
		for _, word := range words {
			text, _ := param.AsString(word)
			args = append(args, expand(text))
		}
	}
	dir := f.tb.TempDir()
	project := regexp.MustCompile(`^mkdir -p (\S+)`).FindStringSubmatch(args[2])[1]
	args[2] = strings.ReplaceAll(args[2], project, filepath.Join(dir, "copy"))
	return transfertest.Start(f.tb, dir, env, args...)
}

// expand does what Kubernetes does with a dollar before another one.
func expand(text string) string {
	if strings.Contains(strings.ReplaceAll(text, "$$", ""), "$(") {
		panic("a variable would be expanded in " + text)
	}
	return strings.ReplaceAll(text, "$$", "$")
}

func (f *fake) withStatus(pod *param.Map, c *transfertest.Container) *param.Map {
	phase, state := "Running", param.Of("running", param.Of("startedAt", "2026-01-01T00:00:00Z"))
	if exit, ended := c.Ended(); ended {
		reason := "Completed"
		if phase = "Succeeded"; exit != 0 {
			phase, reason = "Failed", "Error"
		}
		state = param.Of("terminated", param.Of("exitCode", int64(exit), "reason", reason))
	}
	pod = pod.Clone()
	pod.Set("status", param.Of("phase", phase, "containerStatuses", param.List{param.Of("name", "x", "state", state)}))
	if f.change != nil {
		f.change(pod)
	}
	return pod
}

// podOf returns the container of a try's pod; nil if there is no pod.
func (f *fake) podOf(try *command.Try) *transfertest.Container {
	f.mu.Lock()
	defer f.mu.Unlock()
	name := podName(try)
	if f.objects["/api/v1/namespaces/tasks/pods/"+name] == nil {
		return nil
	}
	return f.running[name]
}

// kubeconfigFile writes a file with the access to the server.
func (f *fake) kubeconfigFile() string {
	path := filepath.Join(f.tb.TempDir(), "config")
	all := f.settings()
	text := "apiVersion: v1\nkind: Config\ncurrent-context: here\ncontexts:\n- name: other\n  context: {cluster: x, user: y}\n- name: here\n  context:\n    cluster: c\n    user: u\n    namespace: tasks\n" +
		"clusters:\n- name: c\n  cluster:\n    server: " + all["kubernetes.k1.master"] + "\n    certificate-authority-data: " + all["kubernetes.k1.certs_ca_data"] +
		"\nusers:\n- name: u\n  user: {token: " + all["kubernetes.k1.oauth_token"] + "}\n"
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		f.tb.Fatal(err)
	}
	return path
}
