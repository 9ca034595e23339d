package notify_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/notify"
	"github.com/trowel-project/trowel/internal/operator/mail"
	"github.com/trowel-project/trowel/internal/operator/mail/mailtest"
	"github.com/trowel-project/trowel/internal/template"
)

// transport sends with the code of mail>.
func transport(server *mailtest.Server) func(context.Context, *notify.Mail) error {
	return func(ctx context.Context, m *notify.Mail) error {
		return mail.Send(ctx, mail.Server{Host: server.Host, Port: server.Port}, &mail.Message{
			From: m.From, To: m.To, Cc: m.Cc, Bcc: m.Bcc, Subject: m.Subject, Body: m.Body, HTML: m.HTML,
		})
	}
}

func mailOptions() notify.MailOptions {
	return notify.MailOptions{
		From: "Trowel <trowel@example.com>", To: []string{"a@example.com"}, Subject: "Digdag Notification",
		Templates: template.New(template.Options{}),
	}
}

// Server 7.1: the default body has one line for each key.
func TestMail(t *testing.T) {
	t.Parallel()
	server := mailtest.New(t, mailtest.Options{})
	opts := mailOptions()
	opts.Cc, opts.Bcc, opts.Transport = []string{"c@example.com"}, []string{"b@example.com"}, transport(server)
	mails, err := notify.NewMails(t.Context(), opts)
	if err != nil {
		t.Fatal(err)
	}
	lease := &trowel.Lease{AttemptID: 4, FullName: "+w^failure-alert", Zone: time.UTC, Context: setting()}
	if err := mails.Send(t.Context(), notify.OfTask(at(), "Workflow session attempt failed", lease)); err != nil {
		t.Fatal(err)
	}
	got := server.Messages()
	if len(got) != 1 || len(got[0].Parts) != 1 {
		t.Fatalf("messages = %+v, want one", got)
	}
	if diff := cmp.Diff([]string{"a@example.com", "c@example.com", "b@example.com"}, got[0].To); diff != "" {
		t.Errorf("recipients (-want +got):\n%s", diff)
	}
	if subject := got[0].Header.Get("Subject"); subject != "Digdag Notification" {
		t.Errorf("subject = %q", subject)
	}
	want := `Digdag Notification
Message: Workflow session attempt failed
Date: 2024-01-02T03:04:05Z

Site Id: 0
Project Name: p
Project Id: 1
Workflow Name: w
Revision: r
Attempt Id: 4
Session Id: 3
Task Name: +w^failure-alert
Time Zone: UTC
Session Uuid: 21b98f61
Session Time: 2024-01-01T00:00:00+00:00
`
	body := strings.ReplaceAll(got[0].Parts[0].Body, "\r\n", "\n")
	if diff := cmp.Diff(strings.TrimSpace(want), strings.TrimSpace(body)); diff != "" {
		t.Errorf("body (-want +got):\n%s", diff)
	}
	if kind := got[0].Parts[0].Type; !strings.HasPrefix(kind, "text/plain") {
		t.Errorf("type = %q, want text/plain", kind)
	}
}

func TestMailTemplate(t *testing.T) {
	t.Parallel()
	var got *notify.Mail
	opts := mailOptions()
	opts.HTML, opts.BodyTemplate = true, "<b>${message}</b> ${attempt_id + 1} [${task_name}] ${moment(timestamp).year()}"
	opts.Transport = func(_ context.Context, m *notify.Mail) error { got = m; return nil }
	mails, err := notify.NewMails(t.Context(), opts)
	if err != nil {
		t.Fatal(err)
	}
	if err := mails.Send(t.Context(), notify.OfAttempt(at(), "m", 4, setting())); err != nil {
		t.Fatal(err)
	}
	if want := "<b>m</b> 5 [] 2024"; got == nil || got.Body != want || !got.HTML {
		t.Errorf("mail = %+v, want the body %q in HTML", got, want)
	}
}

// A sample is made when the server starts, to check the settings (operators 2.11).
func TestMailSettings(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name   string
		change func(*notify.MailOptions)
		want   string
	}{
		{"from", func(o *notify.MailOptions) { o.From = "nobody" }, `notification.mail.from = "nobody" is no address`},
		{"to", func(o *notify.MailOptions) { o.To = []string{"a@x", "b@"} }, `notification.mail.to = "b@" is no address`},
		{"no to", func(o *notify.MailOptions) { o.To = nil }, `notification.mail.to is empty`},
		{"cc", func(o *notify.MailOptions) { o.Cc = []string{""} }, `notification.mail.cc = "" is no address`},
		{"bcc", func(o *notify.MailOptions) { o.Bcc = []string{"a, b"} }, `notification.mail.bcc = "a, b" is no address`},
		{"template", func(o *notify.MailOptions) { o.BodyTemplate = "${mesage}" }, `notification.mail.body_template_file makes no text`},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			opts := mailOptions()
			c.change(&opts)
			_, err := notify.NewMails(t.Context(), opts)
			if err == nil || !errors.Is(err, trowel.ErrInvalid) || !strings.Contains(err.Error(), c.want) {
				t.Errorf("NewMails: error = %v, want %s", err, c.want)
			}
		})
	}
}

func TestMailFails(t *testing.T) {
	t.Parallel()
	server := mailtest.New(t, mailtest.Options{Refuse: "a@example.com"})
	opts := mailOptions()
	opts.Transport = transport(server)
	mails, err := notify.NewMails(t.Context(), opts)
	if err != nil {
		t.Fatal(err)
	}
	err = mails.Send(t.Context(), notify.OfAttempt(at(), "m", 4, setting()))
	if err == nil || !strings.HasPrefix(err.Error(), "send the mail: ") {
		t.Errorf("Send: error = %v, want that of the server", err)
	}
}
