package operator_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/trowel-project/trowel/internal/operator"
	"github.com/trowel-project/trowel/internal/param"
	"github.com/trowel-project/trowel/internal/secret"
)

// secretMap has exactly these secrets.
type secretMap map[string]string

func (m secretMap) Find(_ context.Context, key string) (secret.Value, bool, error) {
	text, found := m[key]
	return secret.NewValue(text), found, nil
}

// recorded is a request that a server got.
type recorded struct {
	Method, URI, Body string
	Header            http.Header
}

// site is an HTTP server that keeps its requests. It answers /status/CODE with that status, /to/CODE?URI
// and /loop with a redirect, /text with a text, and everything else with an empty response.
type site struct {
	*httptest.Server
	mu   sync.Mutex
	seen []recorded
}

func newSite(t *testing.T, start func(http.Handler) *httptest.Server) *site {
	t.Helper()
	s := &site{}
	s.Server = start(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		s.mu.Lock()
		s.seen = append(s.seen, recorded{r.Method, r.RequestURI, string(body), r.Header})
		s.mu.Unlock()
		s.answer(w, r)
	}))
	t.Cleanup(s.Close)
	return s
}

func (*site) answer(w http.ResponseWriter, r *http.Request) {
	var code int
	switch {
	case strings.HasPrefix(r.URL.Path, "/status/"):
		_, _ = fmt.Sscanf(r.URL.Path, "/status/%d", &code)
		w.WriteHeader(code)
		_, _ = io.WriteString(w, r.URL.RawQuery)
	case strings.HasPrefix(r.URL.Path, "/to/"):
		_, _ = fmt.Sscanf(r.URL.Path, "/to/%d", &code)
		w.Header().Set("Location", r.URL.RawQuery)
		w.WriteHeader(code)
	case strings.HasPrefix(r.URL.Path, "/text"):
		if kind := r.URL.Query().Get("type"); kind != "" {
			w.Header().Set("Content-Type", kind)
		} else {
			w.Header()["Content-Type"] = nil
		}
		_, _ = io.WriteString(w, r.URL.Query().Get("text"))
	case r.URL.Path == "/loop":
		w.Header().Set("Location", "/loop")
		w.WriteHeader(http.StatusFound)
	case r.URL.Path == "/hang":
		<-r.Context().Done()
	}
}

func (s *site) last(t *testing.T) recorded {
	t.Helper()
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.seen) == 0 {
		t.Fatal("the server got no request")
	}
	return s.seen[len(s.seen)-1]
}

// web makes a task of http> with options. SITE in its texts stands for the site.
func web(t *testing.T, s *site, options operator.HTTPOptions, own *param.Map) *fixture {
	t.Helper()
	text := strings.ReplaceAll(param.JSON(own), "SITE", s.URL)
	own, err := param.ParseMap(text)
	if err != nil {
		t.Fatal(err)
	}
	f := newFixture(t, own)
	f.Request.Secrets = secretMap{}
	f.Table = operator.Core(operator.Options{HTTP: options})
	return f
}

