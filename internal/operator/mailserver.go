package operator

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"github.com/trowel-project/trowel/internal/operator/mail"
	"github.com/trowel-project/trowel/internal/param"
)

// server returns the SMTP settings, all from the user or all from the system, so that the system's password
// is never sent to another server (operators 5.2). secretHost is set if the host must not be shown.
func (m *mailer) server(ctx context.Context, r *Request, params *param.Reader) (s mail.Server, secretHost bool, err error) {
	if params.Map().Has("password") {
		r.Log.Warn(mailPasswordOption)
	}
	user := mailUser{ctx: ctx, request: r, params: params}
	host, secretHost := user.secret("host")
	if !secretHost && user.err == nil {
		var own bool
		if host, own, user.err = params.OptString("host"); user.err == nil && !own {
			return m.systemServer(r)
		}
	}
	s = mail.Server{Host: host, Port: user.port(), TLS: user.flag("tls", true), SSL: user.flag("ssl", false)}
	s.Username = user.text("username")
	s.Password, _ = user.secret("password")
	if user.err != nil {
		return s, secretHost, user.err
	}
	debug, err := params.BoolOr("debug", false)
	if err != nil {
		return s, secretHost, err
	}
	if debug {
		s.Debug = debugTo(r)
	}
	return s, secretHost, nil
}

func (m *mailer) systemServer(r *Request) (mail.Server, bool, error) {
	o := m.options
	if o.Host == "" {
		return mail.Server{}, false, &Failure{Message: mailNoServer}
	}
	s := mail.Server{
		Host: o.Host, Port: o.Port, TLS: !o.NoTLS, SSL: o.SSL, Username: o.Username, Password: o.Password.Reveal(),
	}
	if o.Debug {
		s.Debug = debugTo(r)
	}
	return s, false, nil
}

func debugTo(r *Request) func(string) {
	return func(line string) { fmt.Fprintln(r.Output, strings.TrimRight(line, "\r\n")) }
}

// mailUser reads the user's SMTP settings. Secrets have priority over options. The first error is kept.
type mailUser struct {
	ctx     context.Context //nolint:containedctx // lives as long as one read
	request *Request
	params  *param.Reader
	err     error
}

func (u *mailUser) secret(key string) (text string, found bool) {
	if u.err == nil {
		text, found, u.err = u.request.OptSecret(u.ctx, "mail."+key)
	}
	return text, found
}

func (u *mailUser) text(key string) string {
	text, found := u.secret(key)
	if !found && u.err == nil {
		text, u.err = u.params.StringOr(key, "")
	}
	return text
}

// flag reads a secret as Java does: only "true" is true.
func (u *mailUser) flag(key string, otherwise bool) bool {
	text, found := u.secret(key)
	value := strings.EqualFold(text, "true")
	if !found && u.err == nil {
		value, u.err = u.params.BoolOr(key, otherwise)
	}
	return value
}

func (u *mailUser) port() (port int) {
	text, found := u.secret("port")
	switch {
	case u.err != nil:
	case !found:
		port, u.err = u.params.Int("port")
	default:
		var err error
		if port, err = strconv.Atoi(strings.TrimSpace(text)); err != nil {
			u.err = param.Errorf(mailBadPort)
		}
	}
	return port
}
