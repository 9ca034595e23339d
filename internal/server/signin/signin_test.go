package signin_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/access"
	"github.com/trowel-project/trowel/internal/api"
	"github.com/trowel-project/trowel/internal/server"
	"github.com/trowel-project/trowel/internal/server/servertest"
	"github.com/trowel-project/trowel/internal/server/signin"
)

// site is a server that one signs in to, with a clock that can be put forward.
type site struct {
	*servertest.Server

	later atomic.Int64 // nanoseconds
}

func (s *site) now() time.Time { return time.Now().Add(time.Duration(s.later.Load())) }

func newSite(t *testing.T, change func(*server.Options)) *site {
	t.Helper()
	s := &site{}
	s.Server = servertest.New(t, func(o *server.Options) {
		auth := access.New(access.Options{
			Username: "ann", Password: "hush", Admin: true, Tokens: servertest.Tokens{Store: o.REST.Store}, Logins: access.NewLogins(o.REST.Store, s.now), Now: s.now,
		})
		o.REST.Auth, o.REST.SignIn, o.REST.Now = auth, true, s.now
		o.SignIn = signin.Options{Auth: auth, SignIn: true, Version: "0.1.0"}
		if change != nil {
			change(o)
		}
	})
	return s
}

// page sends a request as a page of the server does. cookie may be empty.
func (s *site) page(t *testing.T, cookie, method, path, body string, more ...string) servertest.Answer {
	t.Helper()
	contentType := ""
	if body != "" {
		contentType = "application/json"
	}
	header := []string{"X-Trowel-Request", "1", "Origin", s.URL}
	if cookie != "" {
		header = append(header, "Cookie", cookie)
	}
	return s.Do(t, method, path, contentType, body, append(header, more...)...)
}

// signIn signs a browser in, and returns its cookie.
func (s *site) signIn(t *testing.T, body string, more ...string) string {
	t.Helper()
	a := s.page(t, "", "POST", "/api/login", body, more...)
	if a.Status != http.StatusOK {
		t.Fatalf("sign in: %d %s", a.Status, a.Body)
	}
	return cookieOf(t, a)
}

const asAnn = `{"user":"ann","password":"hush"}`

func cookieOf(t *testing.T, a servertest.Answer) string {
	t.Helper()
	c, err := http.ParseSetCookie(a.Header.Get("Set-Cookie"))
	if err != nil {
		t.Fatalf("%v: %q", err, a.Header)
	}
	return c.Name + "=" + c.Value
}

// Who signs in gets a cookie that pages of other sites cannot use and scripts cannot read, and with it the rights of the user.
func TestSignIn(t *testing.T) {
	t.Parallel()
	s := newSite(t, nil)
	options := servertest.Read[api.LoginOptions](t, s.Get(t, "/api/login/options"), 200)
	if !options.Password || len(options.Providers) != 0 {
		t.Errorf("options = %+v, want a password and no providers", options)
	}
	a := s.page(t, "", "POST", "/api/login", asAnn)
	me := servertest.Read[api.Me](t, a, 200)
	if me.User != "ann" || me.Auth != "basic" || len(me.Roles) != 1 || me.Roles[0] != "admin" || me.Projects != nil || me.Login == nil || me.ExpiresAt == nil ||
		!strings.Contains(strings.Join(me.Can, " "), "ManageTokens") {
		t.Errorf("me = %+v, want ann with all rights", me)
	}
	c, err := http.ParseSetCookie(a.Header.Get("Set-Cookie"))
	if err != nil {
		t.Fatal(err)
	}
	port := s.URL[strings.LastIndexByte(s.URL, ':')+1:]
	if !c.HttpOnly || c.Secure || c.SameSite != http.SameSiteStrictMode || c.Path != "" || c.Domain != "" || c.MaxAge != 7*24*3600 || c.Name != "trowel_login_"+port {
		t.Errorf("cookie = %s", a.Header.Get("Set-Cookie"))
	}
	encrypted := s.page(t, "", "POST", "/api/login", asAnn, "Origin", "https"+strings.TrimPrefix(s.URL, "http"))
	if got := encrypted.Header.Get("Set-Cookie"); !strings.Contains(got, "Secure") {
		t.Errorf("for a page over TLS the cookie is %q, want it Secure", got)
	}
	cookie := c.Name + "=" + c.Value
	for _, path := range []string{"/api/me", "/api/projects", "/api/tokens"} {
		if got := s.page(t, cookie, "GET", path, ""); got.Status != http.StatusOK || got.Header.Get("X-Content-Type-Options") != "nosniff" {
			t.Errorf("GET %s: %d %v", path, got.Status, got.Header)
		}
	}
	other := "trowel_login=" + c.Value // that of a server on another port
	for name, a := range map[string]servertest.Answer{
		"without a cookie": s.page(t, "", "GET", "/api/me", ""), "with a wrong one": s.page(t, c.Name+"=trl_x", "GET", "/api/me", ""),
		"with that of another port": s.page(t, other, "GET", "/api/me", ""),
	} {
		var document struct{ Code string }
		_ = json.Unmarshal([]byte(a.Body), &document)
		if a.Status != http.StatusUnauthorized || document.Code != "signed_out" || a.Header.Get("Www-Authenticate") != "" {
			t.Errorf("%s: %d %s %v, want 401 with a code and without a dialog of the browser", name, a.Status, a.Body, a.Header)
		}
	}
	if a := s.Get(t, "/api/projects"); a.Body != `{"message":"Missing Authorization header","status":401}` {
		t.Errorf("a program: %s, want Digdag's answer", a.Body)
	}
}

