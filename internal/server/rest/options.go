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
	// Admit authenticates a request from an address, IP:PORT. It returns access.ErrTooMany after too many failures.
	Admit(ctx context.Context, remote string, header http.Header) (access.Caller, error)
	// Authenticate is Admit for a caller who was admitted before.
	Authenticate(ctx context.Context, header http.Header) (access.Caller, error)
}

// Options are what the frame needs, whatever the requests are about. All are required unless their comment says otherwise.
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

	Version        string            // of the server, for the API document and the landing page
	Names          HostNames         // the server answers to; nil for all
	SignIn         bool              // every request needs credentials
	Headers        map[string]string // of all answers below /api
	MaxBody        int64             // bytes of a JSON body
	Swagger        bool              // also serves the API document at Digdag's paths, and allows cross-origin requests
	RequestTimeout time.Duration     // for requests that only use the database
	RecheckEvery   time.Duration     // how often the tokens of long requests are checked; zero for 3 s
}
