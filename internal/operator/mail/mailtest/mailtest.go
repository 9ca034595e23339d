// Package mailtest is a small SMTP server for tests. It keeps the messages that it receives.
package mailtest

import (
	"bufio"
	"bytes"
	"crypto/tls"
	"crypto/x509"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"mime"
	"mime/multipart"
	"mime/quotedprintable"
	"net"
	"net/http/httptest"
	"net/mail"
	"net/textproto"
	"strings"
	"sync"
	"testing"
)

// Options say what the server offers.
type Options struct {
	StartTLS bool
	SSL      bool   // TLS from the start
	Auth     string // the mechanisms offered: PLAIN, LOGIN or both; empty for none
	Password string // that the server wants
	Refuse   string // a recipient that the server refuses
}

// Server is a server that runs until its test ends.
type Server struct {
	Host        string
	Port        int
	Certificate *x509.Certificate // self-made, for Host

	options Options
	config  *tls.Config
	mu      sync.Mutex
	got     []Message
}

// Message is a message that arrived.
type Message struct {
	From      string
	To        []string // recipients of the envelope
	User      string   // that logged in
	ActingFor string   // the identity that PLAIN gives besides the user
	Encrypted bool
	Header    mail.Header
	Parts     []Part // one, unless there are attachments
}

// Part is a part of a message, decoded.
type Part struct {
	Type, Name, Body string
}

// New starts a server.
func New(t *testing.T, options Options) *Server {
	t.Helper()
	made := httptest.NewUnstartedServer(nil)
	made.StartTLS() // for its certificate
	defer made.Close()
	listener, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s := &Server{
		Host: "127.0.0.1", Port: listener.Addr().(*net.TCPAddr).Port, Certificate: made.Certificate(), options: options,
		config: &tls.Config{Certificates: made.TLS.Certificates, MinVersion: tls.VersionTLS12},
	}
	var serving sync.WaitGroup
	serving.Go(func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			serving.Go(func() { s.serve(conn) })
		}
	})
	t.Cleanup(func() {
		_ = listener.Close()
		serving.Wait()
	})
	return s
}

// Messages returns the messages that have arrived.
func (s *Server) Messages() []Message {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.got
}

// session is one conversation.
type session struct {
	server *Server
	conn   net.Conn
	text   *textproto.Conn
	now    Message
}

func (s *Server) serve(conn net.Conn) {
	defer conn.Close() //nolint:errcheck // a test
	c := &session{server: s}
	if s.options.SSL {
		conn = tls.Server(conn, s.config)
		c.now.Encrypted = true
	}
	c.use(conn)
	c.say("220 ready")
	for {
		line, err := c.text.ReadLine()
		if err != nil || !c.obey(line) {
			return
		}
	}
}

func (c *session) use(conn net.Conn) {
	c.conn, c.text = conn, textproto.NewConn(conn)
}

func (c *session) say(line string) { _ = c.text.PrintfLine("%s", line) }

// obey answers a command. It returns false to end the conversation.
func (c *session) obey(line string) bool {
	verb, rest, _ := strings.Cut(line, " ")
	switch strings.ToUpper(verb) {
	case "EHLO":
		c.greet()
	case "STARTTLS":
		c.say("220 go on")
		c.now.Encrypted = true
		c.use(tls.Server(c.conn, c.server.config))
	case "AUTH":
		c.login(rest)
	case "MAIL":
		c.now.From, c.now.To = between(rest), nil
		c.say("250 ok")
	case "RCPT":
		if to := between(rest); to == c.server.options.Refuse {
			c.say("550 no such user")
		} else {
			c.now.To = append(c.now.To, to)
			c.say("250 ok")
		}
	case "DATA":
		c.say("354 go on")
		c.take()
	case "QUIT":
		c.say("221 bye")
		return false
	default:
		c.say("250 ok")
	}
	return true
}

func (c *session) greet() {
	lines := []string{"mailtest"}
	if c.server.options.StartTLS && !c.now.Encrypted {
		lines = append(lines, "STARTTLS")
	}
	if c.server.options.Auth != "" {
		lines = append(lines, "AUTH "+c.server.options.Auth)
	}
	for i, line := range lines {
		separator := "-"
		if i == len(lines)-1 {
			separator = " "
		}
		c.say("250" + separator + line)
	}
}

func (c *session) login(rest string) {
	mechanism, first, _ := strings.Cut(rest, " ")
	var user, password string
	if mechanism == "PLAIN" {
		parts := strings.Split(decode64(first), "\x00")
		c.now.ActingFor, user, password = parts[0], parts[1], parts[2]
	} else {
		user, password = decode64(c.ask("Username:")), decode64(c.ask("Password:"))
	}
	if password != c.server.options.Password {
		c.say("535 5.7.8 wrong")
		return
	}
	c.now.User = user
	c.say("235 welcome")
}

func (c *session) ask(what string) string {
	c.say("334 " + base64.StdEncoding.EncodeToString([]byte(what)))
	line, _ := c.text.ReadLine()
	return line
}

// take reads a message.
func (c *session) take() {
	data, err := c.text.ReadDotBytes()
	if err == nil {
		c.now.Header, c.now.Parts, err = parse(data)
	}
	if err != nil {
		c.say(fmt.Sprintf("554 %v", err))
		return
	}
	c.server.mu.Lock()
	c.server.got = append(c.server.got, c.now)
	c.server.mu.Unlock()
	c.say("250 taken")
}

func parse(data []byte) (mail.Header, []Part, error) {
	message, err := mail.ReadMessage(bufio.NewReader(bytes.NewReader(data)))
	if err != nil {
		return nil, nil, err
	}
	kind, params, err := mime.ParseMediaType(message.Header.Get("Content-Type"))
	if err != nil {
		return nil, nil, err
	}
	if kind != "multipart/mixed" {
		part, err := read(textproto.MIMEHeader(message.Header), message.Body)
		part.Body = strings.TrimSuffix(part.Body, "\n") // of the end of the message
		return message.Header, []Part{part}, err
	}
	var parts []Part
	reader := multipart.NewReader(message.Body, params["boundary"])
	for {
		raw, err := reader.NextRawPart()
		if errors.Is(err, io.EOF) {
			return message.Header, parts, nil
		}
		if err != nil {
			return nil, nil, err
		}
		part, err := read(raw.Header, raw)
		if err != nil {
			return nil, nil, err
		}
		parts = append(parts, part)
	}
}

func read(header textproto.MIMEHeader, body io.Reader) (Part, error) {
	switch strings.ToLower(header.Get("Content-Transfer-Encoding")) {
	case "base64":
		body = base64.NewDecoder(base64.StdEncoding, body)
	case "quoted-printable":
		body = quotedprintable.NewReader(body)
	}
	_, params, _ := mime.ParseMediaType(header.Get("Content-Disposition"))
	text, err := io.ReadAll(body)
	return Part{Type: header.Get("Content-Type"), Name: params["filename"], Body: string(text)}, err
}

func decode64(text string) string {
	data, _ := base64.StdEncoding.DecodeString(text)
	return string(data)
}

// between returns what is in angle brackets.
func between(text string) string {
	_, after, _ := strings.Cut(text, "<")
	inside, _, _ := strings.Cut(after, ">")
	return inside
}
