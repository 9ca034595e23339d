package gcp

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/trowel-project/trowel/internal/operator"
	"github.com/trowel-project/trowel/internal/param"
)

const (
	// answerTime is how long one request may take.
	answerTime = time.Minute
	// answerSize is how much of an answer is read. That about a job has its whole configuration, with the query.
	answerSize = 32 << 20
	// refusalSize is how much of an answer is read that is no success. The task shows it.
	refusalSize = 64 << 10
)

// client sends requests to the services. It is safe for concurrent use. Waiting tasks hold nothing of it.
type client struct {
	http              *http.Client
	bigQuery, storage string // addresses of the services, up to their version
	tokens            *tokens
}

func newClient(options Options) *client {
	dialer := &net.Dialer{Timeout: 30 * time.Second, KeepAlive: 30 * time.Second}
	transport := &http.Transport{
		Proxy: func(request *http.Request) (*url.URL, error) {
			at, err := operator.EnvProxy(options.Env, request.URL.Scheme == "https")
			if at == nil || err != nil {
				return nil, nil //nolint:nilerr,nilnil // the task is warned of a variable that is no URL
			}
			return &url.URL{Scheme: at.Scheme, Host: at.Host}, nil
		},
		DialContext:           dialer.DialContext,
		ForceAttemptHTTP2:     true,
		TLSHandshakeTimeout:   30 * time.Second,
		MaxIdleConnsPerHost:   16,
		MaxIdleConns:          64,
		IdleConnTimeout:       30 * time.Second,
		ResponseHeaderTimeout: answerTime,
	}
	c := &client{http: &http.Client{Transport: transport, Timeout: answerTime}, bigQuery: options.BigQuery, storage: options.Storage}
	if c.bigQuery == "" {
		c.bigQuery = "https://bigquery.googleapis.com/bigquery/v2"
	}
	if c.storage == "" {
		c.storage = "https://storage.googleapis.com/storage/v1"
	}
	c.tokens = newTokens()
	return c
}

// warnOfProxy says in the task's log what of the environment's proxy is not used (operators 1.16).
func warnOfProxy(env func(string) (string, bool), log *slog.Logger) {
	at, err := operator.EnvProxy(env, true)
	switch {
	case err != nil:
		log.Warn("the proxy of the environment is not used", slog.Any("error", err))
	case at != nil && at.User != nil:
		log.Warn("Authenticated proxy is not supported")
	}
}

// call sends a request with a JSON body, unless that is nil, and returns the JSON object in the answer, which is
// empty if the answer is. An answer that is no success is an *apiError, and a lost one a *lostError.
func (s *session) call(ctx context.Context, method, address string, body *param.Map) (*param.Map, error) {
	token, known, err := s.token(ctx)
	if err != nil {
		return nil, err
	}
	answer, err := s.client.send(ctx, token, method, address, body)
	if statusOf(err) != http.StatusUnauthorized {
		return answer, err
	}
	s.client.tokens.forget(s.credential)
	if !known {
		return nil, err
	}
	if token, _, err = s.token(ctx); err != nil { // a remembered token may have been revoked
		return nil, err
	}
	return s.client.send(ctx, token, method, address, body)
}

func (c *client) send(ctx context.Context, token, method, address string, body *param.Map) (*param.Map, error) {
	var reader io.Reader
	if body != nil {
		reader = bytes.NewReader(param.AppendJSON(nil, body))
	}
	request, err := http.NewRequestWithContext(ctx, method, address, reader)
	if err != nil {
		return nil, err
	}
	request.Header.Set("Authorization", "Bearer "+token)
	if body != nil {
		request.Header.Set("Content-Type", "application/json")
	}
	response, err := c.http.Do(request)
	if err != nil {
		return nil, &lostError{err}
	}
	defer response.Body.Close() //nolint:errcheck // it was only read
	most := int64(answerSize)
	if response.StatusCode < 200 || response.StatusCode > 299 {
		most = refusalSize
	}
	data, err := io.ReadAll(io.LimitReader(response.Body, most))
	switch {
	case err != nil:
		return nil, &lostError{fmt.Errorf("%s %s: %w", method, address, err)}
	case response.StatusCode < 200 || response.StatusCode > 299:
		return nil, &apiError{response.StatusCode, string(data)}
	case len(bytes.TrimSpace(data)) == 0:
		return param.New(), nil
	}
	answer, err := param.ParseMap(string(data))
	if err != nil {
		return nil, &lostError{fmt.Errorf("%s %s: the answer is no whole JSON object: %w", method, address, err)}
	}
	return answer, nil
}

// path joins the parts of an address, each escaped as a whole.
func path(base string, parts ...string) string {
	var b strings.Builder
	b.WriteString(base)
	for _, part := range parts {
		b.WriteByte('/')
		b.WriteString(url.PathEscape(part))
	}
	return b.String()
}

// ended returns the error of a run whose context ended, in place of that of a request that ended with it.
func ended(ctx context.Context, err error) error {
	if err != nil && ctx.Err() != nil {
		if _, again := errors.AsType[*operator.Again](err); !again {
			return context.Cause(ctx)
		}
	}
	return err
}
