package access

import (
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/trowel-project/trowel"
)

// ErrUnauthenticated is the kind of error about a caller who is not known. The answer is 401.
var ErrUnauthenticated = errors.New("not authenticated")

// ErrEnded is the ErrUnauthenticated about a token that this server made but that is no longer valid. Its bearer is not
// guessing.
var ErrEnded = fmt.Errorf("%w: the token has ended", ErrUnauthenticated)

// Digdag's texts (server 3.6).
const (
	missingHeader = "Missing Authorization header"
	unauthorized  = "unauthorized"
)

// Tokens finds tokens.
type Tokens interface {
	// FindToken returns the token with that hash, even if it is revoked or expired, or
	// trowel.ErrNotFound. For a token of a single project it also returns that project, deleted or not.
	FindToken(ctx context.Context, hash []byte) (*trowel.Token, *trowel.Project, error)
}

// Options say who may call. Without a Username everybody may.
type Options struct {
	Username, Password string
	// Admin gives the user RoleAdmin. Otherwise it has RoleOperator, which by Digdag's rules may do
	// everything except use admin resources.
	Admin  bool
	Tokens Tokens           // nil for none
	Logins Logins           // of browsers; nil for none
	Now    func() time.Time // for tokens that expire, and for the times of tries
	// Braked is called when an address is slowed down because it guesses, with the number of its failures since the last
	// call: at most once a minute for each address. It must not block. It may be nil.
	Braked func(address string, failures int)
}

// Authenticator finds out who calls. It caches no tokens, so a revoked one is refused at once. It
// is safe for concurrent use.
type Authenticator struct {
	opts      Options
	brake     *brake // by address
	nameBrake *brake // by the name with which somebody signs in
}

// New returns an Authenticator.
func New(opts Options) *Authenticator {
	return &Authenticator{
		opts: opts, brake: newBrake(addressBrake(), opts.Now, opts.Braked), nameBrake: newBrake(nameBrake(), opts.Now, nil),
	}
}

// Admit is Authenticate for a request from an address, IP:PORT. After ten failures within a minute from
// one address (for IPv6, one network of 64 bits) it accepts one try a second from there, even with the right password.
// All others are an ErrTooMany. A request without credentials fails without being counted. Tokens that this server made
// are not guesses and never wait.
func (a *Authenticator) Admit(ctx context.Context, remote string, header http.Header) (Caller, error) {
	scheme, credentials, _ := strings.Cut(header.Get("Authorization"), " ")
	switch {
	case strings.EqualFold(scheme, "Bearer"):
		caller, err := a.Authenticate(ctx, header)
		if errors.Is(err, ErrUnauthenticated) && !errors.Is(err, ErrEnded) {
			err = a.brake.try(Origin(remote), func() error { return err })
		}
		return caller, err
	case strings.EqualFold(scheme, "Basic") && a.opts.Username != "":
		var caller Caller
		err := a.brake.try(Origin(remote), func() (err error) {
			caller, err = a.basic(strings.TrimSpace(credentials))
			return err
		})
		return caller, err
	}
	caller, err := a.Authenticate(ctx, header)
	if err == nil && caller.Login != nil {
		a.opts.Logins.NoteUse(ctx, caller.Login)
	}
	return caller, err
}

// Authenticate returns the caller that the Authorization header of a request names, or, without that header, the cookie of
// a browser that is signed in. It is no use of a login. Errors are of
// kind ErrUnauthenticated, or come from Tokens. Digdag's texts do not say which part was wrong. Only the
// bearer of a token that this server made learns why it is no longer valid. Such an error is an ErrEnded, too.
//
// If no user is set everybody is accepted as in Digdag, whatever they sent, with RoleOperator.
// So nobody can make a token that would be valid once a user is set. A bearer token is
// checked then, too, as its bearer may have fewer rights.
func (a *Authenticator) Authenticate(ctx context.Context, header http.Header) (Caller, error) {
	authorization := header.Get("Authorization")
	scheme, credentials, _ := strings.Cut(authorization, " ")
	credentials = strings.TrimSpace(credentials)
	switch {
	case strings.EqualFold(scheme, "Bearer"):
		return a.token(ctx, credentials)
	case a.opts.Username == "":
		return Caller{Name: "anonymous", Kind: KindNone, Role: RoleOperator}, nil
	case a.loginOf(header) != "":
		return a.login(ctx, a.loginOf(header))
	case authorization == "":
		return Caller{}, refused(missingHeader)
	case strings.EqualFold(scheme, "Basic"):
		return a.basic(credentials)
	}
	return Caller{}, refused(unauthorized) // Digdag crashes (server 3.6)
}

