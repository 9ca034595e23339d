package mail

import (
	"testing"

	"github.com/wneessen/go-mail/smtp"
)

// The first login that the server offers is used, those that send no password before the others.
func TestLogin(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, want string
		offered    []string
	}{
		{name: "all", want: "SCRAM-SHA-256", offered: []string{"LOGIN", "PLAIN", "CRAM-MD5", "SCRAM-SHA-1", "SCRAM-SHA-256"}},
		{name: "challenge before password", want: "CRAM-MD5", offered: []string{"PLAIN", "LOGIN", "CRAM-MD5"}},
		{name: "PLAIN before LOGIN", want: "PLAIN", offered: []string{"NTLM", "LOGIN", "PLAIN"}},
		{name: "LOGIN alone", want: "LOGIN", offered: []string{"LOGIN"}},
		{name: "unknown ones", offered: []string{"GSSAPI", "NTLM"}},
		{name: "none"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			auth := &login{username: "ann", password: "pw", host: "mail.test"}
			got, _, err := auth.Start(&smtp.ServerInfo{Name: "mail.test", Auth: c.offered})
			if got != c.want || (err != nil) != (c.want == "") {
				t.Errorf("Start chooses %q, error %v; want %q", got, err, c.want)
			}
		})
	}
}