// What is wrong is not told, and many wrong tries are slowed down, by address as well as by name.
func TestWrongSignIn(t *testing.T) {
	t.Parallel()
	s := newSite(t, nil)
	var answers []string
	for _, body := range []string{`{"user":"ann","password":"x"}`, `{"user":"bob","password":"hush"}`, `{"user":"","password":""}`, `{"token":"trw_x"}`, `{}`} {
		a := s.page(t, "", "POST", "/api/login", body)
		answers = append(answers, fmt.Sprint(a.Status, a.Body, a.Header.Get("Set-Cookie")))
	}
	for i, a := range answers {
		if a != answers[0] || !strings.HasPrefix(a, "401") {
			t.Errorf("answer %d = %s, want %s", i, a, answers[0])
		}
	}
	for _, body := range []string{`{"user":"ann","password":"hush","token":"trw_x"}`, `null`, `[]`, `{"user":7}`, `{"user":"` + strings.Repeat("u", 300) + `"}`} {
		if a := s.page(t, "", "POST", "/api/login", body); a.Status != http.StatusBadRequest {
			t.Errorf("%.40s: %d %s, want 400", body, a.Status, a.Body)
		}
	}
	if a := s.page(t, "", "POST", "/api/login", `{"user":"`+strings.Repeat("u", 100_000)+`"}`); a.Status < 400 || a.Status >= 500 {
		t.Errorf("a large request: %d, want it refused", a.Status)
	}
	for range 10 {
		s.page(t, "", "POST", "/api/login", `{"user":"ann","password":"x"}`)
	}
	if a := s.page(t, "", "POST", "/api/login", asAnn); a.Status != http.StatusTooManyRequests || a.Header.Get("Retry-After") == "" {
		t.Errorf("after many tries: %d %s, want 429", a.Status, a.Body)
	}
}

// People at many addresses who guess for one name slow that name down, and no other one.
func TestWrongSignInByName(t *testing.T) {
	t.Parallel()
	now := time.Now()
	auth := access.New(access.Options{Username: "ann", Password: "hush", Now: func() time.Time { return now }})
	try := func(address int, user, password string) error {
		_, err := auth.SignIn(fmt.Sprintf("192.0.2.%d:1", address), user, password)
		return err
	}
	for i := range 50 {
		_ = try(i, "ann", "x")
	}
	if err := try(100, "ann", "hush"); err == nil || !strings.Contains(err.Error(), "as ann") {
		t.Errorf("after 50 wrong tries: %v, want too many", err)
	}
	if err := try(101, "bob", "x"); err == nil || strings.Contains(err.Error(), "too many") {
		t.Errorf("another name: %v, want a wrong try", err)
	}
	now = now.Add(time.Second)
	if err := try(100, "ann", "hush"); err != nil {
		t.Errorf("a second later: %v", err)
	}
}