// Operators 5.1: what is sent.
func TestHTTPRequest(t *testing.T) {
	t.Parallel()
	s := secretMap{"k": "s&3", "http.user": "ann", "http.password": "pw"}
	basic := []string{"Basic YW5uOnB3"}
	for _, c := range []struct {
		name    string
		own     *param.Map
		secrets secretMap
		want    recorded
		headers map[string][]string
	}{
		{name: "plain", own: param.Of("http>", "SITE/a%20b?c=d%2f&e"), want: recorded{Method: "GET", URI: "/a%20b?c=d%2f&e"}},
		{name: "not ASCII", own: param.Of("http>", "SITE/ä?ö"), want: recorded{Method: "GET", URI: "/%C3%A4?%C3%B6"}},
		{
			name: "query", own: param.Of("http>", "SITE/x?a=b", "query", param.Of("n1", "v1", "n2", "v &?2", "n3", 5, "n4", true, "*~", nil)),
			want: recorded{Method: "GET", URI: "/x?a=b&n1=v1&n2=v+%26%3F2&n3=5&n4=true&*%7E=null"},
		},
		{
			name: "query as JSON", own: param.Of("http>", "SITE/x", "query", `{"b": "1", "a": "${secret:k}"}`), secrets: s,
			want: recorded{Method: "GET", URI: "/x?b=1&a=s%263"}, headers: map[string][]string{"Authorization": basic},
		},
		{name: "query as text", own: param.Of("http>", "SITE", "query", "b=%20x&a&&c=ä"), want: recorded{Method: "GET", URI: "/?b=+x&a=&c=%C3%A4"}},
		{
			name: "text", own: param.Of("http>", "SITE/", "method", "post", "content", "hé"),
			want: recorded{Method: "POST", URI: "/", Body: "hé"}, headers: map[string][]string{"Content-Type": {"plain/text"}},
		},
		{
			name: "number", own: param.Of("http>", "SITE/", "method", "PUT", "content", 1.5),
			want: recorded{Method: "PUT", URI: "/", Body: "1.5"}, headers: map[string][]string{"Content-Type": {"plain/text"}},
		},
		{
			name: "text as JSON", own: param.Of("http>", "SITE/", "method", "POST", "content", "a\"", "content_format", "JSON", "content_type", "x/y"),
			want: recorded{Method: "POST", URI: "/", Body: `"a\""`}, headers: map[string][]string{"Content-Type": {"x/y"}},
		},
		{
			name:    "object with secrets",
			own:     param.Of("http>", "SITE/", "method", "POST", "content", param.Of("${secret:k}", param.List{"${secret:k}", nil, int64(1)})),
			secrets: s, want: recorded{Method: "POST", URI: "/", Body: `{"s&3":["s&3",null,1]}`},
			headers: map[string][]string{"Content-Type": {"application/json"}, "Authorization": basic},
		},
		{
			name: "form",
			own: param.Of("http>", "SITE/", "method", "POST", "content", param.Of("b", "x y", "a", "${secret:k}"), "content_format", "form",
				"content_type", "not/heeded"),
			secrets: s, want: recorded{Method: "POST", URI: "/", Body: "b=x+y&a=s%263"},
			headers: map[string][]string{"Content-Type": {"application/x-www-form-urlencoded"}, "Authorization": basic},
		},
		{name: "null content", own: param.Of("http>", "SITE/", "content", nil), want: recorded{Method: "GET", URI: "/"}},
		{
			name: "headers",
			own: param.Of("http>", "SITE/", "headers", param.List{
				param.Of("X-A", "1"), param.Of("X-A", "1"), param.Of("X-A", 2), param.Of("x-${secret:n}", "${secret:v}"), param.Of("User-Agent", "me"),
			}),
			secrets: secretMap{"n": "b", "v": "w"}, want: recorded{Method: "GET", URI: "/"},
			headers: map[string][]string{"X-A": {"1", "2"}, "X-B": {"w"}, "User-Agent": {"me"}},
		},
		{
			name: "user agent", own: param.Of("http>", "SITE/"), want: recorded{Method: "GET", URI: "/"},
			headers: map[string][]string{"User-Agent": {"Agent/9 Go-http-client/1.1"}},
		},
		{
			name: "authorization before user", own: param.Of("http>", "SITE/"), want: recorded{Method: "GET", URI: "/"},
			secrets: secretMap{"http.authorization": "Bearer x", "http.user": "ann"}, headers: map[string][]string{"Authorization": {"Bearer x"}},
		},
		{
			name: "user without password", own: param.Of("http>", "SITE/"), want: recorded{Method: "GET", URI: "/"},
			secrets: secretMap{"http.user": "ann"}, headers: map[string][]string{"Authorization": {"Basic YW5uOg=="}},
		},
		{
			name: "section", own: param.Of("http>", "SITE/", "http", param.Of("method", "DELETE")), want: recorded{Method: "DELETE", URI: "/"},
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			server := newSite(t, httptest.NewServer)
			f := web(t, server, operator.HTTPOptions{UserAgent: "Agent/9"}, c.own)
			f.Request.Secrets = c.secrets
			outcome, err := f.Run()
			if err != nil {
				t.Fatal(err)
			}
			if got := param.JSON(outcome.Result.Store); got != `{"http":{"last_status":200}}` {
				t.Errorf("stored = %s", got)
			}
			got := server.last(t)
			for name, want := range c.headers {
				if diff := cmp.Diff(want, got.Header[name]); diff != "" {
					t.Errorf("header %s differs (-want +got):\n%s", name, diff)
				}
			}
			got.Header = nil
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("request differs (-want +got):\n%s", diff)
			}
		})
	}
}

