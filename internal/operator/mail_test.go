package operator_test

import (
	"mime"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/trowel-project/trowel/internal/operator"
	"github.com/trowel-project/trowel/internal/operator/mail/mailtest"
	"github.com/trowel-project/trowel/internal/param"
	"github.com/trowel-project/trowel/internal/secret"
)

// mailing makes a task of mail> with a server. It adds the parts of a message that own lacks.
func mailing(t *testing.T, options operator.MailOptions, own *param.Map) (*fixture, *mailtest.Server) {
	t.Helper()
	server := mailtest.New(t, mailtest.Options{Auth: "PLAIN", Password: "pw"})
	own = own.Clone()
	own.MergeDefaults(param.Of("mail>", nil, "subject", "hi", "from", "a@x.test", "to", "b@x.test"))
	f := newFixture(t, own)
	f.Request.Secrets = secretMap{}
	f.With("mail", param.Of("host", server.Host, "port", server.Port))
	f.Table = operator.Core(operator.Options{Mail: options})
	return f, server
}

// Operators 5.2, 1.9: what is sent.
func TestMailMessage(t *testing.T) {
	t.Parallel()
	list := func(texts ...any) param.List { return texts }
	type sent struct {
		From    string
		To      []string
		Subject string
		Parts   []mailtest.Part
	}
	plain := func(body string) []mailtest.Part {
		return []mailtest.Part{{Type: "text/plain; charset=UTF-8", Body: body}}
	}
	to := []string{"b@x.test"}
	for _, c := range []struct {
		name string
		own  *param.Map
		want sent
	}{
		{name: "body", own: param.Of("body", "one\ntwo"), want: sent{"a@x.test", to, "hi", plain("one\ntwo")}},
		{name: "data", own: param.Of("mail>", param.Of("data", "text")), want: sent{"a@x.test", to, "hi", plain("text")}},
		{name: "file", own: param.Of("mail>", "sub/body.txt", "who", "Ann"), want: sent{"a@x.test", to, "hi", plain("Dear Ann")}},
		{name: "UTF-8", own: param.Of("body", "größe", "subject", "Übersicht 日本"), want: sent{"a@x.test", to, "Übersicht 日本", plain("größe")}},
		{
			name: "HTML", own: param.Of("body", "<b>x</b>", "html", true),
			want: sent{"a@x.test", to, "hi", []mailtest.Part{{Type: "text/html; charset=UTF-8", Body: "<b>x</b>"}}},
		},
		{
			name: "recipients", own: param.Of("body", "x", "to", list("b@x.test", "Carl <c@x.test>"), "cc", list("d@x.test"), "bcc", list("e@x.test")),
			want: sent{"a@x.test", []string{"b@x.test", "c@x.test", "d@x.test", "e@x.test"}, "hi", plain("x")},
		},
		{
			name: "attachments",
			own: param.Of("body", "x", "attach_files", list(
				param.Of("path", "sub/body.txt"), param.Of("path", "sub/body.txt", "filename", "ä.txt", "content_type", "text/csv"),
			)),
			want: sent{"a@x.test", to, "hi", append(
				plain("x"),
				mailtest.Part{Type: `application/octet-stream; name="body.txt"`, Name: "body.txt", Body: "Dear ${who}"},
				mailtest.Part{Type: `text/csv; name="=?UTF-8?q?=C3=A4.txt?="`, Name: "=?UTF-8?q?=C3=A4.txt?=", Body: "Dear ${who}"},
			)},
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			f, server := mailing(t, operator.MailOptions{}, c.own)
			f.File("sub/body.txt", "Dear ${who}")
			outcome, err := f.Run()
			if err != nil || !outcome.Result.Empty() {
				t.Fatalf("result %+v, error %v", outcome.Result, err)
			}
			messages := server.Messages()
			if len(messages) != 1 {
				t.Fatalf("%d messages arrived, want one", len(messages))
			}
			m := messages[0]
			subject, err := decodeHeader(m.Header.Get("Subject"))
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(c.want, sent{m.From, m.To, subject, m.Parts}); diff != "" {
				t.Errorf("message differs (-want +got):\n%s", diff)
			}
			if got := m.Header.Get("Sender"); got != "<a@x.test>" {
				t.Errorf("Sender = %q", got)
			}
			if m.Header.Get("Bcc") != "" {
				t.Error("the message shows who got a blind copy")
			}
		})
	}
}

