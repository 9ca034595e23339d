package rest_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/access"
	"github.com/trowel-project/trowel/internal/blob"
	"github.com/trowel-project/trowel/internal/server"
	"github.com/trowel-project/trowel/internal/server/rest"
	"github.com/trowel-project/trowel/internal/server/servertest"
)

// Long requests end when their tokens become invalid, and not before: streams of all topics, and slow uploads.
func TestLastingRequestsEnd(t *testing.T) {
	t.Parallel()
	admitted := make(chan string, 100)
	var later atomic.Bool
	h := servertest.New(t, func(o *server.Options) {
		o.REST.RecheckEvery = 10 * time.Millisecond
		o.REST.Auth = &telling{access.New(access.Options{Tokens: servertest.Tokens{Store: o.REST.Store}, Now: func() time.Time {
			if later.Load() {
				return time.Now().Add(2 * time.Hour)
			}
			return time.Now()
		}}), admitted}
	})
	attempt := h.InsertTasks(t, "p")
	h.InsertTasks(t, "q")
	revoke := func(name string) {
		err := h.Store.Update(t.Context(), func(tx trowel.Tx) error {
			list, err := tx.ListTokens(t.Context())
			i := slices.IndexFunc(list, func(token *trowel.Token) bool { return token.Name == name })
			if err != nil || i < 0 {
				return errors.Join(err, trowel.ErrNotFound)
			}
			list[i].RevokedAt = time.Now()
			return tx.UpdateToken(t.Context(), list[i])
		})
		if err != nil {
			t.Error(err)
		}
	}
	expiring, hash := access.NewToken()
	err := h.Store.Update(t.Context(), func(tx trowel.Tx) error {
		return tx.InsertToken(t.Context(), &trowel.Token{
			Name: "expiring", Hash: hash, Role: "operator", CreatedAt: time.Now(), ExpiresAt: time.Now().Add(time.Hour),
		})
	})
	if err != nil {
		t.Fatal(err)
	}
	other := lasting(t, h, "GET", "/api/events?topic=site", "Bearer "+h.Token(t, access.RoleRead, ""), nil)
	for _, row := range []struct {
		name, role, bearer, topic string
		end                       func()
	}{
		{"revoked", "operator of ", h.Token(t, access.RoleOperator, ""), "site", func() { revoke("operator of ") }},
		{"expired", "expiring", expiring, fmt.Sprint("attempt:", attempt), func() { later.Store(true) }},
		{"of a deleted project", "operator of p", h.Token(t, access.RoleOperator, "p"), "project:1", func() { h.Delete(t, "/api/projects/1") }},
	} {
		events := lasting(t, h, "GET", "/api/events?topic="+row.topic, "Bearer "+row.bearer, nil)
		project := "r"
		if row.topic == "project:1" {
			project = "p"
		}
		body, sender := io.Pipe()
		upload := lasting(t, h, "PUT", "/api/projects?revision=late&project="+project, "Bearer "+row.bearer, body)
		_, _ = io.WriteString(sender, servertest.Packed(t, "main.dig", "+a:\n  echo>: a\n")[:20])
		for name := ""; !strings.Contains(name, row.role); {
			name = <-admitted
		}
		row.end()
		for what, request := range map[string]chan string{"stream": events, "upload": upload} {
			select {
			case got := <-request:
				if strings.HasPrefix(got, "200") && what == "upload" {
					t.Errorf("%s: the upload is taken: %s", row.name, got)
				}
			case <-time.After(time.Minute):
				t.Errorf("%s: the %s goes on", row.name, what)
			}
		}
		_ = sender.Close()
	}
	select {
	case got := <-other:
		t.Errorf("the stream of another token ended, too: %s", got)
	default:
	}
}

// So do downloads, even if the connection has no deadlines.
func TestDownloadsEnd(t *testing.T) {
	t.Parallel()
	pieces := make(chan struct{})
	h := servertest.New(t, func(o *server.Options) {
		o.REST.RecheckEvery = time.Millisecond
		o.V1.Archives.Stores["db"] = endless{o.V1.Archives.Stores["db"], pieces}
	})
	h.InsertTasks(t, "p")
	bare := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h.Config.Handler.ServeHTTP(struct{ http.ResponseWriter }{w}, r) // without deadlines
	}))
	t.Cleanup(bare.Close)
	t.Cleanup(func() { close(pieces) })
	bearer, hash := access.NewToken()
	token := &trowel.Token{Name: "t", Hash: hash, Role: "operator", CreatedAt: time.Now()}
	change := func(f func(tx trowel.Tx) error) {
		if err := h.Store.Update(t.Context(), f); err != nil {
			t.Fatal(err)
		}
	}
	change(func(tx trowel.Tx) error { return tx.InsertToken(t.Context(), token) })
	ended := lasting(t, &servertest.Server{Server: bare}, "GET", "/api/projects/1/archive", "Bearer "+bearer, strings.NewReader(""))
	pieces <- struct{}{}
	token.RevokedAt = time.Now()
	change(func(tx trowel.Tx) error { return tx.UpdateToken(t.Context(), token) })
	for late := time.After(time.Minute); ; {
		select {
		case <-ended:
			return
		case pieces <- struct{}{}:
		case <-late:
			t.Fatal("the download goes on")
		}
	}
}