// Operators 5.1: how it ends.
func TestHTTPOutcome(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("x", 201)
	for _, c := range []struct {
		name, message, stored string
		own                   *param.Map
		again                 time.Duration // with the cause in message
		state, next           *param.Map
	}{
		{name: "no content", own: param.Of("http>", "SITE/status/204"), stored: `{"http":{"last_status":204}}`},
		{name: "304", own: param.Of("http>", "SITE/status/304"), stored: `{"http":{"last_status":304}}`},
		{name: "redirect", own: param.Of("http>", "SITE/to/302?/status/201"), stored: `{"http":{"last_status":201}}`},
		{
			name: "redirect not followed", own: param.Of("http>", "SITE/to/302?/status/201", "follow_redirects", false),
			stored: `{"http":{"last_status":302}}`,
		},
		{
			name: "redirects without end", own: param.Of("http>", "SITE/loop", "retry", false),
			message: "Unexpected HTTP status: GET SITE/loop - 302 Found: ",
		},
		{
			name: "client error", own: param.Of("http>", "SITE/status/404?what"),
			message: "HTTP 4XX Client Error: GET SITE/status/404?what - 404 Not Found: what",
		},
		{
			name: "long body", own: param.Of("http>", "SITE/status/404?"+long),
			message: "HTTP 4XX Client Error: GET SITE/status/404?" + long + " - 404 Not Found: " + long[:197] + "...",
		},
		{
			name: "too long body", own: param.Of("http>", "SITE/status/404?"+long+long),
			message: "HTTP 4XX Client Error: GET SITE/status/404?" + long + long + " - 404 Not Found: (too long response body)",
		},
		{
			name: "server error of POST", own: param.Of("http>", "SITE/status/503", "method", "POST"),
			message: "HTTP 5XX Server Error: POST SITE/status/503 - 503 Service Unavailable: ",
		},
		{
			name: "server error of GET", own: param.Of("http>", "SITE/status/503"), again: time.Second,
			message: "HTTP 5XX Server Error: GET SITE/status/503 - 503 Service Unavailable: ", next: param.Of("request", param.Of("retry", 1)),
		},
		{
			name: "later retry", own: param.Of("http>", "SITE/status/500"), again: 16 * time.Second,
			state: param.Of("x", 1, "request", param.Of("retry", 4)), next: param.Of("x", 1, "request", param.Of("retry", 5)),
			message: "HTTP 5XX Server Error: GET SITE/status/500 - 500 Internal Server Error: ",
		},
		{
			name: "much later", own: param.Of("http>", "SITE/status/500"), again: 30 * time.Second,
			state: param.Of("request", param.Of("retry", 99)), next: param.Of("request", param.Of("retry", 100)),
			message: "HTTP 5XX Server Error: GET SITE/status/500 - 500 Internal Server Error: ",
		},
		{
			name: "too many requests", own: param.Of("http>", "SITE/status/429", "retry", false), again: time.Second,
			message: "HTTP 4XX Client Error: GET SITE/status/429 - 429 Too Many Requests: ", next: param.Of("request", param.Of("retry", 1)),
		},
		{
			name: "_retry of a deliberate failure", own: param.Of("http>", "SITE/status/404", "_retry", 3),
			message: "HTTP 4XX Client Error: GET SITE/status/404 - 404 Not Found: ", next: param.Of("retry_count", 1),
		},
		{
			name: "content", own: param.Of("http>", "SITE/text?text=caf%C3%A9", "store_content", true),
			stored: `{"http":{"last_status":200,"last_content":"café"}}`,
		},
		{
			name: "charset", own: param.Of("http>", "SITE/text?text=%83e&type=text/plain%3Bcharset=shift_jis", "store_content", true),
			stored: `{"http":{"last_status":200,"last_content":"テ"}}`,
		},
		{
			name: "unknown charset", own: param.Of("http>", "SITE/text?text=x&type=text/plain%3Bcharset=klingon", "store_content", true),
			message: "klingon (unsupported charset)",
		},
		{
			name: "content just fits", own: param.Of("http>", "SITE/text?text="+long[:200]+"é", "store_content", true),
			stored: `{"http":{"last_status":200,"last_content":"` + long[:200] + `é"}}`,
		},
		{
			name: "content too large", own: param.Of("http>", "SITE/text?text="+long+"é", "store_content", true),
			message: "Response content too large: 202 > 201",
		},
		{
			name: "timeout", own: param.Of("http>", "SITE/hang", "timeout", 1, "retry", false),
			message: "Total timeout 1000 ms elapsed (timeout)",
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			server := newSite(t, httptest.NewServer)
			f := web(t, server, operator.HTTPOptions{MaxStoredSize: 201}, c.own)
			f.State = c.state
			outcome, err := f.Run()
			if again := outcome.Again; again != nil {
				err = again.Cause
				if again.After != c.again {
					t.Errorf("again after %v, want %v", again.After, c.again)
				}
				if diff := cmp.Diff(param.JSON(c.next), param.JSON(again.State)); diff != "" {
					t.Errorf("state differs (-want +got):\n%s", diff)
				}
			} else if c.next != nil {
				t.Error("the task is not run again")
			}
			if got := strings.ReplaceAll(message(err), server.URL, "SITE"); got != c.message {
				t.Errorf("message = %q, want %q", got, c.message)
			}
			if c.stored != "" && param.JSON(outcome.Result.Store) != c.stored {
				t.Errorf("stored = %s, want %s", param.JSON(outcome.Result.Store), c.stored)
			}
		})
	}
}

