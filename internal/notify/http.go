package notify

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/trowel-project/trowel/internal/param"
)

// httpTimeout is the limit of one request.
const httpTimeout = 60 * time.Second

// maxAnswerBytes is how much of an answer is read, so that the connection can be used again.
const maxAnswerBytes = 64 << 10

// HTTPOptions say where notifications are sent.
type HTTPOptions struct {
	URL     string
	Method  string // POST if empty
	Headers map[string]string
	Client  *http.Client // nil for one that gives up after 60 seconds
}

// HTTP sends notifications as JSON in HTTP requests.
type HTTP struct{ opts HTTPOptions }

// NewHTTP returns an HTTP. It sends nothing yet.
func NewHTTP(opts HTTPOptions) *HTTP {
	if opts.Method == "" {
		opts.Method = http.MethodPost
	}
	if opts.Client == nil {
		opts.Client = &http.Client{Timeout: httpTimeout}
	}
	return &HTTP{opts: opts}
}

// Send implements Sender. An answer other than 2xx is an error. Errors do not contain the URL, which may
// contain a key.
func (h *HTTP) Send(ctx context.Context, n Notification) error {
	request, err := http.NewRequestWithContext(ctx, h.opts.Method, h.opts.URL, strings.NewReader(param.JSON(n.Payload())))
	if err != nil {
		return withoutURL(err)
	}
	request.Header.Set("Content-Type", "application/json")
	for name, value := range h.opts.Headers {
		request.Header.Set(name, value)
		if http.CanonicalHeaderKey(name) == "Host" {
			request.Host = value
		}
	}
	response, err := h.opts.Client.Do(request)
	if err != nil {
		return withoutURL(err)
	}
	defer response.Body.Close() //nolint:errcheck // nothing is written to it
	_, _ = io.Copy(io.Discard, io.LimitReader(response.Body, maxAnswerBytes))
	if response.StatusCode < 200 || response.StatusCode > 299 {
		return fmt.Errorf("Failed to send HTTP notification: status=%d", response.StatusCode) //nolint:staticcheck // operators 2.11
	}
	return nil
}

func withoutURL(err error) error {
	if inner, ok := errors.AsType[*url.Error](err); ok {
		err = inner.Err
	}
	return fmt.Errorf("Failed to send HTTP notification: %w", err) //nolint:staticcheck // as above
}