// Operators 5.2: mistakes in options.
func TestMailMistakes(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, message string
		own           *param.Map
	}{
		{name: "no body", own: param.New(), message: "Parameter 'body' is required but not set (config)"},
		{name: "no data", own: param.Of("mail>", param.New()), message: "Parameter 'data' is required but not set (config)"},
		{name: "no file", own: param.Of("mail>", "none.txt"), message: "File not found: PROJECT/none.txt (config)"},
		{name: "folder", own: param.Of("mail>", "sub"), message: "Failed to read file: sub: java.io.IOException (config)"},
		{name: "file outside", own: param.Of("mail>", "../x"), message: "File name must not be outside of project path (PROJECT): ../x (illegal argument)"},
		{
			name: "template", own: param.Of("mail>", "bad.txt"),
			message: "Failed to evaluate a variable ${nobody.x} (ReferenceError: nobody is not defined) in bad.txt (config)",
		},
		{name: "no subject", own: param.Of("body", "x", "subject", nil), message: "Parameter 'subject' is required but null (config)"},
		{name: "no recipient", own: param.Of("body", "x", "to", nil), message: "Parameter 'to' is required but null (config)"},
		{name: "empty list", own: param.Of("body", "x", "to", param.List{}), message: "No recipient addresses (messaging)"},
		{name: "two in a text", own: param.Of("body", "x", "to", "b@x.test, c@x.test"), message: "Invalid address (config)"},
		{name: "bad address", own: param.Of("body", "x", "cc", param.List{"nobody at home"}), message: "Invalid address (config)"},
		{name: "line in address", own: param.Of("body", "x", "from", "a@x.test\r\nX: y"), message: "Invalid address (config)"},
		{name: "text as cc", own: param.Of("body", "x", "cc", "c@x.test"), message: `Expected array type for key 'cc' but got "c@x.test" (string) (config)`},
		{
			name: "attachment", own: param.Of("body", "x", "attach_files", param.List{"a.txt"}),
			message: `Expected object type for key 'attach_files' but got "a.txt" (string) (config)`,
		},
		{
			name: "attachment without a path", own: param.Of("body", "x", "attach_files", param.List{param.New()}),
			message: "Parameter 'path' is required but not set (config)",
		},
		{
			name: "missing attachment", own: param.Of("body", "x", "attach_files", param.List{param.Of("path", "a.txt")}),
			message: "stat PROJECT/a.txt: no such file or directory (messaging)",
		},
		{name: "login", own: param.Of("body", "x", "username", "ann"), message: `authentication failed: 535 5.7.8 wrong (authentication failed)`},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			f, server := mailing(t, operator.MailOptions{}, c.own)
			f.File("sub/x", "").File("bad.txt", "${nobody.x}")
			_, err := f.Run()
			if got := strings.ReplaceAll(message(err), f.Project, "PROJECT"); got != c.message {
				t.Errorf("message = %q, want %q", got, c.message)
			}
			if got := server.Messages(); len(got) != 0 {
				t.Errorf("%d messages arrived, want none", len(got))
			}
		})
	}
}

