package gcp

import (
	"context"
	"crypto/sha256"
	"errors"
	"net/http"
	"sync"
	"time"

	"golang.org/x/oauth2"
	"golang.org/x/oauth2/google"

	"github.com/trowel-project/trowel/internal/operator"
	"github.com/trowel-project/trowel/internal/param"
)

// scopes are what tokens are for (operators 10.1).
var scopes = []string{ //nolint:gochecknoglobals // a constant of a type that has none
	"https://www.googleapis.com/auth/bigquery",
	"https://www.googleapis.com/auth/bigquery.insertdata",
	"https://www.googleapis.com/auth/cloud-platform",
	"https://www.googleapis.com/auth/cloud-platform.read-only",
	"https://www.googleapis.com/auth/devstorage.full_control",
	"https://www.googleapis.com/auth/devstorage.read_only",
	"https://www.googleapis.com/auth/devstorage.read_write",
}

// Texts of operators 10.1.
const (
	noCredential      = "Could not get google cloud credential: need gcp.credential secret or Application Default Credentials"
	brokenCredential  = "Unable to parse 'gcp.credential' secret"
	noProject         = "Missing 'gcp.project' secret"
	secretCredential  = "gcp.credential"
	secretProject     = "gcp.project"
	refusedCredential = "Google refused the credential: "
)

// session is what one run of a task calls the services with.
type session struct {
	client     *client
	project    string // empty if it is not known
	credential [sha256.Size]byte
	source     func(context.Context) (oauth2.TokenSource, error)
}

// begin reads the secrets of a task (operators 10.1). The project may be unknown.
func (c *client) begin(ctx context.Context, r *operator.Request) (*session, error) {
	text, found, err := r.OptSecret(ctx, secretCredential)
	if err != nil {
		return nil, err
	}
	s := &session{client: c}
	if found {
		err = s.given(ctx, text)
	} else {
		err = s.fromSurroundings(ctx)
	}
	if err != nil {
		return nil, err
	}
	project, found, err := r.OptSecret(ctx, secretProject)
	if found {
		s.project = project
	}
	return s, err
}

// needProject returns the failure of a session whose project is unknown.
func (s *session) needProject() error {
	if s.project == "" {
		return operator.Failuref(noProject)
	}
	return nil
}

// given takes the credential in a secret: a key of a service account, or of a user. Other kinds would read files and run programs
// of the agent.
func (s *session) given(ctx context.Context, text string) error {
	key, err := param.ParseMap(text)
	if err != nil {
		return operator.Failuref(brokenCredential)
	}
	fields := param.NewReader(key)
	kind, _, err := fields.OptString("type")
	if err != nil || kind != string(google.ServiceAccount) && kind != string(google.AuthorizedUser) {
		return operator.Failuref(brokenCredential)
	}
	s.project, _, _ = fields.OptString("project_id")
	s.credential = sha256.Sum256([]byte(text))
	if _, err := google.CredentialsFromJSONWithType(ctx, []byte(text), google.CredentialsType(kind), scopes...); err != nil {
		return operator.Failuref(brokenCredential)
	}
	s.source = func(ctx context.Context) (oauth2.TokenSource, error) {
		made, err := google.CredentialsFromJSONWithType(ctx, []byte(text), google.CredentialsType(kind), scopes...)
		if err != nil {
			return nil, err
		}
		return made.TokenSource, nil
	}
	return nil
}

// fromSurroundings takes the Application Default Credentials of the agent.
func (s *session) fromSurroundings(ctx context.Context) error {
	found, err := google.FindDefaultCredentials(context.WithValue(ctx, oauth2.HTTPClient, s.client.http), scopes...)
	if err != nil {
		return &operator.Failure{Message: noCredential, Err: err}
	}
	s.project = found.ProjectID
	s.credential = sha256.Sum256(append([]byte("default "), found.JSON...))
	s.source = func(ctx context.Context) (oauth2.TokenSource, error) {
		again, err := google.FindDefaultCredentials(ctx, scopes...)
		if err != nil {
			return nil, err
		}
		return again.TokenSource, nil
	}
	return nil
}

// token returns an access token, and whether it was remembered. That a credential is refused does not pass: the error is final
// (operators 12, quirk 27).
func (s *session) token(ctx context.Context) (text string, known bool, err error) {
	if text := s.client.tokens.take(s.credential); text != "" {
		return text, true, nil
	}
	asked := &noticing{next: s.client.http.Transport}
	http := &http.Client{Transport: asked, Timeout: s.client.http.Timeout}
	source, err := s.source(context.WithValue(ctx, oauth2.HTTPClient, http))
	if err != nil {
		return "", false, operator.Failuref(brokenCredential)
	}
	token, err := source.Token()
	if err == nil {
		s.client.tokens.put(s.credential, token)
		return token.AccessToken, false, nil
	}
	if refusal, ok := errors.AsType[*oauth2.RetrieveError](err); ok {
		answer := &apiError{refusal.Response.StatusCode, string(refusal.Body[:min(len(refusal.Body), refusalSize)])}
		if mayPass(answer) {
			return "", false, &lostError{answer} // the request that needs the token was not sent
		}
		return "", false, &operator.Error{Kind: kindToken, Message: answer.Error(), Err: answer}
	}
	if asked.called {
		return "", false, &lostError{err}
	}
	return "", false, &operator.Error{Kind: kindToken, Message: refusedCredential + err.Error(), Err: err}
}

// noticing remembers whether a request was sent: an error before that lies in the credential, and does not pass.
type noticing struct {
	next   http.RoundTripper
	called bool
}

// RoundTrip implements http.RoundTripper.
func (n *noticing) RoundTrip(request *http.Request) (*http.Response, error) {
	n.called = true
	return n.next.RoundTrip(request)
}

// maxTokens is how many tokens are remembered.
const maxTokens = 256

// tokens are access tokens by the digest of their credential. Waiting tasks of one credential share one.
type tokens struct {
	mu    sync.Mutex
	known map[[sha256.Size]byte]*oauth2.Token
}

func newTokens() *tokens { return &tokens{known: map[[sha256.Size]byte]*oauth2.Token{}} }

// spareTime is how long a token must be good for yet.
const spareTime = 2 * time.Minute

// take returns the token of a credential; empty if there is none that is good for a while.
func (t *tokens) take(credential [sha256.Size]byte) string {
	t.mu.Lock()
	defer t.mu.Unlock()
	known := t.known[credential]
	if known == nil || known.Expiry.IsZero() || time.Until(known.Expiry) < spareTime {
		return ""
	}
	return known.AccessToken
}

func (t *tokens) put(credential [sha256.Size]byte, token *oauth2.Token) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if len(t.known) >= maxTokens {
		clear(t.known)
	}
	t.known[credential] = token
}

// forget drops the token of a credential that a service has refused.
func (t *tokens) forget(credential [sha256.Size]byte) {
	t.mu.Lock()
	defer t.mu.Unlock()
	delete(t.known, credential)
}
