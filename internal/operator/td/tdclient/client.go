package tdclient

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/trowel-project/trowel/internal/wait"
)

// Options say where the API is and how it is reached.
type Options struct {
	Host      string // with a port, if it has one
	TLS       bool
	Key       string // the API key
	UserAgent string
	Transport http.RoundTripper
	// Renew returns the key again after one was refused; it may have changed. Nil to use the same one.
	Renew func(context.Context) (string, error)
	// Pause is the first pause between the tries of a request, which doubles; half a second if it is zero.
	Pause time.Duration
	// Stall is how long an answer may bring nothing; a minute if it is zero.
	Stall time.Duration
}

// Client sends requests with one API key. It is not for use by several goroutines.
type Client struct {
	options Options
	key     string
	http    http.Client
}

// retries is how often a request is sent again at once, when its failure may pass (operators 8.1).
const retries = 3

// longestPause is how long the API may ask to be left alone before a request is sent again at once. Who is asked
// for more is told, see Error.RetryAfter.
const longestPause = 2 * time.Second

// maxAnswer is the largest answer that is read whole. It is the output of a job.
const maxAnswer = 32 << 20

// New returns a Client.
func New(options Options) *Client {
	if options.Pause == 0 {
		options.Pause = 500 * time.Millisecond
	}
	if options.Stall == 0 {
		options.Stall = time.Minute
	}
	return &Client{options: options, key: options.Key, http: http.Client{
		Transport: options.Transport,
		CheckRedirect: func(next *http.Request, sent []*http.Request) error {
			if next.Method != sent[0].Method || len(sent) >= 5 {
				return http.ErrUseLastResponse
			}
			return nil
		},
	}}
}

// request is what is sent. At most one of form and body is set.
type request struct {
	method, path string // the path with escapes, without a query
	query        url.Values
	form         url.Values
	body         any // is sent as JSON
}

// target returns the path with the query, as messages show it.
func (r *request) target() string {
	if len(r.query) == 0 {
		return r.path
	}
	return r.path + "?" + r.query.Encode()
}

// path joins the parts of a path, with escapes.
func path(parts ...string) string {
	escaped := make([]string, len(parts))
	for i, part := range parts {
		escaped[i] = url.PathEscape(part)
	}
	return "/" + strings.Join(escaped, "/")
}

// call sends a request and reads the JSON answer into one, unless that is nil.
func (c *Client) call(ctx context.Context, r request, into any) error {
	return c.repeat(ctx, func() error {
		response, err := c.send(ctx, &r)
		if err != nil {
			return err
		}
		defer response.Body.Close() //nolint:errcheck // it was only read
		return readAnswer(response, &r, into)
	})
}

func readAnswer(response *http.Response, r *request, into any) error {
	data, err := io.ReadAll(io.LimitReader(response.Body, maxAnswer+1))
	if err != nil {
		return broken(r, err)
	}
	if into == nil {
		return nil
	}
	if len(data) > maxAnswer {
		return &Error{Type: typeJSON, target: r.target(), text: fmt.Sprintf("the answer has more than %d MB", maxAnswer>>20)}
	}
	if err := json.Unmarshal(data, into); err != nil {
		return &Error{Type: typeJSON, target: r.target(), text: "the answer is not the JSON that was expected", passing: true, cause: err}
	}
	return nil
}

// repeat calls send until it succeeds, or fails in a way that does not pass, but not often. A refused key is read again once.
func (c *Client) repeat(ctx context.Context, send func() error) error {
	pause, renewed := c.options.Pause, false
	for done := 0; ; {
		err := send()
		failure, ok := errors.AsType[*Error](err)
		switch {
		case !ok || ctx.Err() != nil:
			return err
		case failure.refused() && !renewed:
			renewed = true
			if err := c.renew(ctx); err != nil {
				return err
			}
			continue
		case !failure.passing || done == retries || failure.RetryAfter > longestPause:
			return err
		}
		done++
		if wait.Sleep(ctx, max(pause, failure.RetryAfter)) != nil {
			return err
		}
		pause *= 2
	}
}

func (c *Client) renew(ctx context.Context) error {
	if c.options.Renew == nil {
		return nil
	}
	key, err := c.options.Renew(ctx)
	if err == nil {
		c.key = key
	}
	return err
}

// send sends a request once. An answer that is no success is an *Error.
func (c *Client) send(ctx context.Context, r *request) (*http.Response, error) {
	ctx, cancel := context.WithCancelCause(ctx)
	watched := watch(ctx, cancel, c.options.Stall)
	sent, err := c.build(ctx, r)
	if err != nil {
		watched.stop()
		return nil, err
	}
	response, err := c.http.Do(sent)
	if err != nil {
		defer watched.stop()
		return nil, broken(r, watched.why(err))
	}
	response.Body = &watchedBody{ReadCloser: response.Body, watched: watched}
	if response.StatusCode/100 == 2 {
		return response, nil
	}
	defer response.Body.Close() //nolint:errcheck // it was only read
	return nil, refusal(response, r)
}

func (c *Client) build(ctx context.Context, r *request) (*http.Request, error) {
	body, contentType, err := r.content()
	if err != nil {
		return nil, err
	}
	scheme := "http"
	if c.options.TLS {
		scheme = "https"
	}
	sent, err := http.NewRequestWithContext(ctx, r.method, scheme+"://"+c.options.Host+r.target(), body)
	if err != nil {
		return nil, &Error{Type: typeInput, text: "the endpoint " + strconv.Quote(c.options.Host) + " is no name of a host"}
	}
	sent.Header.Set("Authorization", authorization(c.key))
	if contentType != "" {
		sent.Header.Set("Content-Type", contentType)
	}
	if c.options.UserAgent != "" {
		sent.Header.Set("User-Agent", c.options.UserAgent)
	}
	return sent, nil
}

func (r *request) content() (body io.Reader, contentType string, err error) {
	switch {
	case r.form != nil:
		return strings.NewReader(r.form.Encode()), "application/x-www-form-urlencoded", nil
	case r.body != nil:
		data, err := json.Marshal(r.body)
		return bytes.NewReader(data), "application/json", err
	default:
		return http.NoBody, "", nil
	}
}

// usualKey is the form of keys before which the scheme of authorization is put.
var usualKey = regexp.MustCompile(`^(?:[1-9][0-9]*/)?[a-f0-9]{40}$`)

func authorization(key string) string {
	if usualKey.MatchString(key) {
		return "TD1 " + key
	}
	return key
}
