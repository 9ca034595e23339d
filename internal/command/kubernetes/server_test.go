//go:build linux

package kubernetes

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/base64"
	"encoding/pem"
	"log/slog"
	"math/big"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/trowel-project/trowel/internal/command"
	"github.com/trowel-project/trowel/internal/command/commandtest"
	"github.com/trowel-project/trowel/internal/command/transfer/transfertest"
	"github.com/trowel-project/trowel/internal/param"
)

// envServer names the folder with the programs kube-apiserver and etcd, which `make kubernetes` builds.
const envServer = "TROWEL_KUBERNETES"

// TestServer runs the suite against a real API server.
func TestServer(t *testing.T) { //nolint:tparallel // one server for all
	t.Parallel()
	programs := os.Getenv(envServer)
	if programs == "" {
		t.Skip("needs an API server: make kubernetes")
	}
	s := startServer(t, programs)
	t.Run("suite", func(t *testing.T) { //nolint:paralleltest // the server ends with the test
		commandtest.Run(t, func(tb testing.TB) *commandtest.Subject {
			tb.Helper()
			return &commandtest.Subject{
				Executor: s.executor(nil), Params: taskParams(),
				Running: func(_ testing.TB, try *command.Try) bool { return s.container(podName(try)) != nil },
				Lose:    func(_ testing.TB, try *command.Try) { s.container(podName(try)).Kill() },
				Restart: func(testing.TB) command.Executor { return s.executor(nil) },
				Around: func(line string) bool {
					return strings.HasPrefix(line, "tar: ") || strings.HasPrefix(line, "Wait starting a pod.")
				},
			}
		})
	})
	t.Run("pod with everything", s.testPod) //nolint:paralleltest // as above
	t.Run("refused pod", s.testRefused)     //nolint:paralleltest // as above
}

// server is a real API server with its database, and what stands in for the rest of a cluster.
type server struct {
	url, ca string
	admin   *client
	bucket  *transfertest.Bucket
	tb      testing.TB
	mu      sync.Mutex
	running map[string]*transfertest.Container
}

const (
	adminToken = "token-of-the-admin"
	taskToken  = "token-of-trowel"
)

func (s *server) executor(log *slog.Logger) *Executor {
	all := map[string]string{
		"kubernetes.name": "k1", "kubernetes.k1.master": s.url, "kubernetes.k1.certs_ca_data": base64.StdEncoding.EncodeToString([]byte(s.ca)),
		"kubernetes.k1.oauth_token": taskToken, "kubernetes.k1.namespace": "tasks",
	}
	s.bucket.Settings(all, "kubernetes.config_storage.in")
	s.bucket.Settings(all, "kubernetes.config_storage.out")
	return New(Options{Setting: transfertest.Setting(all), Log: log})
}

// testPod checks that the server takes all that a pod may have.
func (s *server) testPod(t *testing.T) {
	params, err := param.ParseMap(`{"docker":{"image":"busybox"},"kubernetes":{
		"Pod":{"resources":{"requests":{"cpu":"10m"}},"volumeMounts":{"name":"v","mountPath":"/v"},"volumes":{"name":"v","persistentVolumeClaim":{"claimName":"claim"}},
			"affinity":{"nodeAffinity":{}},"tolerations":{"key":"k","operator":"Exists"}},
		"PersistentVolume":{"name":"volume","spec":{"capacity":{"storage":"1Gi"},"accessModes":["ReadWriteOnce"],"hostPath":{"path":"/tmp"}}},
		"PersistentVolumeClaim":{"name":"claim","spec":{"accessModes":["ReadWriteOnce"],"resources":{"requests":{"storage":"1Gi"}}}}}}`)
	if err != nil {
		t.Fatal(err)
	}
	for range 2 { // the second time the volume and the claim are there
		r := commandtest.NewRequest(t, &commandtest.Subject{Params: params}, "echo ran")
		r.Limits = command.Limits{Memory: 1 << 30, CPU: 1.5, Disk: 1 << 30}
		e := s.executor(nil)
		status, err := e.Run(t.Context(), r)
		for err == nil && !status.Finished {
			time.Sleep(50 * time.Millisecond) //nolint:forbidigo // the server has no event for it
			status, err = e.Poll(t.Context(), r, status.State)
		}
		if err != nil || status.ExitCode != 0 {
			t.Fatalf("%+v, %v", status, err)
		}
	}
}

