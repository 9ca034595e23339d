package operator

import (
	"context"
	"crypto/tls"
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"
)

// route is the way to a server: through which proxy, for each scheme of the target, and whether its
// certificate is checked. Requests with the same route share connections.
type route struct {
	plain, secure string // URLs of the proxies for http and https; empty for none
	insecure      bool
}

// route chooses the route of a task's request (operators 5.1, 1.16).
func (w *web) route(r *Request, options httpOptions) route {
	proxy := options.proxy
	if proxy == nil || w.options.NoUserProxy {
		proxy = w.options.Proxy
	}
	if proxy != nil {
		at := proxy.url().String()
		return route{plain: at, secure: at, insecure: options.insecure}
	}
	return route{
		plain:    w.envProxy(r, "http_proxy", "HTTP_PROXY"),
		secure:   w.envProxy(r, "https_proxy", "HTTPS_PROXY", "http_proxy", "HTTP_PROXY"),
		insecure: options.insecure,
	}
}

// envProxy returns the proxy of the first variable that is not blank. It removes credentials, which are
// not used.
func (w *web) envProxy(r *Request, names ...string) string {
	for _, name := range names {
		text, _ := w.options.Env(name)
		if text = strings.TrimSpace(text); text == "" {
			continue
		}
		at, err := url.Parse(text)
		if err != nil || at.Scheme != "http" && at.Scheme != "https" || at.Host == "" {
			r.Log.Warn("the environment's proxy is no URL and is not used", slog.String("variable", name))
			return ""
		}
		return (&url.URL{Scheme: at.Scheme, Host: at.Host}).String()
	}
	return ""
}

// maxTransports is the largest number of routes whose connections are kept; tasks may have many.
const maxTransports = 64

// transports has the connections that are kept between requests, by their route.
type transports struct {
	mu    sync.Mutex
	known map[route]*http.Transport
}

func newTransports() *transports { return &transports{known: map[route]*http.Transport{}} }

// take returns the transport of a route.
func (t *transports) take(way route) *http.Transport {
	t.mu.Lock()
	defer t.mu.Unlock()
	if known := t.known[way]; known != nil {
		return known
	}
	if len(t.known) >= maxTransports {
		for old := range t.known { // any; its connections close when they have been idle
			delete(t.known, old)
			break
		}
	}
	made := newTransport(way)
	t.known[way] = made
	return made
}

func newTransport(way route) *http.Transport {
	dialer := &net.Dialer{Timeout: 30 * time.Second, KeepAlive: 30 * time.Second}
	return &http.Transport{
		Proxy: func(request *http.Request) (*url.URL, error) {
			at := way.plain
			if request.URL.Scheme == "https" {
				at = way.secure
			}
			if at == "" {
				return nil, nil //nolint:nilnil // no proxy
			}
			return url.Parse(at)
		},
		DialContext:     dialer.DialContext,
		TLSClientConfig: &tls.Config{InsecureSkipVerify: way.insecure}, //nolint:gosec // the task says so
		OnProxyConnectResponse: func(_ context.Context, _ *url.URL, _ *http.Request, response *http.Response) error {
			if response.StatusCode == http.StatusOK {
				return nil
			}
			return &connectError{status: response.StatusCode, reason: reason(response)}
		},
		MaxIdleConnsPerHost: 16,
		MaxIdleConns:        100,
		IdleConnTimeout:     30 * time.Second,
	}
}

// connectError says that a proxy did not connect to the target.
type connectError struct {
	status int
	reason string
}

func (e *connectError) Error() string { return "the proxy answered " + e.reason }
