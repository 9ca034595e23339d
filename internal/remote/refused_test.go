package remote_test

import (
	"context"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/trowel-project/trowel/internal/api"
	"github.com/trowel-project/trowel/internal/remote"
)

// An agent that is not taken says why, and what to do about it.
func TestFix(t *testing.T) {
	t.Parallel()
	answer := func(status int, kind, text string) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", kind)
			w.WriteHeader(status)
			_, _ = io.WriteString(w, text)
		})
	}
	plain, secure := httptest.NewServer, httptest.NewTLSServer
	for _, row := range []struct {
		name, token string
		serve       func(http.Handler) *httptest.Server
		answer      http.Handler
		address     func(string) string
		says, fix   string
	}{
		{"no token", "", plain, answer(401, "application/json", `{"message":"Missing Authorization header"}`), nil, "Missing Authorization header (HTTP 401)", "TROWEL_TOKEN"},
		{"a wrong one", "trw_x", plain, answer(401, "application/json", `{"message":"unauthorized"}`), nil, "unauthorized (HTTP 401)", "has expired or was revoked"},
		{"not its role", "trw_x", plain, answer(403, "application/json", `{"message":"may not"}`), nil, "may not (HTTP 403)", ""},
		{"another path", "trw_x", plain, http.NotFoundHandler(), nil, "404 page not found (HTTP 404)", "address of a Trowel server"},
		{"a proxy", "trw_x", plain, answer(405, "text/html", "<html>no</html>"), nil, "Method Not Allowed (HTTP 405)", "address of a Trowel server"},
		{"http for https", "trw_x", secure, answer(200, "", ""), func(s string) string { return strings.Replace(s, "https:", "http:", 1) }, "Client sent an HTTP request to an HTTPS server (HTTP 400)", "name it with https://"},
		{"https for http", "trw_x", plain, answer(200, "", ""), func(s string) string { return strings.Replace(s, "http:", "https:", 1) }, "HTTP response to HTTPS client", "name it with http://"},
		{"unknown authority", "trw_x", secure, answer(200, "", ""), nil, "certificate", "--ca-cert"},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			server := row.serve(row.answer)
			server.Config.ErrorLog = slog.NewLogLogger(slog.DiscardHandler, slog.LevelError)
			defer server.Close()
			address := server.URL
			if row.address != nil {
				address = row.address(address)
			}
			var log logText
			link, err := remote.New(remote.Options{
				Servers: []string{address}, Token: row.token, Now: time.Now, Log: slog.New(slog.NewTextHandler(&log, nil)),
				Self: api.AgentRegistration{Name: "a", Host: "h", Version: "0", Slots: 1},
			})
			if err != nil {
				t.Fatal(err)
			}
			defer link.Close()
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			log.wrote = cancel // it would try again
			_, err = link.Register(ctx)
			said, fix := "", ""
			if err != nil {
				said, fix = err.Error(), remote.Fix(err)
			}
			if tls := strings.HasPrefix(address, "https:"); tls && log.String() != "" {
				t.Errorf("it tries again, though settings do not mend themselves: %s", &log)
			}
			if told := log.String(); told != "" {
				said, fix = told, told
			}
			if !strings.Contains(said, row.says) || !strings.Contains(fix, row.fix) || row.fix == "" && fix != "" {
				t.Errorf("it says %q and advises %q; want %q and %q", said, fix, row.says, row.fix)
			}
		})
	}
}

// logText gathers what is logged.
type logText struct {
	strings.Builder

	wrote func()
}

func (l *logText) Write(data []byte) (int, error) {
	defer l.wrote()
	return l.Builder.Write(data)
}