// Operators 1.10: what an earlier request stored is removed.
func TestHTTPResets(t *testing.T) {
	t.Parallel()
	server := newSite(t, httptest.NewServer)
	for content, want := range map[bool][]string{false: {"http.last_status"}, true: {"http.last_status", "http.last_content"}} {
		outcome, err := web(t, server, operator.HTTPOptions{}, param.Of("http>", "SITE/", "store_content", content)).Run()
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, outcome.Result.ResetKeys); diff != "" {
			t.Errorf("store_content: %v: ResetKeys differ (-want +got):\n%s", content, diff)
		}
	}
}

// Operators 5.1: mistakes in options. Those that are found early are not repeated (1.12).
func TestHTTPMistakes(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, message string
		own           *param.Map
		repeated      bool
	}{
		{name: "no URI", own: param.Of("http>", nil), message: "Parameter '_command' is required but not set (config)", repeated: true},
		{name: "timeout", own: param.Of("http>", "SITE", "timeout", "soon"), message: `Expected integer (int) type for key 'timeout' but got "soon" (string) (config)`},
		{name: "method", own: param.Of("http>", "SITE", "method", "GET /"), message: `Invalid HTTP method: "GET /" (config)`},
		{name: "proxy without host", own: param.Of("http>", "SITE", "proxy", param.Of("enabled", true)), message: "Parameter 'host' is required but not set (config)"},
		{name: "header", own: param.Of("http>", "SITE", "headers", param.List{param.Of("a", 1, "b", 2)}), message: `Invalid header: {"a":1,"b":2} (config)`, repeated: true},
		{name: "header text", own: param.Of("http>", "SITE", "headers", param.List{"a: b"}), message: `Invalid header: "a: b" (config)`, repeated: true},
		{name: "header of two lines", own: param.Of("http>", "SITE", "headers", param.List{param.Of("a", "x\ny")}), message: `Invalid header: {"a":"x\ny"} (config)`, repeated: true},
		{name: "text as form", own: param.Of("http>", "SITE", "content", "x", "content_format", "form"), message: "Invalid content format for strings: 'form' (config)", repeated: true},
		{name: "object as text", own: param.Of("http>", "SITE", "content", param.New(), "content_format", "text"), message: "Invalid content format for objects: 'text' (config)", repeated: true},
		{name: "list as form", own: param.Of("http>", "SITE", "content", param.List{}, "content_format", "form"), message: "Invalid content format for arrays: 'form' (config)", repeated: true},
		{name: "unknown format", own: param.Of("http>", "SITE", "content", true, "content_format", "Xml"), message: "Invalid content format for booleans: 'Xml' (config)", repeated: true},
		{
			name: "list in form", own: param.Of("http>", "SITE", "content", param.Of("a", param.List{int64(1)}), "content_format", "form"),
			message: "Invalid form content field value: [1] (config)", repeated: true,
		},
		{name: "blank in URI", own: param.Of("http>", "http://x/a b"), message: "Illegal character in URI at index 10: http://x/a b (illegal argument)", repeated: true},
		{name: "other scheme", own: param.Of("http>", "ftp://x/"), message: "URI must begin with http:// or https:// and a host: ftp://x/ (illegal argument)", repeated: true},
		{name: "no port", own: param.Of("http>", "http://x:y/"), message: "Malformed URI: http://x:y/ (illegal argument)", repeated: true},
		{name: "secret", own: param.Of("http>", "SITE/${secret:none}"), message: "Secret not found for key: 'none' (secret not found)", repeated: true},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			server := newSite(t, httptest.NewServer)
			_, err := web(t, server, operator.HTTPOptions{}, c.own).Run()
			if got := message(err); got != c.message {
				t.Errorf("message = %q, want %q", got, c.message)
			}
			outcome, _ := web(t, server, operator.HTTPOptions{}, param.Merged(c.own, param.Of("_retry", 2))).Run()
			if got := outcome.Again != nil; got != c.repeated {
				t.Errorf("with _retry: repeated = %v, want %v", got, c.repeated)
			}
		})
	}
}

