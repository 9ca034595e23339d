package access

import (
	"context"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"net/http"
	"time"

	trowel "github.com/trowel-project/trowel"
)

// How long a browser stays signed in.
const (
	// LoginIdle is how long a login may be unused.
	LoginIdle = 12 * time.Hour
	// LoginLasts is how long a login lasts at most.
	LoginLasts = 7 * 24 * time.Hour
)

// LoginCookie is the name of the cookie with which a browser that is signed in calls.
const LoginCookie = "trowel_login"

// loginPrefix begins the value of every such cookie.
const loginPrefix = "trl_"

// ErrSignedOut is the ErrUnauthenticated about a login that has ended. The browser is not guessing.
var ErrSignedOut = fmt.Errorf("%w: the login has ended", ErrUnauthenticated)

// Logins finds browsers that are signed in.
type Logins interface {
	// FindLogin returns the login with that hash, even if it has ended, or trowel.ErrNotFound. If a token was used to sign in,
	// it also returns that token, and for a token of a single project that project.
	FindLogin(ctx context.Context, hash []byte) (*FoundLogin, error)
	// NoteUse notes that a login was used.
	NoteUse(ctx context.Context, l *trowel.Login)
}

// FoundLogin is a login with what it depends on.
type FoundLogin struct {
	Login   *trowel.Login
	Token   *trowel.Token   // nil for a user
	Project *trowel.Project // nil unless the token is for one alone
}

// LoginEnd returns when a login ends if it is not used again.
func LoginEnd(l *trowel.Login) time.Time {
	if idle := l.UsedAt.Add(LoginIdle); idle.Before(l.EndsAt) {
		return idle
	}
	return l.EndsAt
}

// SignedIn is a new login, which is not stored yet.
type SignedIn struct {
	Login  *trowel.Login
	Secret string // what the browser has to send, the value of the cookie
	Caller Caller
}

// SignIn checks user and password of somebody at an address, IP:PORT, and returns a new login. Tries are limited by address,
// as those of Admit, and by name. The error does not say whether there is such a user.
func (a *Authenticator) SignIn(remote, user, password string) (*SignedIn, error) {
	if a.opts.Username == "" {
		return nil, refused(unauthorized)
	}
	var caller Caller
	err := a.brake.try(Origin(remote), func() error {
		return a.nameBrake.try(user, func() (err error) {
			caller, err = a.user(user, password)
			return err
		})
	})
	if err != nil {
		return nil, err
	}
	s := a.signedIn(caller)
	s.Login.User, s.Login.Proof = caller.Name, a.proof(s.Secret)
	return s, nil
}

// SignInToken is SignIn for the bearer of a token. The login ends with the token.
func (a *Authenticator) SignInToken(ctx context.Context, remote, token string) (*SignedIn, error) {
	caller, err := a.Admit(ctx, remote, http.Header{"Authorization": {"Bearer " + token}})
	if err != nil {
		return nil, err
	}
	s := a.signedIn(caller)
	s.Login.TokenID = caller.Token.ID
	if ends := caller.Token.ExpiresAt; !ends.IsZero() && ends.Before(s.Login.EndsAt) {
		s.Login.EndsAt = ends
	}
	return s, nil
}

func (a *Authenticator) signedIn(caller Caller) *SignedIn {
	random := make([]byte, tokenBytes)
	rand.Read(random) // never fails
	secret, now := loginPrefix+base64.RawURLEncoding.EncodeToString(random), a.opts.Now()
	l := &trowel.Login{Hash: Hash(secret), CreatedAt: now, UsedAt: now, EndsAt: now.Add(LoginLasts)}
	caller.Login = l
	return &SignedIn{Login: l, Secret: secret, Caller: caller}
}

// proof is what a login of the user stores, so that it ends when the settings get another user or password. Nobody can
// guess the password from it, as its key is only known to the browser.
func (a *Authenticator) proof(secret string) []byte {
	mac := hmac.New(sha256.New, []byte(secret))
	_, _ = mac.Write([]byte(a.opts.Username + "\x00" + a.opts.Password)) // never fails
	return mac.Sum(nil)
}

// loginOf returns the value of the cookie of a request without an Authorization header. It is empty if there is none, and
// where nobody signs in.
func (a *Authenticator) loginOf(header http.Header) string {
	if a.opts.Username == "" || a.opts.Logins == nil || header.Get("Authorization") != "" {
		return ""
	}
	cookie, err := (&http.Request{Header: header}).Cookie(LoginCookie)
	if err != nil {
		return ""
	}
	return cookie.Value
}

// login finds a login by its hash, and checks all that it depends on.
func (a *Authenticator) login(ctx context.Context, secret string) (Caller, error) {
	found, err := a.opts.Logins.FindLogin(ctx, Hash(secret))
	if errors.Is(err, trowel.ErrNotFound) {
		return Caller{}, signedOut("you are signed out")
	}
	if err != nil {
		return Caller{}, fmt.Errorf("find the login of a caller: %w", err)
	}
	l := found.Login
	if now := a.opts.Now(); !now.Before(LoginEnd(l)) {
		return Caller{}, signedOut("you are signed out: you signed in at %s, and the last use was about %s", instantText(l.CreatedAt), instantText(l.UsedAt))
	}
	var caller Caller
	if l.TokenID != 0 {
		caller, err = a.bearer(found.Token, found.Project)
		if err != nil {
			return Caller{}, signedOut("you are signed out: %s", reasonOf(err))
		}
	} else {
		if !hmac.Equal(l.Proof, a.proof(secret)) {
			return Caller{}, signedOut("you are signed out: user or password have changed")
		}
		caller = a.configured()
	}
	caller.Login = l
	return caller, nil
}

func reasonOf(err error) string {
	if known, ok := errors.AsType[*trowel.Error](err); ok {
		return known.Message
	}
	return err.Error()
}

func signedOut(format string, args ...any) error {
	return &trowel.Error{Kind: ErrSignedOut, Message: fmt.Sprintf(format, args...)}
}