// A login of a token has its role, its project and its end, and ends with it.
func TestSignInWithToken(t *testing.T) {
	t.Parallel()
	s := newSite(t, nil)
	for _, name := range []string{"etl", "other"} {
		a := s.Do(t, "PUT", "/api/projects?revision=r&project="+name, "application/gzip", servertest.Packed(t, "main.dig", servertest.Scheduled), "Authorization", "Basic YW5uOmh1c2g=")
		if a.Status != http.StatusOK {
			t.Fatalf("push: %d %s", a.Status, a.Body)
		}
	}
	token := s.Token(t, access.RoleRead, "etl")
	cookie := s.signIn(t, `{"token":"`+token+`"}`)
	me := servertest.Read[api.Me](t, s.page(t, cookie, "GET", "/api/me", ""), 200)
	if me.Auth != "token" || me.Roles[0] != "read" || len(me.Projects) != 1 || len(me.Projects["1"]) == 0 {
		t.Errorf("me = %+v, want a reader of project 1", me)
	}
	if a := s.page(t, cookie, "GET", "/api/projects/2", ""); a.Status != http.StatusNotFound {
		t.Errorf("another project: %d, want 404", a.Status)
	}
	for _, r := range [][2]string{{"POST", "/api/schedules/1/disable"}, {"DELETE", "/api/projects/1"}, {"PUT", "/api/pools/x"}, {"POST", "/api/tokens"}} {
		if a := s.page(t, cookie, r[0], r[1], `{}`); a.Status != http.StatusForbidden {
			t.Errorf("%s %s by a reader: %d %s, want 403", r[0], r[1], a.Status, a.Body)
		}
	}
	admin := s.signIn(t, asAnn)
	if a := s.page(t, admin, "DELETE", "/api/tokens/1", ""); a.Status != http.StatusOK {
		t.Fatalf("revoke: %d %s", a.Status, a.Body)
	}
	if a := s.page(t, cookie, "GET", "/api/me", ""); a.Status != http.StatusUnauthorized || !strings.Contains(a.Body, "was revoked") {
		t.Errorf("after the token was revoked: %d %s, want 401", a.Status, a.Body)
	}
	if a := s.page(t, "", "POST", "/api/login", `{"token":"`+s.Token(t, access.RoleAgent, "")+`"}`); a.Status != http.StatusForbidden {
		t.Errorf("a token of agents: %d %s, want 403", a.Status, a.Body)
	}
}

// A login ends after 12 hours without use, after seven days in any case, and when user or password change.
func TestLoginsEnd(t *testing.T) {
	t.Parallel()
	s := newSite(t, nil)
	check := func(name, cookie string, want int) {
		t.Helper()
		if a := s.page(t, cookie, "GET", "/api/me", ""); a.Status != want {
			t.Errorf("%s: %d %s, want %d", name, a.Status, a.Body, want)
		}
	}
	idle, used := s.signIn(t, asAnn), s.signIn(t, asAnn)
	for hours := 11; hours < 168; hours += 11 {
		s.later.Store(int64(time.Duration(hours) * time.Hour))
		check(fmt.Sprintf("used, after %d hours", hours), used, 200)
	}
	check("idle", idle, 401)
	s.later.Store(int64(168 * time.Hour))
	check("used, after seven days", used, 401)
	again := s.signIn(t, asAnn)
	check("signed in again", again, 200)
	changed := servertest.Options(t, s.Store)
	changed.REST.Auth = access.New(access.Options{Username: "ann", Password: "new", Logins: access.NewLogins(s.Store, s.now), Now: s.now})
	name, value, _ := strings.Cut(again, "=")
	r := httptest.NewRequestWithContext(t.Context(), "GET", s.URL+"/api/me", http.NoBody)
	r.AddCookie(&http.Cookie{Name: name, Value: value})
	w := httptest.NewRecorder()
	server.New(changed).ServeHTTP(w, r)
	if w.Code != http.StatusUnauthorized || !strings.Contains(w.Body.String(), "have changed") {
		t.Errorf("with another password: %d %s, want 401", w.Code, w.Body)
	}
}

