package rest_test

import (
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/access"
	"github.com/trowel-project/trowel/internal/server"
	"github.com/trowel-project/trowel/internal/server/rest"
	"github.com/trowel-project/trowel/internal/server/servertest"
)

// sendTo calls a handler without a network. pairs are headers. Host is set as that of the request.
func sendTo(t *testing.T, h http.Handler, method, target string, pairs ...string) (status int, message string) {
	t.Helper()
	r := httptest.NewRequestWithContext(t.Context(), method, target, strings.NewReader(""))
	r.Host = "127.0.0.1:65432"
	for i := 0; i < len(pairs); i += 2 {
		r.Header.Set(pairs[i], pairs[i+1])
		if pairs[i] == "Host" {
			r.Host = pairs[i+1]
		}
	}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	var document struct {
		Message string
		Status  int
	}
	if err := json.Unmarshal(w.Body.Bytes(), &document); w.Code >= 400 && err == nil && document.Status != w.Code {
		t.Errorf("%s %s: status %d, in the document %d", method, target, w.Code, document.Status)
	}
	return w.Code, document.Message
}

// handlers returns the handlers of both listeners of a server without authentication.
func handlers(t *testing.T, change func(*server.Options)) map[string]http.Handler {
	t.Helper()
	var s *rest.Server
	servertest.New(t, func(o *server.Options) {
		o.REST.Names, o.REST.Metrics, o.REST.UI = rest.HostNames{"127.0.0.1"}, http.NotFoundHandler(), http.NotFoundHandler()
		if change != nil {
			change(o)
		}
		s = server.New(*o)
	})
	return map[string]http.Handler{"api": s, "admin": s.Admin()}
}

// A page whose own name resolves to the server gets nothing, with any path and method. This is checked first.
func TestForeignHost(t *testing.T) {
	t.Parallel()
	for listener, h := range handlers(t, nil) {
		for _, path := range []string{
			"/", "/index.html", "/metrics", "/api", "/api/", "/api/version", "/api/health", "/api/projects", "/api/nope", "/api/events?topic=site",
			"/api/openapi.json", "/api/attempts/1/kill", "/api/admin/attempts/1/userinfo", "/api/agents",
		} {
			for _, method := range []string{"GET", "HEAD", "POST", "PUT", "DELETE", "OPTIONS", "TRACE", "PATCH"} {
				for _, extra := range [][]string{
					{"Origin", "http://evil.example.com:65432"},
					{"Accept", "text/event-stream"},
					{"X-Forwarded-Host", "localhost"},
					{"Forwarded", "host=localhost"},
					{"Sec-Fetch-Site", "same-origin"},
					{"Authorization", "Bearer trw_x"},
				} {
					status, message := sendTo(t, h, method, path, append(extra, "Host", "evil.example.com:65432")...)
					if status != http.StatusMisdirectedRequest || method != "HEAD" && !strings.Contains(message, "server.allowed-hosts") {
						t.Errorf("%s listener: %s %s with %v = %d %q, want 421 with the setting", listener, method, path, extra, status, message)
					}
				}
			}
		}
		for _, host := range []string{"localhost:65432", "[::1]", "127.0.0.1"} {
			if status, _ := sendTo(t, h, "GET", "/api/projects", "Host", host); status != http.StatusOK {
				t.Errorf("%s listener: host %s: %d, want 200", listener, host, status)
			}
		}
	}
	for listener, h := range handlers(t, func(o *server.Options) { o.REST.Names = nil }) {
		if status, _ := sendTo(t, h, "GET", "/api/projects", "Host", "any.example.com"); status != http.StatusOK {
			t.Errorf("%s listener without names: %d, want 200", listener, status)
		}
	}
}