func (s *server) testRefused(t *testing.T) {
	params, err := param.ParseMap(`{"docker":{"image":"busybox"},"kubernetes":{"Pod":{"volumeMounts":[{"name":"none","mountPath":"/v"}]}}}`)
	if err != nil {
		t.Fatal(err)
	}
	_, err = s.executor(nil).Run(t.Context(), commandtest.NewRequest(t, &commandtest.Subject{Params: params}, "true"))
	if err == nil || !strings.Contains(err.Error(), `volumeMounts[0].name: Not found: "none"`) {
		t.Errorf("Run = %v, want what the server says", err)
	}
}

// container returns the container of a pod that the server has; nil for none.
func (s *server) container(pod string) *transfertest.Container {
	if _, err := s.admin.call(context.Background(), http.MethodGet, s.admin.pods()+"/"+pod, nil); err != nil {
		return nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.running[pod]
}

// startServer starts database, server and what stands in for scheduler and kubelet.
func startServer(tb testing.TB, programs string) *server {
	tb.Helper()
	dir := tb.TempDir()
	cert, key := selfSigned(tb)
	write(tb, filepath.Join(dir, "cert.pem"), cert)
	write(tb, filepath.Join(dir, "key.pem"), key)
	write(tb, filepath.Join(dir, "tokens.csv"), adminToken+`,admin,1,"system:masters"`+"\n"+taskToken+",trowel,2\n")
	client1, peer, port := freePort(tb), freePort(tb), freePort(tb)
	etcd := "http://127.0.0.1:" + client1
	start(tb, dir, filepath.Join(programs, "server"), "--data-dir", filepath.Join(dir, "etcd"), "--listen-client-urls", etcd, "--advertise-client-urls", etcd,
		"--listen-peer-urls", "http://127.0.0.1:"+peer, "--initial-advertise-peer-urls", "http://127.0.0.1:"+peer,
		"--initial-cluster", "default=http://127.0.0.1:"+peer, "--unsafe-no-fsync")
	file := func(name string) string { return filepath.Join(dir, name) }
	start(tb, dir, filepath.Join(programs, "kube-apiserver"), "--etcd-servers", etcd, "--secure-port", port, "--bind-address", "127.0.0.1",
		"--tls-cert-file", file("cert.pem"), "--tls-private-key-file", file("key.pem"), "--token-auth-file", file("tokens.csv"), "--authorization-mode", "RBAC",
		"--service-account-issuer", "https://kubernetes.test", "--service-account-key-file", file("key.pem"), "--service-account-signing-key-file", file("key.pem"),
		"--disable-admission-plugins", "ServiceAccount", "--service-cluster-ip-range", "10.0.0.0/24", "--endpoint-reconciler-type", "none",
		"--kubelet-preferred-address-types", "InternalIP")
	s := &server{url: "https://127.0.0.1:" + port, ca: cert, bucket: transfertest.NewBucket(tb), running: map[string]*transfertest.Container{}, tb: tb}
	at := endpoint{server: s.url, ca: cert}
	transport, err := newTransport(&at)
	if err != nil {
		tb.Fatal(err)
	}
	s.admin = &client{
		cluster: &cluster{endpoint: at, token: adminToken, namespace: "tasks"}, http: transport, pause: 100 * time.Millisecond, log: slog.New(slog.DiscardHandler),
	}
	s.prepare()
	ctx, cancel := context.WithCancel(context.Background())
	var kubelet sync.WaitGroup
	kubelet.Go(func() { s.runPods(ctx) })
	tb.Cleanup(func() { cancel(); kubelet.Wait() })
	return s
}

// prepare makes a namespace, a node, and the rights of the account that the documentation names.
func (s *server) prepare() {
	s.tb.Helper()
	deadline := time.Now().Add(time.Minute)
	for {
		_, err := s.admin.call(context.Background(), http.MethodPost, "/api/v1/namespaces", object("Namespace", "tasks"))
		if err == nil || statusOf(err) == http.StatusConflict {
			break
		}
		if time.Now().After(deadline) {
			s.tb.Fatal(err)
		}
		time.Sleep(200 * time.Millisecond) //nolint:forbidigo // the server has no event for it
	}
	rule := func(kinds, verbs string) *param.Map {
		return param.Of("apiGroups", param.List{""}, "resources", words(kinds), "verbs", words(verbs))
	}
	rules := param.List{rule("pods", "create get delete"), rule("pods/log", "get"), rule("persistentvolumes persistentvolumeclaims", "create get update")}
	role := object("ClusterRole", "trowel")
	role.Set("apiVersion", "rbac.authorization.k8s.io/v1")
	role.Set("rules", rules)
	binding := object("ClusterRoleBinding", "trowel")
	binding.Set("apiVersion", "rbac.authorization.k8s.io/v1")
	binding.Set("roleRef", param.Of("apiGroup", "rbac.authorization.k8s.io", "kind", "ClusterRole", "name", "trowel"))
	binding.Set("subjects", param.List{param.Of("kind", "User", "name", "trowel", "apiGroup", "rbac.authorization.k8s.io")})
	s.must(http.MethodPost, "/apis/rbac.authorization.k8s.io/v1/clusterroles", role)
	s.must(http.MethodPost, "/apis/rbac.authorization.k8s.io/v1/clusterrolebindings", binding)
	logs := httptest.NewTLSServer(http.HandlerFunc(s.serveLog))
	s.tb.Cleanup(logs.Close)
	at, err := url.Parse(logs.URL)
	if err != nil {
		s.tb.Fatal(err)
	}
	port, err := strconv.ParseInt(at.Port(), 10, 64)
	if err != nil {
		s.tb.Fatal(err)
	}
	node := s.must(http.MethodPost, "/api/v1/nodes", object("Node", "n1"))
	node.Set("status", param.Of("addresses", param.List{param.Of("type", "InternalIP", "address", "127.0.0.1")},
		"daemonEndpoints", param.Of("kubeletEndpoint", param.Of("Port", port))))
	s.must(http.MethodPut, "/api/v1/nodes/n1/status", node)
}

func (s *server) must(method, path string, body *param.Map) *param.Map {
	s.tb.Helper()
	object, err := s.admin.call(context.Background(), method, path, body)
	if err != nil {
		s.tb.Fatalf("%s %s: %v", method, path, err)
	}
	return object
}

func object(kind, name string) *param.Map {
	return param.Of("apiVersion", "v1", "kind", kind, "metadata", param.Of("name", name))
}

func words(text string) (list param.List) {
	for word := range strings.FieldsSeq(text) {
		list = append(list, word)
	}
	return list
}

// serveLog is the part of a kubelet that the API server asks for logs.
func (s *server) serveLog(w http.ResponseWriter, r *http.Request) {
	parts := strings.Split(r.URL.Path, "/") // /containerLogs/NAMESPACE/POD/CONTAINER
	s.mu.Lock()
	c := s.running[parts[3]]
	s.mu.Unlock()
	if c == nil {
		http.Error(w, "no such container", http.StatusNotFound)
		return
	}
	_, _ = w.Write([]byte(c.Output()))
}

// runPods is a scheduler and a kubelet for all pods.
func (s *server) runPods(ctx context.Context) {
	for ctx.Err() == nil {
		time.Sleep(50 * time.Millisecond) //nolint:forbidigo // the server has no event for it
		list, err := s.admin.call(ctx, http.MethodGet, s.admin.pods(), nil)
		if err != nil {
			continue
		}
		pods, _ := at(list, "items").(param.List)
		for _, one := range pods {
			if pod, ok := one.(*param.Map); ok {
				s.look(ctx, pod)
			}
		}
	}
}

// look does the next thing for a pod.
func (s *server) look(ctx context.Context, pod *param.Map) {
	name := textAt(pod, "metadata", "name")
	path := s.admin.pods() + "/" + name
	s.mu.Lock()
	c := s.running[name]
	s.mu.Unlock()
	switch {
	case textAt(pod, "metadata", "deletionTimestamp") != "":
		if c != nil {
			c.Kill()
		}
		_, _ = s.admin.call(ctx, http.MethodDelete, path, param.Of("apiVersion", "v1", "kind", "DeleteOptions", "gracePeriodSeconds", int64(0)))
	case textAt(pod, "spec", "nodeName") == "":
		binding := object("Binding", name)
		binding.Set("target", param.Of("apiVersion", "v1", "kind", "Node", "name", "n1"))
		_, _ = s.admin.call(ctx, http.MethodPost, path+"/binding", binding)
	case c == nil:
		c = (&fake{tb: s.tb}).run(pod)
		s.mu.Lock()
		s.running[name] = c
		s.mu.Unlock()
	default:
		s.report(ctx, path, pod, c)
	}
}

// report tells the server how a container is, if that is new.
func (s *server) report(ctx context.Context, path string, pod *param.Map, c *transfertest.Container) {
	known := textAt(pod, "status", "phase")
	status := (&fake{tb: s.tb}).withStatus(pod, c)
	if textAt(status, "status", "phase") == known {
		return
	}
	one := first(status, "status", "containerStatuses")
	for key, value := range map[string]param.Value{
		"name": textAt(first(pod, "spec", "containers"), "name"), "image": "busybox", "imageID": "x", "ready": false, "restartCount": int64(0),
	} {
		one.Set(key, value)
	}
	_, _ = s.admin.call(ctx, http.MethodPut, path+"/status", status)
}

// start starts a program that ends with the test.
func start(tb testing.TB, dir string, args ...string) {
	tb.Helper()
	log, err := os.Create(filepath.Join(dir, filepath.Base(args[0])+".log"))
	if err != nil {
		tb.Fatal(err)
	}
	c := exec.Command(args[0], args[1:]...) //nolint:gosec // ends below
	c.Stdout, c.Stderr, c.Dir = log, log, dir
	if err := c.Start(); err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() {
		_ = c.Process.Kill()
		_ = c.Wait()
		_ = log.Close()
		if text, err := os.ReadFile(log.Name()); err == nil && tb.Failed() {
			tb.Logf("%s:\n%s", args[0], text[max(0, len(text)-4000):])
		}
	})
}

func freePort(tb testing.TB) string {
	tb.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		tb.Fatal(err)
	}
	defer l.Close() //nolint:errcheck // nothing was sent
	_, port, err := net.SplitHostPort(l.Addr().String())
	if err != nil {
		tb.Fatal(err)
	}
	return port
}

func write(tb testing.TB, path, text string) {
	tb.Helper()
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		tb.Fatal(err)
	}
}

// selfSigned returns a certificate for 127.0.0.1 and its key.
func selfSigned(tb testing.TB) (cert, key string) {
	tb.Helper()
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		tb.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "kubernetes"}, NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}, IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageDigitalSignature | x509.KeyUsageCertSign,
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &private.PublicKey, private)
	if err != nil {
		tb.Fatal(err)
	}
	encoded, err := x509.MarshalECPrivateKey(private)
	if err != nil {
		tb.Fatal(err)
	}
	block := func(kind string, data []byte) string {
		return string(pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: data}))
	}
	return block("CERTIFICATE", der), block("EC PRIVATE KEY", encoded)
}