// One sees the browsers that one has signed in with, and signs out each, all others, or this one. The audit has all of it.
func TestLogins(t *testing.T) {
	t.Parallel()
	s := newSite(t, nil)
	one := s.signIn(t, asAnn, "User-Agent", "Firefox "+strings.Repeat("é", 300))
	two, three := s.signIn(t, asAnn), s.signIn(t, asAnn)
	ofToken := s.signIn(t, `{"token":"`+s.Token(t, access.RoleRead, "")+`"}`)
	list := servertest.Read[api.LoginList](t, s.page(t, two, "GET", "/api/login/sessions", ""), 200)
	if len(list.Items) != 3 || !list.Items[1].Current || list.Items[0].Current || !strings.HasPrefix(list.Items[0].Browser, "Firefox é") || list.Items[0].Address != "127.0.0.1" {
		t.Errorf("list = %+v, want three, the second one current", list)
	}
	if a := s.page(t, two, "DELETE", "/api/login/sessions/4", ""); a.Status != http.StatusNotFound {
		t.Errorf("sign out somebody else: %d %s, want 404", a.Status, a.Body)
	}
	status := func() (got []int) {
		for _, cookie := range []string{one, two, three, ofToken} {
			got = append(got, s.page(t, cookie, "GET", "/api/me", "").Status)
		}
		return got
	}
	for _, step := range []struct {
		cookie, path string
		ended        int
		want         []int
	}{
		{two, "/api/login/sessions/1", 1, []int{401, 200, 200, 200}},
		{two, "/api/login/sessions", 1, []int{401, 200, 401, 200}},
		{two, "/api/login/sessions", 0, []int{401, 200, 401, 200}},
		{two, "/api/login", 1, []int{401, 401, 401, 200}},
		{two, "/api/login", 0, []int{401, 401, 401, 200}}, // again
		{"", "/api/login", 0, []int{401, 401, 401, 200}},
	} {
		a := s.page(t, step.cookie, "DELETE", step.path, "")
		if got := servertest.Read[api.LoginsEnded](t, a, 200); got.Ended != step.ended {
			t.Errorf("DELETE %s: %d ended, want %d", step.path, got.Ended, step.ended)
		}
		if step.path == "/api/login" && !strings.Contains(a.Header.Get("Set-Cookie"), "Max-Age=0") {
			t.Errorf("signing out leaves the cookie: %q", a.Header.Get("Set-Cookie"))
		}
		if diff := cmp.Diff(step.want, status()); diff != "" {
			t.Errorf("after DELETE %s:\n%s", step.path, diff)
		}
	}
	again := s.signIn(t, asAnn)
	if next := cookieOf(t, s.page(t, again, "POST", "/api/login", asAnn)); next == again {
		t.Error("a new sign-in keeps the id")
	}
	if a := s.page(t, again, "GET", "/api/me", ""); a.Status != http.StatusUnauthorized {
		t.Errorf("the login before a new sign-in: %d, want 401", a.Status)
	}
	var actions []string
	records := s.Do(t, "GET", "/api/audit?action=login", "", "", "Authorization", "Basic YW5uOmh1c2g=")
	for _, e := range servertest.Read[api.AuditList](t, records, 200).Items {
		actions = append(actions, strings.TrimPrefix(e.Action, "login.")+" "+e.Actor.Kind)
	}
	if got := strings.Join(actions, ", "); strings.Count(got, "create user") != 5 || strings.Count(got, "create token") != 1 || strings.Count(got, "end user") != 4 {
		t.Errorf("audit: %s", got)
	}
	if strings.Contains(records.Body, "trl_") {
		t.Errorf("the audit has a secret: %s", records.Body)
	}
}

