package mail

import (
	"errors"
	"net/mail"
	"os"

	gomail "github.com/wneessen/go-mail"
)

// Message is what is sent.
type Message struct {
	From, Sender *mail.Address // Sender may be nil
	To, Cc, Bcc  []*mail.Address
	Subject      string
	Body         string
	HTML         bool // Body is HTML
	Attachments  []Attachment
}

// Attachment is a file that a message carries.
type Attachment struct {
	Path        string // of the file
	Name        string // in the message
	ContentType string
}

// errNoRecipient has the text of Digdag's library.
var errNoRecipient = errors.New("No recipient addresses") //nolint:staticcheck // a sentinel with a foreign text

// content returns the message with headers. closeFiles must be called after sending it.
func (m *Message) content() (msg *gomail.Msg, closeFiles func(), err error) {
	msg = gomail.NewMsg(gomail.WithNoDefaultUserAgent())
	msg.FromMailAddress(m.From)
	if m.Sender != nil {
		msg.SetGenHeaderPreformatted("Sender", m.Sender.String())
	}
	msg.ToMailAddress(m.To...)
	msg.CcMailAddress(m.Cc...)
	msg.BccMailAddress(m.Bcc...)
	msg.Subject(m.Subject)
	msg.SetMessageID()
	msg.SetDate()
	contentType := gomail.TypeTextPlain
	if m.HTML {
		contentType = gomail.TypeTextHTML
	}
	msg.SetBodyString(contentType, m.Body)
	var files []*os.File
	closeFiles = func() {
		for _, file := range files {
			_ = file.Close() // it was only read
		}
	}
	for _, a := range m.Attachments {
		file, err := openRegular(a.Path)
		if err != nil {
			closeFiles()
			return nil, nil, err
		}
		files = append(files, file)
		msg.AttachReadSeeker(a.Name, file, gomail.WithFileContentType(gomail.ContentType(a.ContentType)))
	}
	return msg, closeFiles, nil
}

// openRegular opens a file, which must not be a folder or a pipe.
func openRegular(path string) (*os.File, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, &os.PathError{Op: "open", Path: path, Err: errors.New("not a regular file")}
	}
	return os.Open(path)
}
