package operator

import (
	"context"
	"errors"
	"fmt"
	netmail "net/mail"
	"path"
	"strings"

	"github.com/trowel-project/trowel/internal/operator/mail"
	"github.com/trowel-project/trowel/internal/param"
	"github.com/trowel-project/trowel/internal/secret"
)

// Texts and kinds of operators 5.2.
const (
	mailNoServer       = "Missing SMTP configuration"
	mailBadAddress     = "Invalid address"
	mailPasswordOption = "Unsecure 'password' parameter is deprecated."
	mailBadPort        = "Secret 'mail.port' must be a number" // ours

	kindMessaging      = "messaging"
	kindAuthentication = "authentication failed"
)

// MailOptions are the system's settings for mail> (config.mail.*, operators 5.2).
type MailOptions struct {
	Host       string // empty for none
	Port       int
	NoTLS      bool // never STARTTLS, even if the server offers it
	SSL, Debug bool
	Username   string // empty for no login
	Password   secret.Value
	// From and Subject are used if a task has none.
	From, Subject string
}

// mailer runs mail>.
type mailer struct {
	options MailOptions
}

// runMail sends one message (operators 5.2). A task that is repeated sends it again.
func (m *mailer) runMail(ctx context.Context, r *Request) (Outcome, error) {
	params, err := r.Section("mail")
	if err != nil {
		return Outcome{}, err
	}
	draft, err := m.draft(ctx, r, params)
	if err != nil {
		return Outcome{}, err
	}
	server, secretHost, err := m.server(ctx, r, params)
	if err != nil {
		return Outcome{}, err
	}
	message, err := m.message(r, params, draft)
	if err != nil {
		return Outcome{}, err
	}
	r.Waiting()
	err = mail.Send(ctx, server, message)
	switch {
	case err == nil:
		return Success()
	case ctx.Err() != nil:
		return Outcome{}, fmt.Errorf("send mail: %w", context.Cause(ctx))
	}
	kind := kindMessaging
	if errors.Is(err, mail.ErrAuthentication) {
		kind = kindAuthentication
	}
	text := err.Error()
	if secretHost {
		text = strings.ReplaceAll(text, server.Host, "***")
	}
	return Outcome{}, &Error{Kind: kind, Message: text}
}

// mailDraft is what is read before the server is chosen. Options are read in Digdag's order, as
// only the first of several mistakes is reported.
type mailDraft struct {
	body, subject string
	to, bcc, cc   []string
	html          bool
}

func (m *mailer) draft(ctx context.Context, r *Request, params *param.Reader) (d mailDraft, err error) {
	if d.body, err = r.CommandText(ctx, params, "body"); err != nil {
		return d, err
	}
	if d.subject, err = stringOrSetting(params, "subject", m.options.Subject); err != nil {
		return d, err
	}
	if d.to, err = mailTo(params); err != nil {
		return d, err
	}
	if d.bcc, err = mailTexts(params, "bcc"); err != nil {
		return d, err
	}
	if d.cc, err = mailTexts(params, "cc"); err != nil {
		return d, err
	}
	d.html, err = params.BoolOr("html", false)
	return d, err
}

// message reads the rest of the message.
func (m *mailer) message(r *Request, params *param.Reader, d mailDraft) (*mail.Message, error) {
	message := &mail.Message{Body: d.body, Subject: d.subject, HTML: d.html}
	from, err := stringOrSetting(params, "from", m.options.From)
	if err != nil {
		return nil, err
	}
	if message.From, err = mailAddress(from); err != nil {
		return nil, err
	}
	message.Sender = message.From
	if message.To, err = mailAddresses(d.to); err != nil {
		return nil, err
	}
	if message.Bcc, err = mailAddresses(d.bcc); err != nil {
		return nil, err
	}
	if message.Cc, err = mailAddresses(d.cc); err != nil {
		return nil, err
	}
	message.Attachments, err = mailAttachments(r, params)
	return message, err
}

// stringOrSetting reads a text that is required unless there is a setting.
func stringOrSetting(params *param.Reader, key, setting string) (string, error) {
	if setting == "" {
		return params.String(key)
	}
	return params.StringOr(key, setting)
}

func mailAddress(text string) (*netmail.Address, error) {
	address, err := netmail.ParseAddress(text)
	if err != nil {
		return nil, &Error{Kind: KindConfig, Message: mailBadAddress, Err: fmt.Errorf("%q: %w", text, err)}
	}
	return address, nil
}

// mailTo reads the option to: a list, or a single address.
func mailTo(params *param.Reader) ([]string, error) {
	raw, _ := params.Value("to")
	if _, isList := raw.(param.List); isList {
		return mailTexts(params, "to")
	}
	text, err := params.String("to")
	return []string{text}, err
}

func mailTexts(params *param.Reader, key string) ([]string, error) {
	list, err := params.ListOr(key, nil)
	if err != nil {
		return nil, err
	}
	return texts(key, list)
}

func mailAddresses(all []string) ([]*netmail.Address, error) {
	var addresses []*netmail.Address
	for _, text := range all {
		address, err := mailAddress(text)
		if err != nil {
			return nil, err
		}
		addresses = append(addresses, address)
	}
	return addresses, nil
}

// mailAttachments reads the option attach_files. The name of an attachment is the last part of its path. Digdag keeps the
// slash before it.
func mailAttachments(r *Request, params *param.Reader) ([]mail.Attachment, error) {
	list, err := params.ListOr("attach_files", nil)
	if err != nil {
		return nil, err
	}
	var attachments []mail.Attachment
	for _, element := range list {
		object, ok := element.(*param.Map)
		if !ok {
			return nil, param.WrongType("attach_files", param.TypeMap, element)
		}
		entry := param.NewReader(object)
		name, err := entry.String("path")
		if err != nil {
			return nil, err
		}
		var a mail.Attachment
		if a.Path, err = r.workspace.path(name); err != nil {
			return nil, err
		}
		if a.Name, err = entry.StringOr("filename", path.Base(name)); err != nil {
			return nil, err
		}
		if a.ContentType, err = entry.StringOr("content_type", "application/octet-stream"); err != nil {
			return nil, err
		}
		attachments = append(attachments, a)
	}
	return attachments, nil
}