// endless is a store of blobs without an end.
type endless struct {
	blob.Store

	pieces chan struct{}
}

func (e endless) Open(context.Context, string, int64, int64) (io.ReadCloser, error) {
	return io.NopCloser(e), nil
}

func (e endless) Read(data []byte) (int, error) {
	if _, more := <-e.pieces; !more {
		return 0, io.EOF
	}
	data[0] = 'x'
	return 1, nil
}

// telling reports callers whose requests have a body that is not read to its end.
type telling struct {
	rest.Authenticator

	admitted chan string
}

func (a *telling) Admit(ctx context.Context, remote string, header http.Header) (access.Caller, error) {
	caller, err := a.Authenticator.Admit(ctx, remote, header)
	if header.Get("Content-Type") == "application/gzip" {
		a.admitted <- caller.Name
	}
	return caller, err
}

// lasting sends a request, and returns how it ends.
func lasting(t *testing.T, h *servertest.Server, method, path, authorization string, body io.Reader) chan string {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	t.Cleanup(cancel)
	r, err := http.NewRequestWithContext(ctx, method, h.URL+path, body)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Authorization", authorization)
	if body != nil {
		r.Header.Set("Content-Type", "application/gzip")
	}
	ended := make(chan string, 1)
	begun := make(chan struct{})
	go func() {
		alone := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}} // its connection will be closed
		w, err := alone.Do(r)
		if err != nil {
			ended <- err.Error()
			return
		}
		close(begun)
		defer func() { _ = w.Body.Close() }()
		text, _ := io.ReadAll(w.Body)
		ended <- w.Status + " " + string(text)
	}()
	if body == nil { // a stream has begun when its header has come
		select {
		case <-begun:
		case got := <-ended:
			t.Fatalf("%s %s: %s", method, path, got)
		}
	}
	return ended
}

// Callers who guess get 429. An address that has guessed may still use paths without authentication.
func TestGuessing(t *testing.T) {
	t.Parallel()
	h := servertest.New(t, func(o *server.Options) {
		o.REST.SignIn = true
		o.REST.Metrics = http.NotFoundHandler()
		o.REST.Auth = access.New(access.Options{Username: "u", Password: "p", Tokens: servertest.Tokens{Store: o.REST.Store}, Now: o.REST.Now})
	})
	bearer := "Bearer " + h.Token(t, access.RoleRead, "")
	wrong := []string{"Authorization", "Basic dTp4"}
	for i := range 10 {
		path := []string{"/api/projects", "/metrics", "/api/nope", "/api/health"}[i%4]
		if a := h.Do(t, http.MethodGet, path, "", "", wrong...); a.Status != http.StatusUnauthorized {
			t.Errorf("guess %d: %d %s, want 401", i, a.Status, a.Body)
		}
	}
	for _, path := range []string{"/api/projects", "/metrics", "/api/nope", "/api/health"} {
		a := h.Do(t, http.MethodGet, path, "", "", wrong...)
		if a.Status != http.StatusTooManyRequests || a.Header.Get("Retry-After") != "1" || !strings.Contains(a.Body, "once in a second") {
			t.Errorf("GET %s after ten: %d %v %s, want 429", path, a.Status, a.Header, a.Body)
		}
	}
	if a := h.Do(t, http.MethodGet, "/api/projects", "", "", "Authorization", bearer); a.Status != http.StatusOK {
		t.Errorf("a token: %d %s, want 200", a.Status, a.Body)
	}
	for _, path := range []string{"/api/version", "/api/health", "/api/health/live"} {
		if a := h.Get(t, path); a.Status != http.StatusOK {
			t.Errorf("GET %s: %d %s, want 200", path, a.Status, a.Body)
		}
	}
}

// Callers without credentials do not learn which paths exist.
func TestOptions(t *testing.T) {
	t.Parallel()
	h := servertest.New(t, func(o *server.Options) {
		o.REST.SignIn = true
		o.REST.Auth = access.New(access.Options{Username: "u", Password: "p", Tokens: servertest.Tokens{Store: o.REST.Store}, Now: o.REST.Now})
	})
	for _, path := range []string{"/api/projects", "/api/attempts/1/kill", "/api/nope", "/api"} {
		a := h.Do(t, http.MethodOptions, path, "", "")
		if a.Status != http.StatusOK || a.Body != "DELETE, GET, HEAD, OPTIONS, POST, PUT" {
			t.Errorf("OPTIONS %s without credentials: %d %s, want the same for all", path, a.Status, a.Body)
		}
	}
	admin := []string{"Authorization", "Basic dTpw"}
	if a := h.Do(t, http.MethodOptions, "/api/attempts/1/kill", "", "", admin...); a.Body != "OPTIONS, POST" {
		t.Errorf("OPTIONS with credentials: %d %s, want OPTIONS, POST", a.Status, a.Body)
	}
	if a := h.Do(t, http.MethodOptions, "/api/nope", "", "", admin...); a.Status != http.StatusNotFound {
		t.Errorf("OPTIONS of no path: %d %s, want 404", a.Status, a.Body)
	}
}