// Streams of a browser end when it is signed out, by itself or by another browser, and when its token is revoked. They do
// not ask the database meanwhile.
func TestStreamsEnd(t *testing.T) {
	t.Parallel()
	views := &atomic.Int64{}
	s := newSite(t, func(o *server.Options) {
		o.REST.RecheckEvery = time.Millisecond
		o.REST.Store = countingStore{o.REST.Store, views}
		o.REST.Auth = access.New(access.Options{
			Username: "ann", Password: "hush", Tokens: servertest.Tokens{Store: o.REST.Store}, Logins: access.NewLogins(o.REST.Store, time.Now), Now: time.Now,
		})
	})
	token := s.Token(t, access.RoleRead, "")
	one, two, ofToken := s.signIn(t, asAnn), s.signIn(t, asAnn), s.signIn(t, `{"token":"`+token+`"}`)
	streams := map[string]chan struct{}{}
	for name, cookie := range map[string]string{"one": one, "two": two, "token": ofToken} {
		streams[name] = s.stream(t, cookie)
	}
	before := views.Load()
	time.Sleep(100 * time.Millisecond) //nolint:forbidigo // nothing is to happen in this time
	if n := views.Load() - before; n != 0 {
		t.Errorf("three streams have read the database %d times, want 0", n)
	}
	admin := s.signIn(t, asAnn)
	for _, step := range []struct{ ended, cookie, path string }{
		{"one", one, "/api/login"}, {"two", admin, "/api/login/sessions"}, {"token", admin, "/api/tokens/1"},
	} {
		if step.ended == "token" { // the user of this server is no administrator
			revoke(t, s.Store)
			s.page(t, admin, "DELETE", "/api/login/sessions", "") // tells that logins may have ended
		} else {
			s.page(t, step.cookie, "DELETE", step.path, "")
		}
		select {
		case <-streams[step.ended]:
		case <-time.After(10 * time.Second):
			t.Errorf("the stream of %s goes on", step.ended)
		}
	}
}

func revoke(t *testing.T, store trowel.Store) {
	t.Helper()
	err := store.Update(t.Context(), func(tx trowel.Tx) error {
		token, err := tx.FindTokenByID(t.Context(), 1)
		if err != nil {
			return err
		}
		token.RevokedAt = time.Now()
		return tx.UpdateToken(t.Context(), token)
	})
	if err != nil {
		t.Fatal(err)
	}
}

// stream opens a stream of events, and returns a channel that is closed when it ends.
func (s *site) stream(t *testing.T, cookie string) chan struct{} {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), "GET", s.URL+"/api/events?topic=site", http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Cookie", cookie)
	w, err := s.Client().Do(r) //nolint:bodyclose // below
	if err != nil || w.StatusCode != http.StatusOK {
		t.Fatalf("stream: %v %v", w, err)
	}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		defer func() { _ = w.Body.Close() }()
		for lines := bufio.NewScanner(w.Body); lines.Scan(); { //nolint:revive // to the end
		}
	}()
	return ended
}

// countingStore counts what is read.
type countingStore struct {
	trowel.Store

	views *atomic.Int64
}

func (s countingStore) View(ctx context.Context, f func(trowel.Tx) error) error {
	s.views.Add(1)
	return s.Store.View(ctx, f)
}

// Where nobody signs in, cookies mean nothing, and everybody is anonymous.
func TestNobodySignsIn(t *testing.T) {
	t.Parallel()
	s := servertest.New(t, nil)
	me := servertest.Read[api.Me](t, s.Get(t, "/api/me"), 200)
	if me.Auth != "none" || me.User != "anonymous" || me.ExpiresAt != nil || me.Links == nil {
		t.Errorf("me = %+v, want nobody", me)
	}
	if options := servertest.Read[api.LoginOptions](t, s.Get(t, "/api/login/options"), 200); options.Password {
		t.Errorf("options = %+v, want no password", options)
	}
	if a := s.Do(t, "POST", "/api/login", "application/json", asAnn); a.Status != http.StatusConflict {
		t.Errorf("sign in: %d %s, want 409", a.Status, a.Body)
	}
}
