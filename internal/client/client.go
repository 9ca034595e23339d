package client

import (
	"crypto/tls"
	"net"
	"net/http"
	"net/url"
	"time"
)

// Options says where the server is and how to talk to it.
type Options struct {
	// Endpoint is the address: http://HOST[:PORT], https://HOST[:PORT] or HOST[:PORT]. A path is
	// ignored.
	Endpoint string
	// Header is sent with every request to the server, but not to addresses to which it redirects.
	Header http.Header
	// Version is the client's own version, for the header User-Agent and for CheckVersion.
	Version string
	// DigdagVersion is the version of Digdag that the client stands for, for CheckVersion.
	DigdagVersion string
	// Lookup returns a variable of the environment, for the proxy. Nil for no environment.
	Lookup func(name string) (string, bool)
	// AnyCertificate accepts every TLS certificate.
	AnyCertificate bool
	// NoDirectDownload makes the server send all files itself, instead of addresses of its store.
	NoDirectDownload bool
	// Silence is how long an answer may stop in its middle. Zero means 5 minutes.
	Silence time.Duration
	// Warn is called with warnings. Nil for no calls.
	Warn func(text string)
}

// Limits of one request.
const (
	connectTime = 30 * time.Second
	answerTime  = 5 * time.Minute // between the end of the request and the answer, as a large push takes long
)

// Client talks to one server. It is safe for concurrent use.
type Client struct {
	options  Options
	endpoint *url.URL // scheme and host only
	http     *http.Client
}

// New returns a client, or an error if the endpoint is invalid. It does not connect.
func New(options Options) (*Client, error) {
	endpoint, err := parseEndpoint(options.Endpoint)
	if err != nil {
		return nil, err
	}
	if options.Warn == nil {
		options.Warn = func(string) {}
	}
	if options.Lookup == nil {
		options.Lookup = func(string) (string, bool) { return "", false }
	}
	if options.Silence == 0 {
		options.Silence = silenceTime
	}
	transport := &http.Transport{
		DialContext:           (&net.Dialer{Timeout: connectTime}).DialContext,
		TLSHandshakeTimeout:   connectTime,
		ResponseHeaderTimeout: answerTime,
		ForceAttemptHTTP2:     true,
		DisableCompression:    true, // the transport only knows gzip: see decoded
		MaxIdleConnsPerHost:   1,
		IdleConnTimeout:       time.Minute,
	}
	if options.AnyCertificate {
		transport.TLSClientConfig = &tls.Config{InsecureSkipVerify: true} // as the user wants it
	}
	if proxy := proxyOf(endpoint.Scheme, options.Lookup, options.Warn); proxy != nil {
		transport.Proxy = http.ProxyURL(proxy)
	}
	return &Client{
		options:  options,
		endpoint: endpoint,
		http: &http.Client{
			Transport:     transport,
			CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		},
	}, nil
}

// Endpoint returns the address of the server, without a path.
func (c *Client) Endpoint() string { return c.endpoint.String() }

// Close closes idle connections.
func (c *Client) Close() { c.http.CloseIdleConnections() }
