package remote

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strconv"
	"time"

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/agent"
	"github.com/trowel-project/trowel/internal/api"
)

const (
	connectTime = 5 * time.Second
	// shortRequest is the time limit of requests that are answered at once, longRequest of those that wait for the
	// database.
	shortRequest = 10 * time.Second
	longRequest  = 40 * time.Second
	maxAnswer    = 64 << 20
	idleTime     = 90 * time.Second
	idleConns    = 8
)

// newHTTPClient returns a client that reuses connections. It speaks HTTP/1.1, so a blocked stream delays nothing else.
func newHTTPClient(opts *Options) *http.Client {
	protocols := &http.Protocols{}
	protocols.SetHTTP1(true)
	return &http.Client{
		Transport: &http.Transport{
			DialContext: (&net.Dialer{
				Timeout: connectTime, KeepAliveConfig: net.KeepAliveConfig{Enable: true, Idle: connectTime, Interval: connectTime, Count: 3},
			}).DialContext,
			TLSHandshakeTimeout: connectTime, TLSClientConfig: opts.TLS, Proxy: opts.Proxy, Protocols: protocols,
			MaxIdleConnsPerHost: idleConns, IdleConnTimeout: idleTime, DisableCompression: true,
		},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
}

// post sends a document and reads the answer. path follows /api/agents.
func (l *Link) post(ctx context.Context, limit time.Duration, path string, body, into any) error {
	return l.request(ctx, limit, http.MethodPost, path, body, into)
}

// request sends a request to the present server. A refusal is a *RefusedError.
func (l *Link) request(ctx context.Context, limit time.Duration, method, path string, body, into any) error {
	data, err := encode(body)
	if err != nil {
		return err
	}
	return l.requestBytes(ctx, limit, method, path, data, into)
}

func encode(body any) ([]byte, error) {
	if body == nil {
		return nil, nil
	}
	var b bytes.Buffer
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(body); err != nil {
		return nil, fmt.Errorf("write a request: %w", err)
	}
	return b.Bytes(), nil
}

func (l *Link) requestBytes(ctx context.Context, limit time.Duration, method, path string, body []byte, into any) error {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	res, err := l.open(ctx, method, path, body)
	if err != nil {
		return err
	}
	defer closeBody(res)
	if into == nil {
		return nil
	}
	data, err := io.ReadAll(io.LimitReader(res.Body, maxAnswer))
	if err == nil {
		err = json.Unmarshal(data, into)
	}
	if err != nil {
		return fmt.Errorf("read the answer of the server at %s: %w", res.Request.URL.Host, err)
	}
	return nil
}

// closeBody reads the rest of a body, within limits, so that the connection can be reused.
func closeBody(res *http.Response) {
	_, _ = io.CopyN(io.Discard, res.Body, 64<<10) // only to reuse the connection
	_ = res.Body.Close()                          // it was read
}

// open sends a request and returns a successful answer, or a redirect.
func (l *Link) open(ctx context.Context, method, path string, body []byte) (*http.Response, error) {
	server := l.server()
	var reader io.Reader
	if body != nil {
		reader = bytes.NewReader(body)
	}
	req, err := http.NewRequestWithContext(ctx, method, server+"/api/agents"+path, reader)
	if err != nil {
		return nil, fmt.Errorf("make a request: %w", err)
	}
	req.Header.Set("User-Agent", "TrowelAgent/"+l.opts.Self.Version)
	req.Header.Set(api.AgentProtocolHeader, api.AgentProtocol)
	if body != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	if l.opts.Token != "" {
		req.Header.Set("Authorization", "Bearer "+l.opts.Token)
	}
	res, err := l.client.Do(req)
	if err != nil {
		return nil, fmt.Errorf("ask the server at %s: %w", server, err)
	}
	if res.StatusCode < http.StatusBadRequest {
		return res, nil
	}
	defer closeBody(res)
	data, _ := io.ReadAll(io.LimitReader(res.Body, 1<<20)) // a partial text is shown as well
	return nil, &RefusedError{Server: server, Status: res.StatusCode, Message: refusalText(res, data), NoToken: l.opts.Token == ""}
}

// ask is post on behalf of a running try. While no server answers it waits and does not fail. A try that the agent has
// lost gets agent.ErrLost.
func (l *Link) ask(ctx context.Context, path string, body, into any) error {
	retry := newBackoff(time.Second)
	for {
		err := l.post(ctx, longRequest, path, body, into)
		refused, isRefusal := errors.AsType[*RefusedError](err)
		switch {
		case err == nil:
			return nil
		case ctx.Err() != nil:
			return context.Cause(ctx)
		case isRefusal && (refused.Status == http.StatusNotFound || refused.Status == http.StatusConflict):
			return fmt.Errorf("%s: %w", refused.Message, agent.ErrLost)
		case isRefusal && !refused.passing() && refused.Status != http.StatusUnauthorized:
			return &trowel.Error{Kind: trowel.ErrInvalid, Message: refused.Message}
		}
		if !retry.sleep(ctx) {
			return context.Cause(ctx)
		}
	}
}

func number(n int64) string { return strconv.FormatInt(n, 10) }
