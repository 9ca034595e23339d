package operator

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/param"
)

// httpTooLarge is the text about a response that is too large to store (operators 2.2, 5.1).
const httpTooLarge = "Response content too large: %d > %d"

// Defaults of settings (operators 11).
const (
	defaultRedirects   = 8
	defaultContentSize = 65536
	defaultUserAgent   = "Trowel"
)

// HTTPOptions are the system's settings for http> and http_call> (operators 11). The zero value has
// the defaults.
type HTTPOptions struct {
	NoUserProxy  bool       // tasks cannot name a proxy (config.http.allow_user_proxy)
	Proxy        *HTTPProxy // for tasks that name none; nil for none (config.http.proxy)
	MaxRedirects int        // 0 means 8, and a negative number means none (config.http.max_redirects)
	// MaxStoredSize limits what a task stores, and MaxCallSize what http_call> accepts, in UTF-16
	// units. 0 means 65536 (config.http.max_stored_response_content_size,
	// config.http_call.max_response_content_size).
	MaxStoredSize, MaxCallSize int
	UserAgent                  string // without the library's token, which follows (config.http.user_agent)
	// Env looks up proxies in the environment (operators 1.16). Nil for none.
	Env func(name string) (string, bool)
}

func (o HTTPOptions) withDefaults() HTTPOptions {
	if o.MaxRedirects == 0 {
		o.MaxRedirects = defaultRedirects
	}
	if o.MaxStoredSize == 0 {
		o.MaxStoredSize = defaultContentSize
	}
	if o.MaxCallSize == 0 {
		o.MaxCallSize = defaultContentSize
	}
	if o.UserAgent == "" {
		o.UserAgent = defaultUserAgent
	}
	if o.Env == nil {
		o.Env = func(string) (string, bool) { return "", false }
	}
	return o
}

// web runs http> and http_call>.
type web struct {
	options    HTTPOptions
	transports *transports
}

func newWeb(options HTTPOptions) *web {
	return &web{options: options.withDefaults(), transports: newTransports()}
}

// runHTTP sends one HTTP request (operators 5.1).
func (w *web) runHTTP(ctx context.Context, r *Request) (Outcome, error) {
	params, options, err := readHTTP(r)
	if err != nil {
		return Outcome{}, Unretried(err)
	}
	store, err := params.BoolOr("store_content", false)
	if err != nil {
		return Outcome{}, Unretried(err)
	}
	target, err := httpTargetOf(ctx, r, params, true)
	if err != nil {
		return Outcome{}, err
	}
	keep := 0
	if store {
		keep = w.options.MaxStoredSize
	}
	response, again, err := w.fetch(ctx, r, params, options, target, keep)
	if err != nil || again != nil {
		return Outcome{Again: again}, err
	}
	return w.stored(response, store)
}

// stored returns the parameters of a response (operators 5.1, 1.10).
func (w *web) stored(response *httpResponse, content bool) (Outcome, error) {
	last := param.Of("last_status", response.status)
	result := trowel.Result{Store: param.Of("http", last), ResetKeys: []string{"http.last_status"}}
	if !content {
		return Outcome{Result: result}, nil
	}
	text, err := response.text("", w.options.MaxStoredSize)
	if err != nil {
		return Outcome{}, err
	}
	last.Set("last_content", text)
	result.ResetKeys = append(result.ResetKeys, "http.last_content")
	return Outcome{Result: result}, nil
}

// fetch sends the task's request and returns the response, or asks for another run. At most keep units of the response
// are needed as text.
func (w *web) fetch(
	ctx context.Context, r *Request, params *param.Reader, options httpOptions, target *httpTarget, keep int,
) (*httpResponse, *Again, error) {
	request, err := w.request(ctx, r, params, options, target)
	if err != nil {
		return nil, nil, err
	}
	request.keepBytes = keepBytes(keep)
	sender := w.transports.take(w.route(r, options))
	r.Log.Info("sending HTTP request", slog.String("method", request.method), slog.String("uri", target.shown))
	r.Waiting()
	response, err := w.send(ctx, sender, request)
	if err == nil {
		r.Log.Info("received HTTP response", slog.Int("status", response.status), slog.String("uri", target.shown))
		return response, nil, nil
	}
	if ctx.Err() != nil {
		return nil, nil, fmt.Errorf("HTTP request: %w", context.Cause(ctx))
	}
	refusal, isStatus := err.(*httpStatusError) //nolint:errorlint // send returns it unwrapped
	retry := options.retry
	if isStatus {
		retry = refusal.retried(options.retry)
		err = &Failure{Message: refusal.Error()}
	}
	if !retry {
		return nil, nil, err
	}
	outcome, err := RetryLater(r.State, "request", err)
	return nil, outcome.Again, err
}

// httpStatusError is a response that means failure (operators 5.1).
type httpStatusError struct {
	status int
	text   string
}

func (e *httpStatusError) Error() string { return e.text }

// retried reports whether the request is repeated. wanted is the option retry.
func (e *httpStatusError) retried(wanted bool) bool {
	switch {
	case e.status == http.StatusRequestTimeout, e.status == http.StatusTooManyRequests:
		return true
	case e.status >= 400 && e.status < 500:
		return false
	default:
		return wanted
	}
}
