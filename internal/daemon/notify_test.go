package daemon

import (
	"bytes"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/config"
	"github.com/trowel-project/trowel/internal/operator"
	"github.com/trowel-project/trowel/internal/operator/mail/mailtest"
	"github.com/trowel-project/trowel/internal/template"
)

// notification sends a notification about a task with a server's settings, and returns the log.
func notification(t *testing.T, pairs ...string) (log string, err error) {
	t.Helper()
	settings := config.Settings{}
	for i := 0; i < len(pairs); i += 2 {
		settings[pairs[i]] = config.Setting{Value: pairs[i+1]}
	}
	server, _, err := config.Read(settings)
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	n, err := newNotifier(t.Context(), &server.Notification, template.New(template.Options{}), slog.New(slog.NewTextHandler(&out, nil)))
	if err != nil {
		return "", err
	}
	err = taskNotifier{n}.Notify(t.Context(), operator.Notification{
		At: time.Unix(0, 0), Message: "hello", Lease: &trowel.Lease{AttemptID: 4, FullName: "+w+a", Zone: time.UTC, Context: &trowel.AttemptContext{}},
	})
	return out.String(), err
}

// Server 7.1: each type with its settings.
func TestNotifier(t *testing.T) {
	t.Parallel()
	t.Run("none", func(t *testing.T) {
		t.Parallel()
		log, err := notification(t)
		if err != nil || !strings.Contains(log, "message=hello") {
			t.Errorf("log = %q, %v", log, err)
		}
	})
	t.Run("http", func(t *testing.T) {
		t.Parallel()
		var body string
		server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
			data, _ := io.ReadAll(r.Body) // a short body fails the test below
			body = r.Method + " " + r.Header.Get("X-Key") + " " + string(data)
		}))
		defer server.Close()
		_, err := notification(t, "notification.type", "http", "notification.http.url", server.URL, "notification.http.method", "PUT", "notification.http.headers.X-Key", "k")
		if err != nil || !strings.HasPrefix(body, `PUT k {"timestamp":"1970-01-01T00:00:00Z","message":"hello",`) {
			t.Errorf("request = %s, %v", body, err)
		}
	})
	t.Run("mail", func(t *testing.T) {
		t.Parallel()
		server := mailtest.New(t, mailtest.Options{Auth: "PLAIN", Password: "hush"})
		file := filepath.Join(t.TempDir(), "body")
		if err := os.WriteFile(file, []byte("${message} of ${task_name}"), 0o600); err != nil {
			t.Fatal(err)
		}
		log, err := notification(t, "notification.type", "mail", "notification.mail.host", server.Host, "notification.mail.port", strconv.Itoa(server.Port),
			"notification.mail.from", "a@example.com", "notification.mail.to", "b@example.com", "notification.mail.subject", "S",
			"notification.mail.username", "me", "notification.mail.password", "hush", "notification.mail.debug", "true",
			"notification.mail.body_template_file", file)
		got := server.Messages()
		if err != nil || len(got) != 1 || got[0].User != "me" || got[0].Header.Get("Subject") != "S" || strings.TrimSpace(got[0].Parts[0].Body) != "hello of +w+a" {
			t.Errorf("messages = %+v, %v", got, err)
		}
		if !strings.Contains(log, "mail server") || strings.Contains(log, "hush") {
			t.Errorf("log = %s", log)
		}
	})
	t.Run("mail without template", func(t *testing.T) {
		t.Parallel()
		_, err := notification(t, "notification.type", "mail", "notification.mail.host", "h", "notification.mail.port", "25",
			"notification.mail.from", "a@example.com", "notification.mail.to", "b@example.com", "notification.mail.body_template_file", filepath.Join(t.TempDir(), "none"))
		if err == nil || !strings.HasPrefix(err.Error(), "read the file of notification.mail.body_template_file: ") {
			t.Errorf("error = %v, want one that names the setting", err)
		}
	})
	t.Run("shell", func(t *testing.T) {
		t.Parallel()
		_, err := notification(t, "notification.type", "shell", "notification.shell.command", "exit 2", "notification.retries", "0")
		if err == nil || !strings.Contains(err.Error(), "otification shell command") {
			t.Errorf("error = %v, want that of the command", err)
		}
	})
}