// Operators 5.1: no message contains secrets of the URI.
func TestHTTPSecretURI(t *testing.T) {
	t.Parallel()
	server := newSite(t, httptest.NewServer)
	closed := httptest.NewServer(nil)
	closed.Close()
	host := func(at string) string { return strings.TrimPrefix(at, "http://") }
	for _, c := range []struct {
		name, message string
		own           *param.Map
		secrets       secretMap
	}{
		{
			name: "template", own: param.Of("http>", "SITE/status/404?${secret:k}", "retry", false), secrets: secretMap{"k": "top"},
			message: "HTTP 4XX Client Error: GET http://*** - 404 Not Found: top",
		},
		{
			name: "http.uri", own: param.Of("http>", "http://unused.invalid/", "retry", false),
			secrets: secretMap{"http.uri": server.URL + "/status/400"}, message: "HTTP 4XX Client Error: GET http://*** - 400 Bad Request: ",
		},
		{
			name: "user info", own: param.Of("http>", strings.Replace(server.URL, "://", "://ann:pw@", 1)+"/status/404"),
			message: "HTTP 4XX Client Error: GET SITE/status/404 - 404 Not Found: ",
		},
		{
			name: "no connection", own: param.Of("http>", "http://${secret:h}/", "retry", false), secrets: secretMap{"h": host(closed.URL)},
			message: "dial tcp ***: connect: connection refused (connect)",
		},
		{
			name: "wrong", own: param.Of("http>", "http://${secret:h}/", "retry", false), secrets: secretMap{"h": "a b"},
			message: "Illegal character in URI at index 8: http://*** (illegal argument)",
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			f := web(t, server, operator.HTTPOptions{}, c.own)
			f.Request.Secrets = c.secrets
			_, err := f.Run()
			if got := strings.ReplaceAll(message(err), server.URL, "SITE"); got != c.message {
				t.Errorf("message = %q, want %q", got, c.message)
			}
		})
	}
}

