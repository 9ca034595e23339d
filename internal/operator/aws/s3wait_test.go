package aws_test

import (
	"bytes"
	"encoding/base64"
	"io"
	"log/slog"
	"maps"
	"net"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/trowel-project/trowel/internal/operator/aws"
	"github.com/trowel-project/trowel/internal/operator/operatortest"
	"github.com/trowel-project/trowel/internal/param"
)

var keys = map[string]string{"aws.access_key_id": "AK", "aws.secret_access_key": "very-secret"}

// with returns the secrets with more.
func with(more map[string]string) map[string]string {
	all := map[string]string{}
	for _, from := range []map[string]string{keys, more} {
		maps.Copy(all, from)
	}
	return all
}

// waiting returns a task that waits for bucket/key on a server.
func waiting(t *testing.T, address string, more ...any) *operatortest.Fixture {
	t.Helper()
	own := param.Of("s3_wait>", "bucket/a b/key", "endpoint", address, "path_style_access", true)
	own.Merge(param.Of(more...))
	return operatortest.New(t, aws.Table(aws.Options{}), own).Secrets(keys)
}

func TestS3Wait(t *testing.T) {
	t.Parallel()
	looks := 0
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		looks++
		if r.Method != http.MethodHead || r.URL.EscapedPath() != "/bucket/a%20b/key" || r.URL.RawQuery != "versionId=v1" ||
			!strings.Contains(r.Header.Get("Authorization"), "Credential=AK/") || !strings.Contains(r.Header.Get("Authorization"), "/eu-west-3/s3/") {
			t.Errorf("got %s %s %v", r.Method, r.URL, r.Header)
		}
		if looks < 4 {
			w.WriteHeader(http.StatusNotFound)
			return
		}
		conn, buffer, _ := w.(http.Hijacker).Hijack()
		defer func() { _ = conn.Close() }()
		_, _ = io.WriteString(buffer, "HTTP/1.1 200 OK\r\nContent-Length: 42\r\nETag: \"e\"\r\nLast-Modified: Mon, 15 Jan 2024 10:20:30 GMT\r\n"+
			"x-amz-meta-Two-Words: a b\r\nx-AMZ-thing: y\r\nDate: now\r\nServer: s\r\nx-amz-request-id: r\r\nConnection: close\r\n\r\n")
		_ = buffer.Flush()
	}))
	defer server.Close()
	f := waiting(t, server.URL, "version_id", "v1", "region", "eu-west-3")
	var log bytes.Buffer
	f.Request.Log = slog.New(slog.NewTextHandler(&log, nil))
	outcome, pauses, err := f.RunToEnd()
	if err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(log.String(), "The object is not there yet"); n != 1 {
		t.Errorf("said %d times that the object is not there, want once: %s", n, &log)
	}
	if diff := cmp.Diff([]time.Duration{5 * time.Second, 10 * time.Second, 20 * time.Second}, pauses); diff != "" {
		t.Errorf("pauses (-want +got):\n%s", diff)
	}
	want := `{"s3":{"last_object":{"metadata":{"Content-Length":42,"ETag":"e","Last-Modified":1705314030000,"x-AMZ-thing":"y"},"user_metadata":{"Two-Words":"a b"}}}}`
	if diff := cmp.Diff(want, param.JSON(outcome.Result.Store)); diff != "" {
		t.Errorf("stored (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{"s3.last_object"}, outcome.Result.ResetKeys); diff != "" {
		t.Errorf("reset (-want +got):\n%s", diff)
	}
}

// Each of many tasks that wait at once, and share connections, gets the headers of its own object.
func TestS3WaitAtOnce(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("ETag", `"`+strings.TrimPrefix(r.URL.Path, "/bucket/")+`"`)
	}))
	defer server.Close()
	table := aws.Table(aws.Options{})
	var group sync.WaitGroup
	for i := range 32 {
		key := "key-" + strconv.Itoa(i)
		f := operatortest.New(t, table, param.Of("s3_wait>", "bucket/"+key, "endpoint", server.URL, "path_style_access", true)).Secrets(keys)
		group.Go(func() {
			for range 20 {
				outcome, err := f.Run()
				if err != nil || outcome.Again != nil {
					t.Errorf("%s: %+v, %v", key, outcome.Again, err)
					return
				}
				if got := param.JSON(outcome.Result.Store); !strings.Contains(got, `"`+key+`"`) {
					t.Errorf("%s: stored %s", key, got)
					return
				}
			}
		})
	}
	group.Wait()
}