// Requests that a page of another origin makes a browser send change nothing, simple ones or not. Programs and pages of
// the server itself are not affected.
func TestCrossSite(t *testing.T) {
	t.Parallel()
	const host = "127.0.0.1:65432"
	for _, tc := range []struct {
		name    string
		pairs   []string
		refused bool
	}{
		{"a program", nil, false},
		{"a program with a token", []string{"Authorization", "Basic eDp5"}, false},
		{"the server's own page", []string{"Origin", "http://" + host, "Sec-Fetch-Site", "same-origin"}, false},
		{"its page in an old browser", []string{"Origin", "http://" + host}, false},
		{"a bookmark", []string{"Sec-Fetch-Site", "none"}, false},
		{"another site", []string{"Origin", "http://evil.example.com", "Sec-Fetch-Site", "cross-site"}, true},
		{"another port", []string{"Origin", "http://127.0.0.1:3000", "Sec-Fetch-Site", "same-site"}, true},
		{"another port in an old browser", []string{"Origin", "http://127.0.0.1:3000"}, true},
		{"without origin", []string{"Sec-Fetch-Site", "cross-site"}, true},
		{"a sandboxed frame", []string{"Origin", "null"}, true},
		{"a nested name", []string{"Origin", "http://127.0.0.1:65432.evil.example.com"}, true},
		{"an unknown word", []string{"Origin", "http://evil.example.com", "Sec-Fetch-Site", "Same-Origin"}, true},
		{"with credentials", []string{"Origin", "http://evil.example.com", "Authorization", "Basic eDp5"}, true},
	} {
		for listener, h := range handlers(t, nil) {
			for _, r := range []struct{ method, path string }{
				{"POST", "/api/attempts/1/kill"},
				{"POST", "/api/schedules/1/disable"},
				{"POST", "/api/projects/1/workflows/w/pause"},
				{"POST", "/api/agents/x/drain"},
				{"PUT", "/api/attempts"},
				{"PUT", "/api/projects?project=p&revision=r"},
				{"DELETE", "/api/projects/1"},
				{"POST", "/metrics"},
				{"POST", "/"},
				{"PATCH", "/api/nope"},
			} {
				for _, contentType := range []string{"", "text/plain", "application/x-www-form-urlencoded", "multipart/form-data", "application/json"} {
					status, message := sendTo(t, h, r.method, r.path, append([]string{"Content-Type", contentType}, tc.pairs...)...)
					if refused := status == http.StatusForbidden && strings.Contains(message, "another origin"); refused != tc.refused {
						t.Errorf("%s, %s listener: %s %s (%s) = %d %q, refused %v", tc.name, listener, r.method, r.path, contentType, status, message, tc.refused)
					}
				}
			}
			if status, _ := sendTo(t, h, "GET", "/api/projects", tc.pairs...); status != http.StatusOK {
				t.Errorf("%s, %s listener: reading = %d, want 200", tc.name, listener, status)
			}
		}
	}
}

// With server.enable-swagger pages of other origins may read. With valid credentials they may write. On a server without
// authentication only tokens are such.
func TestCrossSiteSwagger(t *testing.T) {
	t.Parallel()
	evil := []string{"Origin", "http://docs.example.com", "Sec-Fetch-Site", "cross-site", "Content-Type", "application/json"}
	for _, tc := range []struct {
		name, authorization string
		signIn, passes      bool
	}{
		{"no credentials", "", false, false},
		{"no credentials, sign-in", "", true, false},
		{"any password where nobody signs in", "Basic eDp5", false, false},
		{"an empty token where nobody signs in", "Bearer", false, true},
		{"a token where nobody signs in", "Bearer trw_x", false, true},
		{"user and password", "Basic dTpw", true, true},
		{"a token", "Bearer trw_x", true, true},
	} {
		change := func(o *server.Options) {
			o.REST.Swagger, o.REST.SignIn = true, tc.signIn
			username := ""
			if tc.signIn {
				username = "u"
			}
			o.REST.Auth = access.New(access.Options{Username: username, Password: "p", Tokens: noTokens{}, Now: time.Now})
		}
		for listener, h := range handlers(t, change) {
			pairs := evil
			if tc.authorization != "" {
				pairs = append(slices.Clip(pairs), "Authorization", tc.authorization)
			}
			status, message := sendTo(t, h, "POST", "/api/schedules/1/disable", pairs...)
			if passes := !strings.Contains(message, "another origin"); passes != tc.passes {
				t.Errorf("%s, %s listener: %d %q, passes %v", tc.name, listener, status, message, tc.passes)
			}
			if strings.HasPrefix(tc.authorization, "Bearer") && status != http.StatusUnauthorized {
				t.Errorf("%s, %s listener: %d, want 401 for what is no token", tc.name, listener, status)
			}
			if status, _ := sendTo(t, h, "GET", "/api/version", evil...); status != http.StatusOK {
				t.Errorf("%s, %s listener: reading = %d, want 200", tc.name, listener, status)
			}
			if status, _ := sendTo(t, h, "OPTIONS", "/api/schedules/1/disable", evil...); status != http.StatusOK {
				t.Errorf("%s, %s listener: preflight = %d, want 200", tc.name, listener, status)
			}
		}
	}
}