// Operators 5.1: the method after a redirect, and what it sends.
func TestHTTPRedirects(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		code                int
		method, next, carry string
	}{
		{301, "GET", "GET", "x"},
		{301, "POST", "GET", ""},
		{301, "PUT", "PUT", "x"},
		{302, "POST", "GET", ""},
		{302, "PUT", "PUT", "x"},
		{302, "HEAD", "HEAD", "x"},
		{302, "DELETE", "GET", ""},
		{303, "PUT", "GET", ""},
		{303, "HEAD", "HEAD", "x"},
		{307, "POST", "POST", "x"},
		{308, "DELETE", "DELETE", "x"},
	} {
		t.Run(fmt.Sprint(c.code, c.method), func(t *testing.T) {
			t.Parallel()
			server := newSite(t, httptest.NewServer)
			f := web(t, server, operator.HTTPOptions{}, param.Of("http>", fmt.Sprintf("SITE/to/%d?/end", c.code), "method", c.method, "content", "x"))
			f.Request.Secrets = secretMap{"http.authorization": "mine"}
			if _, err := f.Run(); err != nil {
				t.Fatal(err)
			}
			got := server.last(t)
			if got.URI != "/end" || got.Method != c.next || got.Body != c.carry || got.Header.Get("Authorization") != "mine" {
				t.Errorf("redirected to %+v, want %s with body %q", got, c.next, c.carry)
			}
		})
	}
}

// Credentials are only sent to the server that they are for.
func TestHTTPRedirectToAnotherServer(t *testing.T) {
	t.Parallel()
	first, second := newSite(t, httptest.NewServer), newSite(t, httptest.NewServer)
	f := web(t, first, operator.HTTPOptions{}, param.Of("http>", "SITE/to/302?"+second.URL+"/end"))
	f.Request.Secrets = secretMap{"http.user": "ann"}
	if _, err := f.Run(); err != nil {
		t.Fatal(err)
	}
	if got := second.last(t); got.URI != "/end" || got.Header.Get("Authorization") != "" {
		t.Errorf("the second server got %+v, want no Authorization", got)
	}
}

// Operators 5.1: insecure accepts any certificate. Otherwise a wrong one is a failure to connect.
func TestHTTPCertificates(t *testing.T) {
	t.Parallel()
	server := newSite(t, func(h http.Handler) *httptest.Server {
		s := httptest.NewUnstartedServer(h)
		s.Config.ErrorLog = slog.NewLogLogger(slog.DiscardHandler, 0)
		s.StartTLS()
		return s
	})
	if _, err := web(t, server, operator.HTTPOptions{}, param.Of("http>", "SITE/", "insecure", true)).Run(); err != nil {
		t.Errorf("insecure: %v", err)
	}
	_, err := web(t, server, operator.HTTPOptions{}, param.Of("http>", "SITE/", "retry", false)).Run()
	if got := message(err); !strings.HasSuffix(got, "(ssl handshake)") {
		t.Errorf("message = %q, want one of the kind ssl handshake", got)
	}
	outcome, err := web(t, server, operator.HTTPOptions{}, param.Of("http>", "SITE/")).Run()
	if err != nil || outcome.Again == nil {
		t.Errorf("with retry: %v, want another run", err)
	}
}