// Operators 5.2: the settings all come from the user, or all from the system.
func TestMailServerOfWhom(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, message, user string
		own                 *param.Map
		secrets             secretMap
		system              operator.MailOptions
		has                 bool // the system has a server
	}{
		{name: "nobody's", message: "Missing SMTP configuration"},
		{name: "nobody's, and no sender", own: param.Of("from", nil), message: "Missing SMTP configuration"},
		{name: "the system's", has: true},
		{name: "the system's with a login", has: true, system: operator.MailOptions{Username: "sys", Password: secret.NewValue("pw")}, user: "sys"},
		{name: "the user's", own: param.Of("host", "HOST", "port", "PORT")},
		{name: "the user's, with secrets", secrets: secretMap{"mail.host": "HOST", "mail.port": " PORT ", "mail.tls": "false"}},
		{
			name: "secrets before options", own: param.Of("host", "127.0.0.9", "port", 1, "username", "no"),
			secrets: secretMap{"mail.host": "HOST", "mail.port": "PORT", "mail.username": "ann", "mail.password": "pw"}, user: "ann",
		},
		{
			name: "the system's login is for its server", has: true, own: param.Of("host", "HOST", "port", "PORT"),
			system: operator.MailOptions{Username: "sys", Password: secret.NewValue("pw")},
		},
		{
			name: "the option password does not count", own: param.Of("host", "HOST", "port", "PORT", "username", "ann", "password", "pw"),
			message: "authentication failed: 535 5.7.8 wrong (authentication failed)",
		},
		{name: "no port", own: param.Of("host", "HOST"), message: "Parameter 'port' is required but not set (config)"},
		{name: "port that is no number", secrets: secretMap{"mail.host": "HOST", "mail.port": "smtp"}, message: "Secret 'mail.port' must be a number (config)"},
		{
			name: "no connection", secrets: secretMap{"mail.host": "127.0.0.1", "mail.port": "1"},
			message: "dial tcp ***:1: connect: connection refused (messaging)",
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			server := mailtest.New(t, mailtest.Options{Auth: "PLAIN", Password: "pw"})
			system := c.system
			if c.has {
				system.Host, system.Port = server.Host, server.Port
			}
			fill := strings.NewReplacer("HOST", server.Host, "PORT", strconv.Itoa(server.Port)).Replace
			own := param.Of("mail>", nil, "body", "x", "from", "a@x.test", "to", "b@x.test", "subject", "hi")
			for key, value := range c.own.All() {
				if text, ok := value.(string); ok {
					value = fill(text)
				}
				own.Set(key, value)
			}
			secrets := secretMap{}
			for key, text := range c.secrets {
				secrets[key] = fill(text)
			}
			f := newFixture(t, own)
			f.Request.Secrets = secrets
			f.Table = operator.Core(operator.Options{Mail: system})
			_, err := f.Run()
			if got := message(err); got != c.message {
				t.Fatalf("message = %q, want %q", got, c.message)
			}
			if c.message != "" {
				return
			}
			if got := server.Messages(); len(got) != 1 || got[0].User != c.user {
				t.Errorf("messages = %+v, want one of %q", got, c.user)
			}
		})
	}
}

// Operators 5.2: the system's sender and subject are used if there are none.
func TestMailDefaults(t *testing.T) {
	t.Parallel()
	server := mailtest.New(t, mailtest.Options{})
	f := newFixture(t, param.Of("mail>", nil, "body", "x", "to", "b@x.test"))
	f.Request.Secrets = secretMap{}
	f.Table = operator.Core(operator.Options{Mail: operator.MailOptions{
		Host: server.Host, Port: server.Port, From: "sys@x.test", Subject: "from the system", Debug: true,
	}})
	if _, err := f.Run(); err != nil {
		t.Fatal(err)
	}
	if got := server.Messages()[0]; got.From != "sys@x.test" || got.Header.Get("Subject") != "from the system" {
		t.Errorf("message = %+v", got)
	}
	if !strings.Contains(f.Output.String(), "C: MAIL FROM:<sys@x.test>") {
		t.Errorf("output = %q, want the conversation", f.Output.String())
	}
}

// Operators 1.12: a failure is repeated by _retry.
func TestMailRetry(t *testing.T) {
	t.Parallel()
	f, _ := mailing(t, operator.MailOptions{}, param.Of("body", "x", "to", param.List{}, "_retry", 1))
	outcome, err := f.Run()
	if err != nil || outcome.Again == nil {
		t.Errorf("outcome = %+v, error %v, want another run", outcome, err)
	}
}

func decodeHeader(text string) (string, error) { return new(mime.WordDecoder).DecodeHeader(text) }