// A busy or silent service is waited out: four requests in one run, and then more in later ones. A refusal fails the task.
func TestS3WaitFaults(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		status, looks int
		want          string
	}{
		"forbidden":    {403, 1, "Forbidden (Service: Amazon S3; Status Code: 403; Error Code: 403 Forbidden; Request ID: r; S3 Extended Request ID: i) (amazon s3)"},
		"bad request":  {400, 1, "Bad Request (Service: Amazon S3; Status Code: 400; Error Code: 400 Bad Request; Request ID: r; S3 Extended Request ID: i) (amazon s3)"},
		"other region": {301, 1, "Moved Permanently (Service: Amazon S3; Status Code: 301; Error Code: 301 Moved Permanently; Request ID: r; S3 Extended Request ID: i) (amazon s3)"},
		"too many":     {429, 6, ""},
		"trouble":      {500, 6, ""},
		"timeout":      {408, 6, ""},
		"silence":      {0, 6, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			looks := 0
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				looks++
				w.Header().Set("x-amz-request-id", "r")
				w.Header().Set("x-amz-id-2", "i")
				switch {
				case c.want == "" && looks == 6:
				case c.status == 0:
					panic(http.ErrAbortHandler)
				default:
					w.WriteHeader(c.status)
				}
			}))
			defer server.Close()
			f := waiting(t, server.URL)
			_, pauses, err := f.RunToEnd()
			if diff := cmp.Diff(c.want, operatortest.Message(err)); diff != "" {
				t.Errorf("error (-want +got):\n%s", diff)
			}
			if looks != c.looks {
				t.Errorf("%d requests, want %d", looks, c.looks)
			}
			if c.want == "" && len(pauses) != 1 {
				t.Errorf("pauses %v, want one after four requests", pauses)
			}
			if text := operatortest.Message(err) + f.Output.String() + param.JSON(f.State); strings.Contains(text, "very-secret") {
				t.Errorf("the secret is in %s", text)
			}
		})
	}
}

// Without the keys, and with wrong options, the task fails before a request.
func TestS3WaitErrors(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		own     *param.Map
		secrets map[string]string
		want    string
	}{
		{param.Of("s3_wait>", "a/b"), nil, "Secret not found for key: 'aws.access_key_id' (secret not found)"},
		{param.Of("s3_wait>", "a/b"), map[string]string{"aws.s3.access_key_id": "x"}, "Secret not found for key: 'aws.secret_access_key' (secret not found)"},
		{param.Of("s3_wait>", "a/b", "key", "c"), keys, "Either the s3_wait operator command or both 'bucket' and 'key' parameters must be set (config)"},
		{param.Of("s3_wait>", nil, "bucket", "c"), keys, "Either the s3_wait operator command or both 'bucket' and 'key' parameters must be set (config)"},
		{param.Of("s3_wait>", "a"), keys, "Illegal s3 path: a (config)"},
		{param.Of("s3_wait>", "a/b", "region", "x"), keys, "Illegal AWS region: x (config)"},
		{param.Of("s3_wait>", "a/b"), with(map[string]string{"aws.region": "x"}), "Illegal AWS region: x (config)"},
		{param.Of("s3_wait>", "a/b"), with(map[string]string{"aws.s3.sse_c_key": "?"}), "The secret 'aws.s3.sse_c_key' must be a key in base64 (config)"},
	} {
		_, err := operatortest.New(t, aws.Table(aws.Options{}), c.own).Secrets(c.secrets).Run()
		if got := operatortest.Message(err); got != c.want {
			t.Errorf("%s: %q, want %q", param.JSON(c.own), got, c.want)
		}
	}
}