// proxy is an HTTP proxy. It forwards plain requests, makes connections for others, and counts both.
type proxy struct {
	*httptest.Server
	mu              sync.Mutex
	plain, connects int
	refuse          int // status for CONNECT
}

func newProxy(t *testing.T, secure bool) *proxy {
	t.Helper()
	p := &proxy{}
	p.Server = httptest.NewUnstartedServer(http.HandlerFunc(p.serve))
	if secure {
		p.StartTLS()
	} else {
		p.Start()
	}
	t.Cleanup(p.Close)
	return p
}

func (p *proxy) serve(w http.ResponseWriter, r *http.Request) {
	p.mu.Lock()
	refuse := p.refuse
	if r.Method == http.MethodConnect {
		p.connects++
	} else {
		p.plain++
	}
	p.mu.Unlock()
	if r.Method != http.MethodConnect {
		w.WriteHeader(http.StatusAccepted)
		return
	}
	if refuse != 0 {
		w.WriteHeader(refuse)
		return
	}
	there, err := net.Dial("tcp", r.Host)
	if err != nil {
		w.WriteHeader(http.StatusBadGateway)
		return
	}
	w.WriteHeader(http.StatusOK)
	here, _, err := w.(http.Hijacker).Hijack()
	if err != nil {
		return
	}
	go func() {
		_, _ = io.Copy(there, here)
		_ = there.Close()
	}()
	_, _ = io.Copy(here, there)
	_ = here.Close()
}

func (p *proxy) counted() [2]int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return [2]int{p.plain, p.connects}
}

func (p *proxy) address(t *testing.T) (host string, port int) {
	t.Helper()
	at, err := url.Parse(p.URL)
	if err != nil {
		t.Fatal(err)
	}
	_, _ = fmt.Sscan(at.Port(), &port)
	return at.Hostname(), port
}

// Operators 5.1, 1.16: which proxy is used.
func TestHTTPProxies(t *testing.T) {
	t.Parallel()
	env := func(pairs ...string) func(string) (string, bool) {
		return func(name string) (string, bool) {
			for i := 0; i < len(pairs); i += 2 {
				if pairs[i] == name {
					return pairs[i+1], true
				}
			}
			return "", false
		}
	}
	for _, c := range []struct {
		name             string
		secure           bool // the target
		tls              bool // the proxy
		options          func(p *proxy, host string, port int) operator.HTTPOptions
		user             bool
		plain, connected int
	}{
		{name: "none"},
		{name: "of the task", user: true, plain: 1},
		{name: "of the task over TLS", user: true, tls: true, plain: 1},
		{name: "of the task to TLS", user: true, secure: true, connected: 1},
		{
			name: "of the task is not allowed", user: true,
			options: func(*proxy, string, int) operator.HTTPOptions { return operator.HTTPOptions{NoUserProxy: true} },
		},
		{
			name: "of the system", plain: 1,
			options: func(_ *proxy, host string, port int) operator.HTTPOptions {
				return operator.HTTPOptions{Proxy: &operator.HTTPProxy{Host: host, Port: port}}
			},
		},
		{
			name: "of the environment", plain: 1,
			options: func(p *proxy, _ string, _ int) operator.HTTPOptions {
				return operator.HTTPOptions{Env: env("http_proxy", " ", "HTTP_PROXY", strings.Replace(p.URL, "://", "://a:b@", 1))}
			},
		},
		{
			name: "of the environment for TLS", secure: true, connected: 1,
			options: func(p *proxy, _ string, _ int) operator.HTTPOptions {
				return operator.HTTPOptions{Env: env("HTTPS_PROXY", p.URL, "http_proxy", "http://127.0.0.1:1")}
			},
		},
		{
			name: "plain one of the environment for TLS", secure: true, connected: 1,
			options: func(p *proxy, _ string, _ int) operator.HTTPOptions {
				return operator.HTTPOptions{Env: env("http_proxy", p.URL)}
			},
		},
		{
			name: "TLS one of the environment is not for plain",
			options: func(p *proxy, _ string, _ int) operator.HTTPOptions {
				return operator.HTTPOptions{Env: env("https_proxy", p.URL)}
			},
		},
		{
			name: "no URL", options: func(*proxy, string, int) operator.HTTPOptions {
				return operator.HTTPOptions{Env: env("http_proxy", "proxy:3128")}
			},
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			start := httptest.NewServer
			if c.secure {
				start = httptest.NewTLSServer
			}
			server, p := newSite(t, start), newProxy(t, c.tls)
			host, port := p.address(t)
			var options operator.HTTPOptions
			if c.options != nil {
				options = c.options(p, host, port)
			}
			own := param.Of("http>", "SITE/", "insecure", true)
			if c.user {
				own.Set("proxy", param.Of("enabled", true, "host", host, "port", port, "tls", c.tls))
			}
			if _, err := web(t, server, options, own).Run(); err != nil {
				t.Fatal(err)
			}
			if got := p.counted(); got != [2]int{c.plain, c.connected} {
				t.Errorf("the proxy got %d plain requests and %d CONNECT, want %d and %d", got[0], got[1], c.plain, c.connected)
			}
		})
	}
}

