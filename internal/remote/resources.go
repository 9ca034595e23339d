package remote

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/agent"
	"github.com/trowel-project/trowel/internal/api"
	"github.com/trowel-project/trowel/internal/operator"
	"github.com/trowel-project/trowel/internal/secret"
)

// Secrets finds the secrets of a try on the server, each when it is first used.
func (l *Link) Secrets(lease *trowel.Lease) secret.Finder { return finder{l, lease} }

type finder struct {
	link  *Link
	lease *trowel.Lease
}

// Find implements secret.Finder.
func (f finder) Find(ctx context.Context, key string) (secret.Value, bool, error) {
	if err := secret.CheckKey(key); err != nil {
		return secret.Value{}, false, err
	}
	var got api.AgentSecret
	err := f.link.ask(ctx, "/"+f.lease.AgentID+"/secret", api.AgentSecretRequest{
		AgentTry: api.AgentTry{TaskID: int64(f.lease.TaskID), Try: f.lease.Try}, AttemptID: int64(f.lease.AttemptID), Key: key,
	}, &got)
	if err != nil {
		return secret.Value{}, false, fmt.Errorf("find secret %q: %w", key, err)
	}
	return secret.NewValue(got.Value), got.Found, nil
}

// StartSession implements operator.Sessions.
func (l *Link) StartSession(ctx context.Context, r operator.StartRequest) (operator.StartedSession, error) {
	var got api.AgentSession
	err := l.ask(ctx, "/"+l.state().ID+"/session", api.AgentSessionRequest{
		Requirer: int64(r.Requirer), ProjectID: int64(r.ProjectID), ProjectName: r.ProjectName, Workflow: r.Workflow,
		SessionTime: r.SessionTime.UnixMicro(), AttemptName: r.AttemptName, Params: r.Params,
	}, &got)
	switch {
	case err != nil:
		return operator.StartedSession{}, err
	case got.Missing:
		return operator.StartedSession{}, trowel.ErrNotFound
	case got.Failure != "":
		return operator.StartedSession{}, &operator.Failure{Message: got.Failure}
	}
	return operator.StartedSession{
		New: got.New, SessionID: trowel.SessionID(got.SessionID), AttemptID: trowel.AttemptID(got.AttemptID),
		Flags: trowel.AttemptFlags(got.Flags), //nolint:gosec // made from such flags
	}, nil
}

// SetParams implements operator.ParamServer with the server's values.
func (l *Link) SetParams(ctx context.Context, values map[string]string) error {
	return l.ask(ctx, "/"+l.state().ID+"/params", api.AgentParams{Values: values}, nil)
}

// FindParams implements operator.ParamServer.
func (l *Link) FindParams(ctx context.Context, keys []string) (map[string]string, error) {
	var got api.AgentParams
	err := l.ask(ctx, "/"+l.state().ID+"/params/find", api.AgentParamKeys{Keys: keys}, &got)
	return got.Values, err
}

// Archive opens the archive of a revision, if this agent runs a try of it; it is an archive.Fetch. The archive comes
// from the server, or from where the server redirects to.
func (l *Link) Archive(ctx context.Context, a trowel.Archive) (io.ReadCloser, error) {
	lease := l.leaseWith(a)
	if lease == nil {
		return nil, agent.ErrLost
	}
	res, err := l.open(ctx, http.MethodGet, "/"+lease.AgentID+"/archives/"+number(int64(lease.AttemptID)), nil)
	if refused, ok := errors.AsType[*RefusedError](err); ok && refused.Status == http.StatusConflict {
		return nil, fmt.Errorf("%s: %w", refused.Message, agent.ErrLost)
	} else if ok && refused.Status == http.StatusNotFound {
		return nil, &trowel.Error{Kind: trowel.ErrNotFound, Message: refused.Message}
	}
	if err != nil {
		return nil, err
	}
	if res.StatusCode != http.StatusSeeOther {
		return res.Body, nil
	}
	closeBody(res)
	return l.elsewhere(ctx, res)
}

// elsewhere follows a redirect to the store of archives, which must not see the token.
func (l *Link) elsewhere(ctx context.Context, res *http.Response) (io.ReadCloser, error) {
	address, err := res.Location()
	if err != nil {
		return nil, fmt.Errorf("read where an archive is: %w", err)
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, address.String(), nil)
	if err != nil {
		return nil, fmt.Errorf("make a request: %w", err)
	}
	got, err := l.client.Do(req)
	if err != nil {
		return nil, fmt.Errorf("fetch an archive from %s: %w", address.Host, err)
	}
	if got.StatusCode != http.StatusOK {
		closeBody(got)
		return nil, fmt.Errorf("fetch an archive from %s: HTTP %d", address.Host, got.StatusCode)
	}
	return got.Body, nil
}

// leaseWith returns a lease of a try that uses an archive; nil if there is none.
func (l *Link) leaseWith(a trowel.Archive) *trowel.Lease {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, h := range l.tries {
		own := &h.lease.Context.Revision.Archive
		if h.report == nil && own.Type == a.Type && own.Key == a.Key && bytes.Equal(own.MD5, a.MD5) {
			return h.lease
		}
	}
	return nil
}