func refused(message string) error {
	return &trowel.Error{Kind: ErrUnauthenticated, Message: message}
}

// basic checks user and password (RFC 7617). A password may have colons.
func (a *Authenticator) basic(credentials string) (Caller, error) {
	decoded, err := base64.StdEncoding.DecodeString(credentials)
	if err != nil {
		return Caller{}, refused(unauthorized)
	}
	user, password, ok := strings.Cut(string(decoded), ":")
	if !ok {
		return Caller{}, refused(unauthorized)
	}
	return a.user(user, password)
}

// user checks user and password. It takes the same time whichever is wrong.
func (a *Authenticator) user(user, password string) (Caller, error) {
	if same(user, a.opts.Username)&same(password, a.opts.Password) != 1 {
		return Caller{}, refused(unauthorized)
	}
	return a.configured(), nil
}

// configured is the user of the settings.
func (a *Authenticator) configured() Caller {
	role := RoleOperator
	if a.opts.Admin {
		role = RoleAdmin
	}
	return Caller{Name: a.opts.Username, Kind: KindBasic, Role: role, Admin: a.opts.Admin}
}

// same compares texts in a time that reveals nothing about them, not even their lengths. It returns 1 if they are equal.
func same(a, b string) int {
	x, y := sha256.Sum256([]byte(a)), sha256.Sum256([]byte(b))
	return subtle.ConstantTimeCompare(x[:], y[:])
}

// token finds a token by its hash, so that the time of the search reveals nothing about the token.
func (a *Authenticator) token(ctx context.Context, text string) (Caller, error) {
	if a.opts.Tokens == nil || !strings.HasPrefix(text, tokenPrefix) {
		return Caller{}, refused(unauthorized)
	}
	found, project, err := a.opts.Tokens.FindToken(ctx, Hash(text))
	if errors.Is(err, trowel.ErrNotFound) {
		return Caller{}, refused(unauthorized)
	}
	if err != nil {
		return Caller{}, fmt.Errorf("find the token of a caller: %w", err)
	}
	return a.bearer(found, project)
}

// bearer returns the caller with a token, if it is valid.
func (a *Authenticator) bearer(found *trowel.Token, project *trowel.Project) (Caller, error) {
	role := Role(found.Role)
	if role.power() == 0 {
		return Caller{}, refused(unauthorized)
	}
	if err := a.ended(found, project); err != nil {
		return Caller{}, err
	}
	caller := Caller{
		Name: found.Name, Kind: KindToken, Role: role, Project: found.ProjectID, Token: found,
		Admin: role == RoleAdmin && found.ProjectID == 0,
	}
	if project != nil {
		caller.ProjectName = project.Name
	}
	return caller, nil
}

// ended returns an error that says why a token is no longer valid, or nil if it is.
func (a *Authenticator) ended(t *trowel.Token, project *trowel.Project) error {
	switch {
	case !t.RevokedAt.IsZero():
		return over("the token %s was revoked at %s", t.Name, instantText(t.RevokedAt))
	case !t.ExpiresAt.IsZero() && !a.opts.Now().Before(t.ExpiresAt):
		return over("the token %s expired at %s", t.Name, instantText(t.ExpiresAt))
	case project != nil && !project.DeletedAt.IsZero():
		return over("the token %s is for the project %s, which was deleted at %s", t.Name, project.Name, instantText(project.DeletedAt))
	}
	return nil
}

func instantText(at time.Time) string { return at.UTC().Format(time.RFC3339) }

func over(format string, args ...any) error {
	return &trowel.Error{Kind: ErrEnded, Message: fmt.Sprintf(format, args...)}
}