// Requests with the cookie of this server change nothing unless they come from one of its pages, whatever else they bring. What
// comes from other pages is not signed in.
func TestCookies(t *testing.T) {
	t.Parallel()
	const host, cookie = "127.0.0.1:65432", "trowel_login_65432=trl_x"
	own := "http://" + host
	for _, tc := range []struct {
		name     string
		pairs    []string
		writes   bool // is not refused as foreign
		signedIn bool // a GET has the cookie
	}{
		{"a page", []string{"Origin", own, "Sec-Fetch-Site", "same-origin", "X-Trowel-Request", "1"}, true, true},
		{"a page without encryption", []string{"Origin", own, "X-Trowel-Request", "1"}, true, true},
		{"a page behind TLS", []string{"Origin", "https://" + host, "X-Trowel-Request", "1"}, true, true},
		{"without the header", []string{"Origin", own, "Sec-Fetch-Site", "same-origin"}, false, true},
		{"with another header", []string{"Origin", own, "X-Trowel-Request", "true"}, false, true},
		{"without an origin", []string{"X-Trowel-Request", "1"}, false, true},
		{"a bookmark", []string{"X-Trowel-Request", "1", "Sec-Fetch-Site", "none"}, false, true},
		{"another site", []string{"Origin", "http://evil.example.com", "X-Trowel-Request", "1"}, false, false},
		{"another site that hides its origin", []string{"Sec-Fetch-Site", "cross-site", "X-Trowel-Request", "1"}, false, false},
		{"another port", []string{"Origin", "http://127.0.0.1:3000", "Sec-Fetch-Site", "same-site", "X-Trowel-Request", "1"}, false, false},
		{"a sandboxed frame", []string{"Origin", "null", "X-Trowel-Request", "1"}, false, false},
		{"a longer name", []string{"Origin", own + ".evil.example.com", "X-Trowel-Request", "1"}, false, false},
		{"another site, with a token", []string{"Origin", "http://evil.example.com", "X-Trowel-Request", "1", "Authorization", "Bearer trw_x"}, false, false},
		{"a page, with a token", []string{"Origin", own, "Authorization", "Basic dTpw"}, false, true},
	} {
		for _, swagger := range []bool{false, true} {
			seen := &seenCookies{}
			change := func(o *server.Options) {
				o.REST.Swagger, o.REST.SignIn = swagger, true
				o.REST.Auth = access.New(access.Options{Username: "u", Password: "p", Tokens: noTokens{}, Logins: seen, Now: time.Now})
			}
			for listener, h := range handlers(t, change) {
				pairs := append([]string{"Cookie", "a=b; " + cookie + "; c=d"}, tc.pairs...)
				for _, r := range [][2]string{{"POST", "/api/schedules/1/disable"}, {"PUT", "/api/projects?project=p&revision=r"}, {"DELETE", "/api/login"}, {"PATCH", "/api/nope"}, {"POST", "/"}} {
					status, message := sendTo(t, h, r[0], r[1], pairs...)
					foreign := status == http.StatusForbidden && (strings.Contains(message, "another origin") || strings.Contains(message, "with a cookie"))
					if foreign == tc.writes {
						t.Errorf("%s, %s listener, swagger %v: %s %s = %d %q, want refused %v", tc.name, listener, swagger, r[0], r[1], status, message, !tc.writes)
					}
				}
				before := seen.n.Load()
				sendTo(t, h, "GET", "/api/projects", slices.DeleteFunc(slices.Clone(pairs), func(s string) bool { return s == "Authorization" || strings.HasPrefix(s, "B") })...)
				if signedIn := seen.n.Load() > before; signedIn != tc.signedIn {
					t.Errorf("%s, %s listener, swagger %v: the cookie is looked at: %v, want %v", tc.name, listener, swagger, signedIn, tc.signedIn)
				}
			}
		}
	}
	for listener, h := range handlers(t, nil) { // those of other servers mean nothing
		if status, message := sendTo(t, h, "POST", "/api/schedules/1/disable", "Cookie", "trowel_login=x; trowel_login_65433=y"); status == http.StatusForbidden {
			t.Errorf("%s listener: with other cookies: %d %q", listener, status, message)
		}
	}
}

// seenCookies count how often a cookie is looked at.
type seenCookies struct {
	access.Logins

	n atomic.Int32
}

func (s *seenCookies) FindLogin(context.Context, []byte) (*access.FoundLogin, error) {
	s.n.Add(1)
	return nil, trowel.ErrNotFound
}

type noTokens struct{ access.Tokens }

func (noTokens) FindToken(context.Context, []byte) (*trowel.Token, *trowel.Project, error) {
	return nil, nil, trowel.ErrNotFound
}