func TestS3WaitTimeout(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(http.NotFoundHandler())
	defer server.Close()
	long := param.Of("EXISTS", param.Of("start_time", "2024-01-01T00:00:00.000Z", "iteration", 3))
	f := waiting(t, server.URL, "timeout", "1h")
	f.State = long
	if _, err := f.Run(); operatortest.Message(err) != "Timeout happened (polling timeout)" {
		t.Errorf("got %v", err)
	}
	f = waiting(t, server.URL, "timeout", "1h", "continue_on_timeout", true)
	f.State = long
	outcome, err := f.Run()
	if err != nil || outcome.Again != nil || param.JSON(outcome.Result.Store) != `{"s3":{}}` {
		t.Errorf("got %+v, %v", outcome, err)
	}
}

// The key of the object's owner is sent with its algorithm and digest.
func TestS3WaitCustomerKey(t *testing.T) {
	t.Parallel()
	got := http.Header{}
	server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { got = r.Header }))
	defer server.Close()
	key := base64.StdEncoding.EncodeToString([]byte("0123456789abcdef0123456789abcdef"))
	f := waiting(t, server.URL).Secrets(with(map[string]string{"aws.s3.sse_c_key": key}))
	if _, err := f.Run(); err != nil {
		t.Fatal(err)
	}
	const prefix = "X-Amz-Server-Side-Encryption-Customer-"
	if got.Get(prefix+"Key") != key || got.Get(prefix+"Algorithm") != "AES256" || got.Get(prefix+"Key-Md5") != "hRasmdxgYDKV3nvbahU1MA==" {
		t.Errorf("headers %v", got)
	}
}

// Requests go through the proxy of the environment, with its credentials: a CONNECT for TLS, and the whole address otherwise.
func TestProxy(t *testing.T) {
	t.Parallel()
	var connects, plains atomic.Int32
	want := "Basic " + base64.StdEncoding.EncodeToString([]byte("me:p w"))
	proxy := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case r.Header.Get("Proxy-Authorization") != want:
			w.WriteHeader(http.StatusProxyAuthRequired)
		case r.Method == http.MethodConnect && r.Host == "bucket.s3.eu-west-1.amazonaws.com:443":
			connects.Add(1)
			w.WriteHeader(http.StatusBadGateway)
		case r.URL.Host == "store.example:9000":
			plains.Add(1)
		}
	}))
	defer proxy.Close()
	env := func(address string) func(string) (string, bool) {
		return func(name string) (string, bool) { return address, name == "http_proxy" }
	}
	at := "http://me:p%20w@" + strings.TrimPrefix(proxy.URL, "http://")
	plain := operatortest.New(t, aws.Table(aws.Options{Env: env(at)}), param.Of("s3_wait>", "bucket/key", "endpoint", "http://store.example:9000", "path_style_access", true)).Secrets(keys)
	if _, err := plain.Run(); err != nil || plains.Load() != 1 {
		t.Errorf("without TLS: error %v, %d requests", err, plains.Load())
	}
	secure := operatortest.New(t, aws.Table(aws.Options{Env: env(at)}), param.Of("s3_wait>", "bucket/key", "region", "eu-west-1")).Secrets(keys)
	outcome, err := secure.Run()
	if err != nil || outcome.Again == nil || !strings.Contains(outcome.Again.Cause.Error(), "the proxy answered 502") || connects.Load() != 4 {
		t.Errorf("with TLS: %+v, error %v, %d requests", outcome.Again, err, connects.Load())
	}
	if strings.Contains(outcome.Again.Cause.Error(), "p%20w") || strings.Contains(outcome.Again.Cause.Error(), "p w") {
		t.Errorf("the password is in %v", outcome.Again.Cause)
	}
}

// A service that takes the connection and says nothing is given up after a while; here the task is killed first.
func TestKilledWhileLooking(t *testing.T) {
	t.Parallel()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = listener.Close() }()
	ctx, kill := contextFor(t, 100*time.Millisecond)
	defer kill()
	began := time.Now()
	outcome, err := waiting(t, "http://"+listener.Addr().String()).RunContext(ctx)
	if err == nil || outcome.Again != nil || time.Since(began) > 5*time.Second {
		t.Errorf("got %+v, %v after %s", outcome.Again, err, time.Since(began))
	}
}
