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
	// proveEvery is how often it is looked whether the tokens of lasting requests still hold. With what is known of
	// tokens of agents for some seconds, it takes less than ten until one that does not has lost all of them.
	proveEvery = 3 * time.Second
	// leaveAfter is how long such a request has for its last words.
	leaveAfter = time.Second
)

// errProofLost is the cause of the end of a request whose token holds no longer.
var errProofLost = errors.New("the token of the request holds no longer")

// proofs ends requests that last, streams above all, when their tokens hold no longer: when they are revoked, have
// expired, or their project is deleted. All requests with one token are looked after together.
type proofs struct {
	auth  Authenticator
	every time.Duration

	mu     sync.Mutex
	tokens map[[sha256.Size]byte]*proof // by the hash of what was sent
}

// proof is one token.
type proof struct {
	header http.Header
	caller access.Caller
	timer  *time.Timer
	held   map[*Call]func() // ends each of them
}

func newProofs(o *Options) *proofs {
	every := o.ProveEvery
	if every == 0 {
		every = proveEvery
	}
	return &proofs{auth: o.Auth, every: every, tokens: map[[sha256.Size]byte]*proof{}}
}

// hold lets the context of a request end with its token. What it returns must be called when it is
// answered. Callers without a token have nothing to lose while the server runs.
func (p *proofs) hold(ctx context.Context, c *Call) (release func()) {
	if c.Caller.Token == nil {
		return func() {}
	}
	ctx, cancel := context.WithCancelCause(ctx)
	c.context = ctx
	connection := http.NewResponseController(c.Writer)
	upload := &upload{ReadCloser: &lasting{c.Request.Body, ctx}}
	upload.whole.Store(c.Request.ContentLength == 0)
	c.Request.Body = upload
	end := func() {
		cancel(errProofLost)
		// Who waits for the next bytes of an upload, or of a client that does not read, waits no longer. A deadline while
		// nothing is read would end all further requests of the connection: net/http takes it for the loss of the client.
		if !upload.whole.Load() {
			_ = connection.SetReadDeadline(time.Now())
		}
		_ = connection.SetWriteDeadline(time.Now().Add(leaveAfter))
	}
	sent := c.Request.Header.Get("Authorization")
	key := sha256.Sum256([]byte(sent))
	p.mu.Lock()
	defer p.mu.Unlock()
	known := p.tokens[key]
	if known == nil {
		known = &proof{header: http.Header{"Authorization": {sent}}, caller: c.Caller, held: map[*Call]func(){}}
		looking := context.WithoutCancel(ctx) // requests with the token may follow this one
		known.timer = time.AfterFunc(p.every, func() { p.prove(looking, key, known) })
		p.tokens[key] = known
	}
	known.held[c] = end
	return func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		if errors.Is(context.Cause(ctx), errProofLost) && upload.whole.Load() { // the connection may have further requests
			_ = connection.SetWriteDeadline(time.Time{})
		}
		cancel(nil)
		delete(known.held, c)
		if len(known.held) == 0 {
			p.drop(key, known)
		}
	}
}

// drop forgets a token. It is called under the mutex.
func (p *proofs) drop(key [sha256.Size]byte, known *proof) {
	known.timer.Stop()
	if p.tokens[key] == known {
		delete(p.tokens, key)
	}
}

// prove looks whether a token still holds. While the database cannot tell, the requests go on.
func (p *proofs) prove(ctx context.Context, key [sha256.Size]byte, known *proof) {
	ctx, cancel := context.WithTimeout(ctx, proveEvery)
	defer cancel()
	caller, err := p.auth.Authenticate(ctx, known.header)
	lost := errors.Is(err, access.ErrUnauthenticated) || err == nil && (caller.Role != known.caller.Role || caller.Project != known.caller.Project)
	p.mu.Lock()
	defer p.mu.Unlock()
	switch {
	case lost:
		for _, end := range known.held {
			end()
		}
		p.drop(key, known)
	case len(known.held) > 0:
		known.timer.Reset(p.every)
	}
}