// Operators 5.1: a refusal of a proxy is treated like a response.
func TestHTTPProxyRefuses(t *testing.T) {
	t.Parallel()
	server := newSite(t, httptest.NewTLSServer)
	for status, again := range map[int]bool{http.StatusForbidden: false, http.StatusBadGateway: true} {
		p := newProxy(t, false)
		p.refuse = status
		host, port := p.address(t)
		outcome, err := web(t, server, operator.HTTPOptions{Proxy: &operator.HTTPProxy{Host: host, Port: port}}, param.Of("http>", "SITE/")).Run()
		if outcome.Again != nil {
			err = outcome.Again.Cause
		}
		if (outcome.Again != nil) != again || !strings.Contains(message(err), fmt.Sprintf("- %d %s: ", status, http.StatusText(status))) {
			t.Errorf("%d: again = %v, message = %q", status, outcome.Again, message(err))
		}
	}
}

var errKilled = errors.New("killed")

// A killed task ends its request with the cause of the kill, and is not repeated.
func TestHTTPEndsWithItsTask(t *testing.T) {
	t.Parallel()
	server := newSite(t, httptest.NewServer)
	ctx, cancel := context.WithCancelCause(t.Context())
	defer cancel(nil)
	f := web(t, server, operator.HTTPOptions{}, param.Of("http>", "SITE/hang", "_retry", 3))
	f.Request.OnWait = func() { cancel(errKilled) }
	outcome, err := f.RunContext(ctx)
	if err == nil || outcome.Again != nil || !strings.Contains(err.Error(), errKilled.Error()) {
		t.Errorf("outcome = %+v, error = %v, want the cause of the kill", outcome, err)
	}
}

// Compressed responses are understood if the task asked for them itself.
func TestHTTPOwnAcceptEncoding(t *testing.T) {
	t.Parallel()
	zipped := "\x1f\x8b\b\x00\x00\x00\x00\x00\x00\xff\xcbH\xcd\xc9\xc9\a\x00\x86\xa6\x106\x05\x00\x00\x00"
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Encoding", "gzip")
		_, _ = io.WriteString(w, zipped)
	}))
	defer server.Close()
	f := newFixture(t, param.Of("http>", server.URL, "store_content", true, "headers", param.List{param.Of("Accept-Encoding", "gzip")}))
	f.Request.Secrets = secretMap{}
	outcome, err := f.Run()
	if err != nil || param.JSON(outcome.Result.Store) != `{"http":{"last_status":200,"last_content":"hello"}}` {
		t.Errorf("stored = %s, error %v", param.JSON(outcome.Result.Store), err)
	}
}
