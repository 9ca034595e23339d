package notify

import (
	"context"
	"fmt"
	"net/mail"
	"time"

	"github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/template"
)

// Mail is a mail to send.
type Mail struct {
	From          *mail.Address
	To, Cc, Bcc   []*mail.Address
	Subject, Body string
	HTML          bool // Body is HTML
}

// MailOptions say who gets mails and what is in them.
type MailOptions struct {
	From        string
	To, Cc, Bcc []string
	Subject     string
	HTML        bool
	// BodyTemplate is a text whose ${...} see the keys of Payload. Empty for DefaultBody.
	BodyTemplate string
	Templates    *template.Evaluator
	// Transport sends a mail by SMTP, once.
	Transport func(ctx context.Context, m *Mail) error
}

// DefaultBody is the text of mails unless another is set (server 7.1).
const DefaultBody = `Digdag Notification
Message: ${message}
Date: ${timestamp}

Site Id: ${site_id}
Project Name: ${project_name}
Project Id: ${project_id}
Workflow Name: ${workflow_name}
Revision: ${revision}
Attempt Id: ${attempt_id}
Session Id: ${session_id}
Task Name: ${task_name}
Time Zone: ${timezone}
Session Uuid: ${session_uuid}
Session Time: ${session_time}
`

// Mails sends notifications as mails.
type Mails struct {
	opts        MailOptions
	from        *mail.Address
	to, cc, bcc []*mail.Address
}

// NewMails returns a Mails. It makes a sample mail to check the options. An error of kind invalid names
// the wrong setting.
func NewMails(ctx context.Context, opts MailOptions) (*Mails, error) {
	if opts.BodyTemplate == "" {
		opts.BodyTemplate = DefaultBody
	}
	m := &Mails{opts: opts}
	from, err := addresses("notification.mail.from", []string{opts.From})
	if err != nil {
		return nil, err
	}
	m.from = from[0]
	for _, list := range []struct {
		setting string
		texts   []string
		place   *[]*mail.Address
	}{
		{"notification.mail.to", opts.To, &m.to}, {"notification.mail.cc", opts.Cc, &m.cc}, {"notification.mail.bcc", opts.Bcc, &m.bcc},
	} {
		if *list.place, err = addresses(list.setting, list.texts); err != nil {
			return nil, err
		}
	}
	if len(m.to) == 0 {
		return nil, &trowel.Error{Kind: trowel.ErrInvalid, Message: "notification.mail.to is empty"}
	}
	if _, err := m.body(ctx, sample()); err != nil {
		return nil, &trowel.Error{
			Kind: trowel.ErrInvalid, Message: "notification.mail.body_template_file makes no text", Err: err,
			Hint: "its ${...} see the keys timestamp, message, project_name, workflow_name, attempt_id and so on",
		}
	}
	return m, nil
}

func addresses(setting string, texts []string) ([]*mail.Address, error) {
	var list []*mail.Address
	for _, text := range texts {
		address, err := mail.ParseAddress(text)
		if err != nil {
			return nil, &trowel.Error{
				Kind: trowel.ErrInvalid, Message: fmt.Sprintf("%s = %q is no address", setting, text), Err: err,
				Hint: "use one as in me@example.com or Me <me@example.com>",
			}
		}
		list = append(list, address)
	}
	return list, nil
}

// sample returns a notification with all fields set, to test a template.
func sample() Notification {
	at := time.Unix(0, 0).UTC()
	return Notification{
		At: at, Message: "sample", ProjectID: 1, ProjectName: "project", WorkflowID: 1, WorkflowName: "workflow",
		Revision: "revision", AttemptID: 1, SessionID: 1, TaskName: "+workflow+task", Zone: time.UTC,
		SessionUUID: "00000000-0000-0000-0000-000000000000", SessionTime: at,
	}
}

func (m *Mails) body(ctx context.Context, n Notification) (string, error) {
	return m.opts.Templates.Text(ctx, m.opts.BodyTemplate, n.Payload(), n.Zone)
}

// Send implements Sender.
func (m *Mails) Send(ctx context.Context, n Notification) error {
	body, err := m.body(ctx, n)
	if err != nil {
		return fmt.Errorf("make the text of the mail: %w", err)
	}
	err = m.opts.Transport(ctx, &Mail{
		From: m.from, To: m.to, Cc: m.cc, Bcc: m.bcc, Subject: m.opts.Subject, Body: body, HTML: m.opts.HTML,
	})
	if err != nil {
		return fmt.Errorf("send the mail: %w", err)
	}
	return nil
}
