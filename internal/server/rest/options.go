package rest

import (
	"context"
	"log/slog"
	"net/http"
	"time"

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/access"
	"github.com/trowel-project/trowel/internal/server/accesslog"
)

// Authenticator finds out who calls. An access.Authenticator is one.
type Authenticator interface {
	// Admit lets in who sends a request from an address, IP:PORT. Who tries too often gets an access.ErrTooMany.
	Admit(ctx context.Context, remote string, header http.Header) (access.Caller, error)
	// Authenticate is Admit for somebody who was let in before.
	Authenticate(ctx context.Context, header http.Header) (access.Caller, error)
}

// Options are what all requests need, whatever they are about. All but those that say so are required.
type Options struct {
	Store     trowel.Store
	Auth      Authenticator
	Metrics   http.Handler // of /metrics; may be nil
	UI        http.Handler // of everything outside /api; may be nil
	Now       func() time.Time
	Log       *slog.Logger
	AccessLog func(accesslog.Entry) // may be nil
	// Observe is called after every answer with the name of its route, or "ui", "metrics" or "none". It may be nil.
	Observe func(route string, status int, took time.Duration)
	Mask    func(string) string // masks secrets in messages; may be nil

	Version        string            // of the server, as the API document and the page of a server without a UI show it
	Names          HostNames         // that the server answers to; nil for all
	SignIn         bool              // nobody is let in without credentials
	Headers        map[string]string // of all answers below /api
	MaxBody        int64             // bytes of a JSON body
	Swagger        bool              // serves the API document in Digdag's places, too, and answers pages of other origins
	RequestTimeout time.Duration     // of requests that only touch the database
	ProveEvery     time.Duration     // between checks whether tokens of lasting requests still hold; zero for 3 s
}
