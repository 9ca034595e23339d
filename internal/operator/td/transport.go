package td

import (
	"net"
	"net/http"
	"net/url"
	"sync"
	"time"
)

// transports has the connections that are kept between requests, by the URL of the proxy, which is empty for none.
type transports struct {
	mu    sync.Mutex
	known map[string]*http.Transport
}

// maxTransports is the largest number of proxies whose connections are kept; tasks may name many.
const maxTransports = 16

func newTransports() *transports { return &transports{known: map[string]*http.Transport{}} }

func (t *transports) take(proxy *url.URL) *http.Transport {
	key := ""
	if proxy != nil {
		key = proxy.String()
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if known := t.known[key]; known != nil {
		return known
	}
	if len(t.known) >= maxTransports {
		clear(t.known) // their connections close when they have been idle
	}
	dialer := &net.Dialer{Timeout: 30 * time.Second, KeepAlive: 30 * time.Second}
	made := &http.Transport{
		Proxy: http.ProxyURL(proxy), DialContext: dialer.DialContext, ForceAttemptHTTP2: true, TLSHandshakeTimeout: 30 * time.Second,
		MaxIdleConnsPerHost: 16, MaxIdleConns: 64, IdleConnTimeout: 30 * time.Second,
	}
	t.known[key] = made
	return made
}
