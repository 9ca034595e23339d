package redis_test

import (
	"bufio"
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"fmt"
	"io"
	"net"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	client "github.com/gomodule/redigo/redis"
	"github.com/google/go-cmp/cmp"

	"github.com/trowel-project/trowel/internal/operator"
	"github.com/trowel-project/trowel/internal/operator/redis"
	"github.com/trowel-project/trowel/internal/secret"
)

var _ operator.ParamServer = (*redis.Server)(nil)

// program returns the path of redis-server, or of a program that replaces it.
func program(t *testing.T) string {
	t.Helper()
	for _, name := range []string{"redis-server", "valkey-server"} {
		if path, err := exec.LookPath(name); err == nil {
			return path
		}
	}
	if os.Getenv("CI") == "true" {
		t.Fatal("redis-server is not on this machine; scripts/setup.sh installs it")
	}
	t.Skip("redis-server is not on this machine")
	return ""
}

// start runs a server until the test ends and returns its port. More arguments of the server come after
// portOption and the port.
func start(t *testing.T, portOption string, more ...string) int {
	t.Helper()
	path := program(t)
	var said string
	for range 5 { // another process may have taken the port meanwhile
		port := freePort(t)
		args := append([]string{portOption, fmt.Sprint(port), "--bind", "127.0.0.1", "--save", "", "--appendonly", "no", "--dir", t.TempDir()}, more...)
		ctx, cancel := context.WithCancel(context.Background())
		server := exec.CommandContext(ctx, path, args...)
		out, err := server.StdoutPipe()
		if err == nil {
			err = server.Start()
		}
		if err != nil {
			cancel()
			t.Fatal(err)
		}
		var ready bool
		if ready, said = waitReady(out); ready {
			t.Cleanup(func() {
				cancel()
				_, _ = io.Copy(io.Discard, out)
				_ = server.Wait()
			})
			return port
		}
		cancel()
		_ = server.Wait()
	}
	t.Fatalf("%s does not start:\n%s", path, said)
	return 0
}

// waitReady reads what a server prints until it is ready, or has ended.
func waitReady(out io.Reader) (ready bool, said string) {
	var text strings.Builder
	lines := bufio.NewScanner(out)
	for lines.Scan() {
		text.WriteString(lines.Text() + "\n")
		if strings.Contains(lines.Text(), "eady to accept connections") {
			return true, ""
		}
	}
	return false, text.String()
}

func freePort(t *testing.T) int {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close() //nolint:errcheck // a test
	return listener.Addr().(*net.TCPAddr).Port
}

func dial(t *testing.T, port int) client.Conn {
	t.Helper()
	conn, err := client.Dial("tcp", fmt.Sprintf("127.0.0.1:%d", port))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	return conn
}

// Operators 6.1: keys and values are Digdag's, in both directions.
func TestSharedWithDigdag(t *testing.T) {
	t.Parallel()
	port := start(t, "--port")
	raw := dial(t, port)
	server := redis.New(redis.Options{Host: "127.0.0.1", Port: port})
	if err := server.SetParams(t.Context(), map[string]string{"k1": "v \"ä\n", "k2": ""}); err != nil {
		t.Fatal(err)
	}
	for key, want := range map[string]string{
		"0:k1": `{"value_type":0,"value":{"value":"v \"ä\n"}}`, "0:k2": `{"value_type":0,"value":{"value":""}}`,
	} {
		if got, err := client.String(raw.Do("GET", key)); err != nil || got != want {
			t.Errorf("%s = %q, error %v, want %q", key, got, err, want)
		}
		if ttl, err := client.Int(raw.Do("TTL", key)); err != nil || ttl > 7776000 || ttl < 7776000-60 {
			t.Errorf("%s lives for %d s, error %v, want 7776000", key, ttl, err)
		}
	}
	if _, err := raw.Do("SET", "0:theirs", `{"value": {"value": "x"}, "value_type": 0}`); err != nil {
		t.Fatal(err)
	}
	got, err := server.FindParams(t.Context(), []string{"k1", "theirs", "none", "k2"})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(map[string]string{"k1": "v \"ä\n", "theirs": "x", "k2": ""}, got); diff != "" {
		t.Errorf("parameters differ (-want +got):\n%s", diff)
	}
}

