package mail_test

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/base64"
	"errors"
	"net"
	netmail "net/mail"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/trowel-project/trowel/internal/operator/mail"
	"github.com/trowel-project/trowel/internal/operator/mail/mailtest"
)

func address(text string) *netmail.Address { return &netmail.Address{Address: text} }

func message() *mail.Message {
	return &mail.Message{From: address("a@x.test"), To: []*netmail.Address{address("b@x.test")}, Subject: "s", Body: "hello"}
}

// trusting returns a configuration that trusts a server's certificate.
func trusting(s *mailtest.Server) *tls.Config {
	pool := x509.NewCertPool()
	pool.AddCert(s.Certificate)
	return &tls.Config{RootCAs: pool}
}

// Operators 5.2: how a conversation is secured, and how it logs in.
func TestTransport(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name      string
		server    mailtest.Options
		client    mail.Server
		distrust  bool
		encrypted bool
		user      string
		fails     bool
		refused   bool // as not authenticated
	}{
		{name: "plain", client: mail.Server{}},
		{name: "STARTTLS", server: mailtest.Options{StartTLS: true}, client: mail.Server{TLS: true}, encrypted: true},
		{name: "STARTTLS is not offered", client: mail.Server{TLS: true}},
		{name: "STARTTLS is not wanted", server: mailtest.Options{StartTLS: true}, client: mail.Server{}},
		{name: "STARTTLS with an unknown certificate", server: mailtest.Options{StartTLS: true}, client: mail.Server{TLS: true}, distrust: true, fails: true},
		{name: "SSL", server: mailtest.Options{SSL: true}, client: mail.Server{TLS: true, SSL: true}, encrypted: true},
		{name: "SSL with an unknown certificate", server: mailtest.Options{SSL: true}, client: mail.Server{SSL: true}, distrust: true, fails: true},
		{name: "login", server: mailtest.Options{Auth: "PLAIN LOGIN", Password: "pw"}, client: mail.Server{Username: "ann", Password: "pw"}, user: "ann"},
		{name: "LOGIN alone", server: mailtest.Options{Auth: "LOGIN", Password: "pw"}, client: mail.Server{Username: "ann", Password: "pw"}, user: "ann"},
		{
			name: "login over TLS", server: mailtest.Options{StartTLS: true, Auth: "PLAIN", Password: "pw"},
			client: mail.Server{TLS: true, Username: "ann", Password: "pw"}, user: "ann", encrypted: true,
		},
		{name: "empty password", server: mailtest.Options{Auth: "PLAIN"}, client: mail.Server{Username: "ann"}, user: "ann"},
		{name: "wrong password", server: mailtest.Options{Auth: "PLAIN", Password: "pw"}, client: mail.Server{Username: "ann", Password: "no"}, fails: true, refused: true},
		{name: "no login without a user", server: mailtest.Options{Auth: "PLAIN", Password: "pw"}, client: mail.Server{Password: "pw"}},
		{name: "a recipient is refused", server: mailtest.Options{Refuse: "b@x.test"}, client: mail.Server{}, fails: true},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			server := mailtest.New(t, c.server)
			client := c.client
			client.Host, client.Port = server.Host, server.Port
			if !c.distrust {
				client.Config = trusting(server)
			}
			err := mail.Send(t.Context(), client, message())
			if (err != nil) != c.fails || errors.Is(err, mail.ErrAuthentication) != c.refused {
				t.Fatalf("Send: %v", err)
			}
			got := server.Messages()
			if c.fails {
				if len(got) != 0 {
					t.Errorf("%d messages arrived, want none", len(got))
				}
				return
			}
			if len(got) != 1 || got[0].Encrypted != c.encrypted || got[0].User != c.user {
				t.Fatalf("messages = %+v, want one, encrypted = %v, user = %q", got, c.encrypted, c.user)
			}
			if strings.HasPrefix(c.server.Auth, "PLAIN") && got[0].ActingFor != c.user {
				t.Errorf("PLAIN names %q to act for, want the user as JavaMail does", got[0].ActingFor)
			}
		})
	}
}

// Operators 5.2, debug: the conversation is shown, but no password.
func TestDebug(t *testing.T) {
	t.Parallel()
	server := mailtest.New(t, mailtest.Options{Auth: "PLAIN", Password: "pw"})
	var lines []string
	client := mail.Server{Host: server.Host, Port: server.Port, Username: "ann", Password: "pw", Debug: func(line string) { lines = append(lines, line) }}
	if err := mail.Send(t.Context(), client, message()); err != nil {
		t.Fatal(err)
	}
	text := strings.Join(lines, "\n")
	if !strings.Contains(text, "C: MAIL FROM:<a@x.test>") || !strings.Contains(text, "S: 250") {
		t.Errorf("conversation = %s", text)
	}
	if strings.Contains(text, base64.StdEncoding.EncodeToString([]byte("ann\x00ann\x00pw"))) {
		t.Errorf("the conversation shows the password: %s", text)
	}
}

// A message without a recipient, or with a file that cannot be read, is not sent at all.
func TestNothingToSend(t *testing.T) {
	t.Parallel()
	server := mailtest.New(t, mailtest.Options{})
	client := mail.Server{Host: server.Host, Port: server.Port}
	nobody := message()
	nobody.To = nil
	if err := mail.Send(t.Context(), client, nobody); err == nil || err.Error() != "No recipient addresses" {
		t.Errorf("no recipient: %v", err)
	}
	for _, path := range []string{filepath.Join(t.TempDir(), "none"), t.TempDir()} {
		attached := message()
		attached.Attachments = []mail.Attachment{{Path: path, Name: "x", ContentType: "a/b"}}
		if err := mail.Send(t.Context(), client, attached); err == nil {
			t.Errorf("%s was attached", path)
		}
	}
	if got := server.Messages(); len(got) != 0 {
		t.Errorf("%d messages arrived, want none", len(got))
	}
}

// A conversation that hangs ends with its context.
func TestCanceled(t *testing.T) {
	t.Parallel()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close() //nolint:errcheck // a test
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		conn, err := listener.Accept()
		if err == nil {
			cancel()
			<-ctx.Done()
			_, _ = conn.Read(make([]byte, 1)) // until the client gives up
			_ = conn.Close()
		}
	}()
	at := listener.Addr().(*net.TCPAddr)
	if err := mail.Send(ctx, mail.Server{Host: "127.0.0.1", Port: at.Port}, message()); err == nil {
		t.Error("Send succeeded, want an error")
	}
}

// Large files are sent completely.
func TestLargeAttachment(t *testing.T) {
	t.Parallel()
	server := mailtest.New(t, mailtest.Options{})
	path := filepath.Join(t.TempDir(), "big")
	if err := os.WriteFile(path, []byte(strings.Repeat("0123456789", 1<<17)), 0o600); err != nil {
		t.Fatal(err)
	}
	m := message()
	m.Attachments = []mail.Attachment{{Path: path, Name: "big", ContentType: "application/octet-stream"}}
	if err := mail.Send(t.Context(), mail.Server{Host: server.Host, Port: server.Port}, m); err != nil {
		t.Fatal(err)
	}
	if got := server.Messages()[0].Parts[1]; len(got.Body) != 10<<17 {
		t.Errorf("the file arrived with %d bytes", len(got.Body))
	}
}
