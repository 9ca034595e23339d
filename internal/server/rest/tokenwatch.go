package rest

import (
	"context"
	"crypto/sha256"
	"errors"
	"net/http"
	"sync"
	"time"

	"github.com/trowel-project/trowel/internal/access"
)

const (
	// recheckEvery is the interval between checks of a token. With the seconds for which tokens of agents are cached, all
	// requests of a token end within ten seconds after it has become invalid.
	recheckEvery = 3 * time.Second
	// recheckLoginsEvery is the interval between checks of a login. It is long, since everything that ends a login calls
	// recheckLogins: it only matters if a message of another server was lost.
	recheckLoginsEvery = 15 * time.Minute
	// lastWrite is how long a request whose token has become invalid may still write.
	lastWrite = time.Second
)

// errTokenLost is the cause when a request ends because its token is no longer valid.
var errTokenLost = errors.New("the token of the request holds no longer")

// tokenWatch ends long requests, above all streams, when their tokens become invalid: revoked, expired, or without
// their project. So it does when logins of browsers end. Requests with the same token or login share one check.
type tokenWatch struct {
	auth  Authenticator
	every time.Duration
	now   func() time.Time

	mu     sync.Mutex
	tokens map[[sha256.Size]byte]*watchedToken // by the hash of the credentials
}

// watchedToken is a token with its requests.
type watchedToken struct {
	header   http.Header
	caller   access.Caller
	timer    *time.Timer
	requests map[*Call]func() // with the function that ends each
}

func newTokenWatch(o *Options) *tokenWatch {
	every := o.RecheckEvery
	if every == 0 {
		every = recheckEvery
	}
	return &tokenWatch{auth: o.Auth, every: every, now: o.Now, tokens: map[[sha256.Size]byte]*watchedToken{}}
}

// watch ends the context of a request when its token becomes invalid. The caller must call release after the answer.
// User and password stay valid as long as the server runs.
func (w *tokenWatch) watch(ctx context.Context, c *Call) (release func()) {
	if c.Caller.Token == nil && c.Caller.Login == nil {
		return func() {}
	}
	ctx, cancel := context.WithCancelCause(ctx)
	c.context = ctx
	connection := http.NewResponseController(c.Writer)
	upload := &upload{ReadCloser: &lasting{c.Request.Body, ctx}}
	upload.whole.Store(c.Request.ContentLength == 0)
	c.Request.Body = upload
	end := func() {
		cancel(errTokenLost)
		// The deadlines end reads of an upload and writes to a slow client. There is no read deadline once the body is read:
		// net/http would take it for the loss of the client and end all further requests of the connection.
		if !upload.whole.Load() {
			_ = connection.SetReadDeadline(time.Now())
		}
		_ = connection.SetWriteDeadline(time.Now().Add(lastWrite))
	}
	sent := http.Header{}
	for _, name := range []string{"Authorization", "Cookie"} {
		if value := c.Request.Header.Get(name); value != "" {
			sent.Set(name, value)
		}
	}
	key := sha256.Sum256([]byte(sent.Get("Authorization") + "\n" + sent.Get("Cookie")))
	w.mu.Lock()
	defer w.mu.Unlock()
	known := w.tokens[key]
	if known == nil {
		known = &watchedToken{header: sent, caller: c.Caller, requests: map[*Call]func(){}}
		looking := context.WithoutCancel(ctx) // later requests share the check
		known.timer = time.AfterFunc(w.next(c.Caller), func() { w.recheck(looking, key, known) })
		w.tokens[key] = known
	}
	known.requests[c] = end
	return func() {
		w.mu.Lock()
		defer w.mu.Unlock()
		if errors.Is(context.Cause(ctx), errTokenLost) && upload.whole.Load() { // the connection may be used again
			_ = connection.SetWriteDeadline(time.Time{})
		}
		cancel(nil)
		delete(known.requests, c)
		if len(known.requests) == 0 {
			w.drop(key, known)
		}
	}
}

// next returns how long the next check of a caller may wait.
func (w *tokenWatch) next(caller access.Caller) time.Duration {
	if caller.Login == nil {
		return w.every
	}
	return max(w.every, min(recheckLoginsEvery, access.LoginEnd(caller.Login).Sub(w.now())))
}

// recheckLogins checks all logins at once, and does not wait for that.
func (w *tokenWatch) recheckLogins() {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, known := range w.tokens {
		if known.caller.Login != nil {
			known.timer.Reset(0)
		}
	}
}

// drop stops watching a token. The caller holds the mutex.
func (w *tokenWatch) drop(key [sha256.Size]byte, known *watchedToken) {
	known.timer.Stop()
	if w.tokens[key] == known {
		delete(w.tokens, key)
	}
}

// recheck checks whether a token is still valid. While the database does not answer, its requests go on.
func (w *tokenWatch) recheck(ctx context.Context, key [sha256.Size]byte, known *watchedToken) {
	ctx, cancel := context.WithTimeout(ctx, recheckEvery)
	defer cancel()
	caller, err := w.auth.Authenticate(ctx, known.header)
	lost := errors.Is(err, access.ErrUnauthenticated) || err == nil && (caller.Kind != known.caller.Kind || caller.Role != known.caller.Role || caller.Project != known.caller.Project)
	w.mu.Lock()
	defer w.mu.Unlock()
	switch {
	case lost:
		for _, end := range known.requests {
			end()
		}
		w.drop(key, known)
	case len(known.requests) > 0 && err != nil:
		known.timer.Reset(w.every)
	case len(known.requests) > 0:
		known.timer.Reset(w.next(caller))
	}
}
