package cli

import (
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"

	"github.com/trowel-project/trowel/internal/operator/mail/mailtest"
	"github.com/trowel-project/trowel/internal/version"
)

// TestOperatorSettings checks that config.* and param_server.* reach the operators of a local run
// (operators 11, server 3.1).
func TestOperatorSettings(t *testing.T) {
	t.Parallel()
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = w.Write([]byte(r.UserAgent() + strings.Repeat("x", 80)))
	}))
	t.Cleanup(site.Close)
	mails := mailtest.New(t, mailtest.Options{})
	mailing := []string{"config.mail.host=" + mails.Host, "config.mail.port=" + strconv.Itoa(mails.Port), "config.mail.from=sys@x.test"}
	const (
		fetch = "+a:\n  http>: SITE\n  store_content: true\n+b:\n  echo>: got ${http.last_content}\n"
		mail  = "+a:\n  mail>: {data: x}\n  to: a@x.test\n  subject: s\n  _retry: 0\n"
		set   = "+a:\n  param_set>:\n  k: v\n"
	)
	for _, c := range []struct {
		name, file string
		settings   []string
		exit       int
		says       string // on either stream
	}{
		{name: "http", file: fetch, says: "got Trowel/" + version.Number + " Go-http-client/1.1xxx"},
		{name: "user agent", file: fetch, settings: []string{"config.http.user_agent=Me"}, says: "got Me Go-http-client/1.1xxx"},
		{
			name: "size of content", file: fetch, settings: []string{"config.http.max_stored_response_content_size=50"}, exit: 1,
			says: "Response content too large: 1", // hundred and something
		},
		{name: "a size that is none", file: fetch, settings: []string{"config.http.max_redirects=few"}, exit: 1, says: "setting config.http.max_redirects = few: want a number from 0 on"},
		{name: "a proxy without a port", file: fetch, settings: []string{"config.http.proxy.enabled=true", "config.http.proxy.host=x"}, exit: 1, says: "setting config.http.proxy.enabled needs config.http.proxy.port"},
		{name: "mail", file: mail, settings: mailing},
		{name: "no mail server", file: mail + "  from: a@x.test\n", exit: 1, says: "Missing SMTP configuration"},
		{name: "a mail server without a port", file: mail, settings: mailing[:1], exit: 1, says: "setting config.mail.host needs config.mail.port"},
		{name: "no param server", file: set, exit: 1, says: "param_server.type is required to use this operator."},
		{name: "unknown param server", file: set, settings: []string{"param_server.type=files"}, exit: 1, says: "Unsupported param_server.type : files"},
		{
			name: "Redis", file: set, settings: []string{"param_server.type=redis", "param_server.host=127.0.0.1", "param_server.port=1"}, exit: 1,
			says: "set parameters: connect to Redis",
		},
		{
			name: "PostgreSQL", file: set, exit: 1, says: "set parameters: connect to postgresql://u@127.0.0.1:1/d",
			settings: []string{
				"param_server.type=postgresql", "param_server.host=127.0.0.1", "param_server.port=1", "param_server.user=u",
				"param_server.database=d", "param_server.ssl=true",
			},
		},
		{
			name: "PostgreSQL without a user", file: set, settings: []string{"param_server.type=postgresql", "param_server.host=x"}, exit: 1,
			says: "error: Parameter 'param_server.user' is required but not set",
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			console := newConsole(t)
			console.Write("w.dig", strings.ReplaceAll(c.file, "SITE", site.URL))
			args := []string{"run", "w.dig"}
			for _, setting := range c.settings {
				args = append(args, "-X", setting)
			}
			got := console.Run(args...)
			if got.Exit != c.exit || !strings.Contains(got.Stdout+got.Stderr, c.says) {
				t.Errorf("exit %d, want %d and %q:\n%s%s", got.Exit, c.exit, c.says, got.Stdout, got.Stderr)
			}
		})
	}
	t.Cleanup(func() {
		if got := mails.Messages(); len(got) != 1 || got[0].From != "sys@x.test" {
			t.Errorf("mails = %+v, want one", got)
		}
	})
}
