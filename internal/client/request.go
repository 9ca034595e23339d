package client

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/trowel-project/trowel/internal/api"
	"github.com/trowel-project/trowel/internal/wait"
)

// Tries of a GET (server 1.7.2, 1.7.3). Between them the client waits 2, 4, 8 ... 512 ms.
const (
	tries     = 10
	firstWait = 2 * time.Millisecond
)

// maxAnswer is the largest size of a JSON document that is read, far beyond what a server sends.
const maxAnswer = 256 << 20

// query has the parameters of a request. Empty ones are left out.
type query map[string]string

func (q query) encode() string {
	values := url.Values{}
	for key, value := range q {
		if value != "" {
			values.Set(key, value)
		}
	}
	return values.Encode()
}

// number returns a number as a parameter. Nil means none.
func number(n *int) string {
	if n == nil {
		return ""
	}
	return strconv.Itoa(*n)
}

// idText returns an id as a parameter. 0 means none.
func idText(id api.ID) string {
	if id == 0 {
		return ""
	}
	return id.String()
}

// segment returns a text as one part of a path. It escapes more than the standard library does, as the
// names of log files contain + and @ (server 2.6.8).
func segment(text string) string {
	return strings.ReplaceAll(url.QueryEscape(text), "+", "%20")
}

// address returns the URL of a path that is already escaped.
func (c *Client) address(path string, q query) string {
	address := c.endpoint.String() + path
	if encoded := q.encode(); encoded != "" {
		address += "?" + encoded
	}
	return address
}

// get requests a JSON document. It tries again if there was no answer, or one that may change at the next
// try (server 1.7.2).
func get[T any](ctx context.Context, c *Client, path string, q query) (*T, error) {
	var answer T
	err := c.patiently(ctx, func() error {
		res, err := c.send(ctx, request{method: http.MethodGet, address: c.address(path, q), accept: jsonType, own: true})
		if err != nil {
			return err
		}
		return readJSON(res, &answer)
	})
	if err != nil {
		return nil, err
	}
	return &answer, nil
}

// change sends a request with a JSON body, once. A nil body means none.
func change[T any](ctx context.Context, c *Client, method, path string, body any) (*T, error) {
	r := request{method: method, address: c.address(path, nil), accept: jsonType, own: true}
	if body != nil {
		var text bytes.Buffer
		encoder := json.NewEncoder(&text)
		encoder.SetEscapeHTML(false)
		if err := encoder.Encode(body); err != nil {
			return nil, fmt.Errorf("write the request: %w", err)
		}
		r.body, r.size, r.contentType = &text, int64(text.Len()), jsonType
	}
	res, err := c.send(ctx, r)
	if err != nil {
		return nil, err
	}
	var answer T
	if err := readJSON(res, &answer); err != nil {
		return nil, err
	}
	return &answer, nil
}

// none is the body of a request without options.
type none struct{}

const jsonType = "application/json"

// request is one HTTP request.
type request struct {
	method, address     string
	accept, contentType string
	body                io.Reader // nil for none
	size                int64     // of the body, in bytes
	own                 bool      // goes to the server itself, with the user's headers
}

// send sends a request and returns a successful answer. For another answer it returns a *StatusError, and
// without an answer an *UnreachableError.
func (c *Client) send(ctx context.Context, r request) (*http.Response, error) {
	res, err := c.exchange(ctx, r)
	if err != nil {
		return nil, err
	}
	if res.StatusCode < 200 || res.StatusCode > 299 {
		return nil, closed(r.method, res)
	}
	return res, nil
}

// exchange sends a request and returns any answer.
func (c *Client) exchange(ctx context.Context, r request) (*http.Response, error) {
	ctx, cancel := context.WithCancelCause(ctx)
	req, err := http.NewRequestWithContext(ctx, r.method, r.address, r.body)
	if err != nil {
		cancel(nil)
		return nil, fmt.Errorf("make a request: %w", err)
	}
	if r.body != nil {
		req.ContentLength = r.size
		req.Header.Set("Content-Type", r.contentType)
	}
	req.Header.Set("User-Agent", "DigdagClient/"+c.options.Version)
	req.Header.Set("Accept-Encoding", encodings)
	if r.accept != "" {
		req.Header.Set("Accept", r.accept)
	}
	if r.own {
		for name, values := range c.options.Header {
			req.Header[http.CanonicalHeaderKey(name)] = values
		}
		req.Host = req.Header.Get("Host")
	}
	res, err := c.http.Do(req)
	if err != nil {
		cancel(nil)
		return nil, c.unreachable(req.URL, err)
	}
	res.Body = &watchedBody{body: res.Body, ctx: ctx, cancel: cancel, limit: c.options.Silence}
	body, err := decoded(res)
	if err != nil {
		_ = res.Body.Close() // its encoding is broken
		return nil, c.unreachable(req.URL, err)
	}
	res.Body = body
	return res, nil
}

// unreachable returns the error about a request without an answer. It removes the address from the text of net/http,
// as it is in the error already.
func (c *Client) unreachable(address *url.URL, err error) error {
	if wrapped, ok := errors.AsType[*url.Error](err); ok {
		err = wrapped.Err
	}
	return &UnreachableError{Endpoint: address.Scheme + "://" + address.Host, Err: err}
}

// closed reads an answer that refuses a request, and closes it.
func closed(method string, res *http.Response) error {
	body, err := io.ReadAll(io.LimitReader(res.Body, 1<<20))
	_ = res.Body.Close() // it was read
	if err != nil {
		body = nil // the status is enough
	}
	return refusal(method, res, body)
}

// readJSON reads the document in an answer.
func readJSON(res *http.Response, into any) error {
	data, err := io.ReadAll(io.LimitReader(res.Body, maxAnswer+1))
	_ = res.Body.Close() // it was read
	if err != nil {
		return &UnreachableError{Endpoint: res.Request.URL.Scheme + "://" + res.Request.URL.Host, Err: err}
	}
	if len(data) > maxAnswer {
		return fmt.Errorf("the answer to %s %s has more than %d MiB", res.Request.Method, res.Request.URL.Path, maxAnswer>>20)
	}
	err = checkBulk(data)
	if err == nil {
		err = json.Unmarshal(data, into)
	}
	if err != nil {
		return &ForeignError{
			Request: res.Request.Method + " " + res.Request.URL.Path, Endpoint: res.Request.URL.Scheme + "://" + res.Request.URL.Host, Err: err,
		}
	}
	return nil
}

// patiently repeats something while that may help, with growing waits.
func (c *Client) patiently(ctx context.Context, do func() error) error {
	pause := firstWait
	for try := 1; ; try++ {
		err := do()
		if err == nil || try == tries || !passing(err) {
			return err
		}
		if err := wait.Sleep(ctx, pause); err != nil {
			return err
		}
		pause *= 2
	}
}

// passing reports whether the next try may succeed (server 1.7.2).
func passing(err error) bool {
	if refused, ok := errors.AsType[*StatusError](err); ok {
		return refused.Code >= 500 || refused.Code == http.StatusRequestTimeout || refused.Code == http.StatusTooManyRequests
	}
	_, ok := errors.AsType[*UnreachableError](err)
	return ok && !errors.Is(err, context.Canceled) && !errors.Is(err, errSilent)
}
