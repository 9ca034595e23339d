package mail

import (
	"errors"
	"slices"

	"github.com/wneessen/go-mail/smtp"
)

// errNoLogin says that the server offers no supported way to log in.
var errNoLogin = errors.New("the SMTP server offers none of SCRAM-SHA-256, SCRAM-SHA-1, CRAM-MD5, PLAIN and LOGIN")

// login uses the first of its mechanisms that the server offers. Those that send no password come
// first. The others are also used without TLS, as in Digdag. PLAIN repeats the user as the one to
// act for, as JavaMail does, because some servers compare the whole answer. Like every smtp.Auth it is for one login.
type login struct {
	username, password, host string
	chosen                   smtp.Auth
}

// Start implements smtp.Auth.
func (l *login) Start(server *smtp.ServerInfo) (string, []byte, error) {
	for _, offer := range []struct {
		name string
		auth smtp.Auth
	}{
		{"SCRAM-SHA-256", smtp.ScramSHA256Auth(l.username, l.password)},
		{"SCRAM-SHA-1", smtp.ScramSHA1Auth(l.username, l.password)},
		{"CRAM-MD5", smtp.CRAMMD5Auth(l.username, l.password)},
		{"PLAIN", smtp.PlainAuth(l.username, l.username, l.password, l.host, true)},
		{"LOGIN", smtp.LoginAuth(l.username, l.password, l.host, true)},
	} {
		if slices.Contains(server.Auth, offer.name) {
			l.chosen = offer.auth
			return l.chosen.Start(server)
		}
	}
	return "", nil, errNoLogin
}

// Next implements smtp.Auth.
func (l *login) Next(fromServer []byte, more bool) ([]byte, error) {
	return l.chosen.Next(fromServer, more)
}
