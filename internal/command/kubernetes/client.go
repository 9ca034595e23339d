package kubernetes

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/trowel-project/trowel/internal/command"
	"github.com/trowel-project/trowel/internal/param"
	"github.com/trowel-project/trowel/internal/wait"
)

const (
	// answerTime is how long an answer is waited for, all of it or, of a log, its beginning.
	answerTime = 30 * time.Second
	// mostTries is how often a request is sent, and mostBytes is the longest answer.
	mostTries = 3
	mostBytes = 16 << 20
)

// newTransport returns the connections to an API server.
func newTransport(at *endpoint) (*http.Client, error) {
	authorities := x509.NewCertPool()
	if !authorities.AppendCertsFromPEM([]byte(at.ca)) {
		return nil, param.Errorf("The certificates of the authority of the cluster have no PEM block that can be read")
	}
	return &http.Client{Transport: &http.Transport{
		Proxy: http.ProxyFromEnvironment, TLSClientConfig: &tls.Config{RootCAs: authorities, MinVersion: tls.VersionTLS12},
		TLSHandshakeTimeout: answerTime, ResponseHeaderTimeout: answerTime, IdleConnTimeout: time.Minute, ForceAttemptHTTP2: true,
	}}, nil
}

// client sends requests to the API server of a cluster.
type client struct {
	cluster *cluster
	http    *http.Client
	pause   time.Duration // before a request is sent again
	log     *slog.Logger
}

// apiError is an answer that refuses a request, or the lack of an answer.
type apiError struct {
	status  int // zero without an answer
	reason  string
	message string
	err     error
}

func (e *apiError) Error() string { return e.message }

// Unwrap returns the cause.
func (e *apiError) Unwrap() error { return e.err }

// mayPass reports whether a request that failed may work later.
func mayPass(err error) bool {
	refused, ok := errors.AsType[*apiError](err)
	return ok && (refused.status == 0 || refused.status == http.StatusTooManyRequests || refused.status >= 500)
}

// statusOf returns the status of an answer that refuses; zero for none.
func statusOf(err error) int {
	if refused, ok := errors.AsType[*apiError](err); ok {
		return refused.status
	}
	return 0
}

// told returns an error of the API server as one of a task.
func told(doing string, err error) error {
	refused, ok := errors.AsType[*apiError](err)
	if !ok {
		return err
	}
	kind, hint := "runtime", ""
	switch refused.status {
	case http.StatusUnauthorized:
		hint = "; its token is wrong or has expired"
	case http.StatusForbidden:
		hint = "; the token's account needs the verbs create, get and delete for pods, get for pods/log, and create, get and update for the volumes that tasks describe"
	case http.StatusUnprocessableEntity, http.StatusBadRequest:
		kind = "config"
	}
	return &command.Error{Kind: kind, Err: err, Message: fmt.Sprintf("%s: the Kubernetes API says: %s%s", doing, refused.message, hint)}
}

// pods returns the path of the pods of the namespace.
func (c *client) pods() string { return c.namespaced("pods") }

func (c *client) namespaced(kind string) string {
	return "/api/v1/namespaces/" + url.PathEscape(c.cluster.namespace) + "/" + kind
}

// call sends a request, again if it may pass then, and returns the object of the answer. body may be nil.
func (c *client) call(ctx context.Context, method, path string, body *param.Map) (*param.Map, error) {
	for try := 1; ; try++ {
		object, err := c.callOnce(ctx, method, path, body)
		if err == nil || try == mostTries || !mayPass(err) {
			return object, err
		}
		c.log.DebugContext(ctx, "a request to the Kubernetes API is sent again", slog.Any("error", err))
		if err := wait.Sleep(ctx, c.pause*time.Duration(try)); err != nil {
			return nil, err
		}
	}
}

func (c *client) callOnce(ctx context.Context, method, path string, body *param.Map) (*param.Map, error) {
	ctx, cancel := context.WithTimeout(ctx, answerTime)
	defer cancel()
	answer, err := c.send(ctx, method, path, body)
	if err != nil {
		return nil, err
	}
	defer answer.Close() //nolint:errcheck // only read from
	data, err := io.ReadAll(io.LimitReader(answer, mostBytes))
	if err != nil {
		return nil, &apiError{message: "the answer of the API server broke off: " + err.Error(), err: err}
	}
	object, err := param.ParseMap(string(data))
	if err != nil {
		return nil, &apiError{message: "the answer of the API server is no object: " + err.Error(), err: err}
	}
	return object, nil
}

// send sends a request once, and returns the body of a successful answer.
func (c *client) send(ctx context.Context, method, path string, body *param.Map) (io.ReadCloser, error) {
	var data []byte
	if body != nil {
		data = param.AppendJSON(nil, body)
	}
	request, err := http.NewRequestWithContext(ctx, method, strings.TrimSuffix(c.cluster.endpoint.server, "/")+path, bytes.NewReader(data))
	if err != nil {
		return nil, param.Errorf("The address of the API server cannot be used: %s", err)
	}
	request.Header.Set("Authorization", "Bearer "+c.cluster.token)
	request.Header.Set("Accept", "application/json, */*")
	if body != nil {
		request.Header.Set("Content-Type", "application/json")
	}
	answer, err := c.http.Do(request)
	if err != nil {
		if cause := context.Cause(ctx); cause != nil && !errors.Is(cause, context.DeadlineExceeded) {
			return nil, cause
		}
		return nil, &apiError{message: "the API server does not answer: " + err.Error(), err: err}
	}
	if answer.StatusCode < http.StatusMultipleChoices {
		return answer.Body, nil
	}
	defer answer.Body.Close()                                  //nolint:errcheck // only read from
	text, _ := io.ReadAll(io.LimitReader(answer.Body, 64<<10)) // only for the message
	return nil, refusal(answer.StatusCode, answer.Status, string(text))
}

// refusal returns the error of an answer, from the Status object that it should have.
func refusal(status int, line, text string) *apiError {
	e := &apiError{status: status, message: line}
	if object, err := param.ParseMap(text); err == nil {
		e.reason, e.message = textAt(object, "reason"), cmpText(textAt(object, "message"), line)
	}
	return e
}

func cmpText(text, otherwise string) string {
	if text == "" {
		return otherwise
	}
	return text
}