// Operators 6.1: several keys are all written, or none.
func TestAllOrNothing(t *testing.T) {
	t.Parallel()
	port := start(t, "--port", "--maxmemory", "1", "--maxmemory-policy", "noeviction")
	server := redis.New(redis.Options{Host: "127.0.0.1", Port: port})
	if err := server.SetParams(t.Context(), map[string]string{"a": "1", "b": "2"}); err == nil {
		t.Error("SetParams succeeded on a full server")
	}
	if n, err := client.Int(dial(t, port).Do("DBSIZE")); err != nil || n != 0 {
		t.Errorf("%d keys were written, error %v, want none", n, err)
	}
}

func TestPassword(t *testing.T) {
	t.Parallel()
	port := start(t, "--port", "--requirepass", "hidden")
	for password, ok := range map[string]bool{"hidden": true, "": false, "wrong": false} {
		server := redis.New(redis.Options{Host: "127.0.0.1", Port: port, Password: secret.NewValue(password)})
		if err := server.SetParams(t.Context(), map[string]string{"a": "1"}); (err == nil) != ok {
			t.Errorf("with password %q: %v", password, err)
		}
	}
}

func TestTLS(t *testing.T) {
	t.Parallel()
	made := httptest.NewUnstartedServer(nil)
	made.StartTLS() // for its certificate
	defer made.Close()
	dir := t.TempDir()
	certificate := made.TLS.Certificates[0]
	key, err := x509.MarshalPKCS8PrivateKey(certificate.PrivateKey)
	if err != nil {
		t.Fatal(err)
	}
	write := func(name, kind string, data []byte) string {
		path := filepath.Join(dir, name)
		var text bytes.Buffer
		if err := pem.Encode(&text, &pem.Block{Type: kind, Bytes: data}); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, text.Bytes(), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	port := start(t, "--tls-port", "--port", "0", "--tls-auth-clients", "no",
		"--tls-cert-file", write("cert.pem", "CERTIFICATE", certificate.Certificate[0]), "--tls-key-file", write("key.pem", "PRIVATE KEY", key))
	pool := x509.NewCertPool()
	pool.AddCert(made.Certificate())
	for config, ok := range map[*tls.Config]bool{{RootCAs: pool}: true, nil: false} {
		server := redis.New(redis.Options{Host: "127.0.0.1", Port: port, TLS: true, Config: config})
		if err := server.SetParams(t.Context(), map[string]string{"a": "1"}); (err == nil) != ok {
			t.Errorf("known certificate = %v: %v", ok, err)
		}
	}
}

// Values that are not Digdag's are reported.
func TestForeignValues(t *testing.T) {
	t.Parallel()
	port := start(t, "--port")
	raw := dial(t, port)
	server := redis.New(redis.Options{Host: "127.0.0.1", Port: port})
	for _, text := range []string{"plain", "{}", `{"value":"x"}`, `{"value":{"value":[]}}`} {
		if _, err := raw.Do("SET", "0:a", text); err != nil {
			t.Fatal(err)
		}
		_, err := server.FindParams(t.Context(), []string{"a"})
		if err == nil || !strings.Contains(err.Error(), `value of "a" in Redis`) {
			t.Errorf("%s: error = %v", text, err)
		}
	}
}

func TestNoServer(t *testing.T) {
	t.Parallel()
	server := redis.New(redis.Options{Host: "127.0.0.1", Port: freePort(t), Password: secret.NewValue("hidden")})
	_, err := server.FindParams(t.Context(), []string{"a"})
	if err == nil || strings.Contains(err.Error(), "hidden") || !strings.Contains(err.Error(), "connect to Redis") {
		t.Errorf("error = %v", err)
	}
}
