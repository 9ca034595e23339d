package daemon

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"strings"

	"github.com/trowel-project/trowel/internal/config"
	"github.com/trowel-project/trowel/internal/fix"
	"github.com/trowel-project/trowel/internal/notify"
	"github.com/trowel-project/trowel/internal/operator"
	"github.com/trowel-project/trowel/internal/operator/mail"
	"github.com/trowel-project/trowel/internal/template"
)

// newNotifier returns the notifier of a server's settings (server 7.1). Without a type
// notifications become lines in the log. An error names the wrong setting.
func newNotifier(ctx context.Context, settings *config.Notification, templates *template.Evaluator, log *slog.Logger) (*notify.Notifier, error) {
	sender, err := newSender(ctx, settings, templates, log)
	if err != nil {
		return nil, err
	}
	return notify.New(sender, notify.Options{
		Retries: settings.Retries, MinWait: settings.MinWait, MaxWait: settings.MaxWait, Log: log,
	}), nil
}

func newSender(ctx context.Context, settings *config.Notification, templates *template.Evaluator, log *slog.Logger) (notify.Sender, error) {
	switch settings.Type {
	case "http":
		return notify.NewHTTP(notify.HTTPOptions{URL: settings.URL, Method: settings.Method, Headers: settings.Headers}), nil
	case "shell":
		return notify.NewShell(notify.ShellOptions{Command: settings.Command, Timeout: settings.Timeout}), nil
	case "mail":
		return newMailSender(ctx, settings, templates, log)
	}
	return notify.NewLog(log), nil
}

// newMailSender returns a sender of mails, which uses the code of mail>.
func newMailSender(ctx context.Context, settings *config.Notification, templates *template.Evaluator, log *slog.Logger) (notify.Sender, error) {
	body := ""
	if file := settings.BodyTemplateFile; file != "" {
		data, err := os.ReadFile(file)
		if err != nil {
			return nil, fix.UseMailBody.Failed(fmt.Errorf("read the file of notification.mail.body_template_file: %w", err))
		}
		body = string(data)
	}
	server := mail.Server{
		Host: settings.Host, Port: settings.Port, TLS: settings.TLS, SSL: settings.SSL,
		Username: settings.Username, Password: settings.Password,
	}
	if settings.Debug {
		server.Debug = func(line string) { log.Info("mail server", slog.String("line", strings.TrimRight(line, "\r\n"))) }
	}
	return notify.NewMails(ctx, notify.MailOptions{
		From: settings.Sender, To: settings.To, Cc: settings.Cc, Bcc: settings.Bcc,
		Subject: settings.Subject, HTML: settings.HTML, BodyTemplate: body, Templates: templates,
		Transport: func(ctx context.Context, m *notify.Mail) error {
			return mail.Send(ctx, server, &mail.Message{
				From: m.From, To: m.To, Cc: m.Cc, Bcc: m.Bcc, Subject: m.Subject, Body: m.Body, HTML: m.HTML,
			})
		},
	})
}

// taskNotifier sends the notifications of tasks.
type taskNotifier struct{ notifier *notify.Notifier }

// Notify implements operator.Notifier. It waits until the notification is sent or given up
// (operators 2.11).
func (n taskNotifier) Notify(ctx context.Context, notification operator.Notification) error {
	return n.notifier.Notify(ctx, notify.OfTask(notification.At, notification.Message, notification.Lease))
}
