package operator

import (
	"context"
	"fmt"
	"net/url"
	"strings"
	"time"

	"github.com/trowel-project/trowel/internal/param"
)

const httpInvalidMethod = "Invalid HTTP method: %s" // ours

// httpOptions are the options of http> and http_call> that do not describe the request itself
// (operators 5.1).
type httpOptions struct {
	method   string
	timeout  time.Duration // of the whole exchange; zero or less for none
	retry    bool
	follow   bool // redirects
	insecure bool // any certificate is accepted
	proxy    *HTTPProxy
}

// HTTPProxy is a proxy for HTTP requests.
type HTTPProxy struct {
	Host string
	Port int
	TLS  bool // to the proxy
}

func (p HTTPProxy) url() *url.URL {
	scheme := "http"
	if p.TLS {
		scheme = "https"
	}
	host := p.Host
	if strings.Contains(host, ":") {
		host = "[" + host + "]"
	}
	return &url.URL{Scheme: scheme, Host: fmt.Sprintf("%s:%d", host, p.Port)}
}

// readHTTP reads the options. It returns a Reader with them and those of the block http.
func readHTTP(r *Request) (params *param.Reader, o httpOptions, err error) {
	if params, err = r.Section("http"); err != nil {
		return nil, o, err
	}
	method, err := params.StringOr("method", "GET")
	if err != nil {
		return nil, o, err
	}
	o.method = strings.ToUpper(method)
	if !isHeader(o.method, "") {
		return nil, o, param.Errorf(httpInvalidMethod, param.JSON(method))
	}
	seconds, err := params.IntOr("timeout", 30)
	if err != nil {
		return nil, o, err
	}
	o.timeout = time.Duration(seconds) * time.Second
	if o.retry, err = params.BoolOr("retry", isSafeMethod(o.method)); err != nil {
		return nil, o, err
	}
	if o.follow, err = params.BoolOr("follow_redirects", true); err != nil {
		return nil, o, err
	}
	if o.insecure, err = params.BoolOr("insecure", false); err != nil {
		return nil, o, err
	}
	o.proxy, err = readProxy(params)
	return params, o, err
}

// isSafeMethod reports whether requests with a method are repeated unless the task says otherwise.
func isSafeMethod(method string) bool {
	switch method {
	case "GET", "HEAD", "OPTIONS", "TRACE":
		return true
	default:
		return false
	}
}

// readProxy reads the proxy that a task names. It returns nil if there is none.
func readProxy(params *param.Reader) (*HTTPProxy, error) {
	section, err := params.OptMap("proxy")
	if err != nil {
		return nil, err
	}
	options := param.NewReader(section)
	enabled, err := options.BoolOr("enabled", false)
	if err != nil || !enabled {
		return nil, err
	}
	var p HTTPProxy
	if p.Host, err = options.String("host"); err != nil {
		return nil, err
	}
	if p.Port, err = options.Int("port"); err != nil {
		return nil, err
	}
	p.TLS, err = options.BoolOr("tls", false)
	return &p, err
}

// httpTarget is where a request goes.
type httpTarget struct {
	uri    *url.URL
	shown  string // for people: without user info, and "SCHEME://***" if there is a secret in it
	secret bool   // there is a secret in it
}

// httpTargetOf reads the URI: from the secret http.uri, if secretCounts is set and there is one, otherwise from
// the task's command, with its secrets.
func httpTargetOf(ctx context.Context, r *Request, params *param.Reader, secretCounts bool) (*httpTarget, error) {
	if secretCounts {
		text, found, err := r.OptSecret(ctx, "http.uri")
		if err != nil {
			return nil, err
		}
		if found {
			return newHTTPTarget(text, true)
		}
	}
	command, err := params.String("_command")
	if err != nil {
		return nil, err
	}
	text, err := r.Expand(ctx, command)
	if err != nil {
		return nil, err
	}
	return newHTTPTarget(text, text != command)
}

// newHTTPTarget reads a URI. It is sent as it is written, except characters outside of ASCII.
func newHTTPTarget(text string, secret bool) (*httpTarget, error) {
	shown := text
	if secret {
		scheme, _, _ := strings.Cut(text, ":")
		if scheme != "http" && scheme != "https" {
			scheme = "***"
		}
		shown = scheme + "://***"
	}
	refuse := func(reason string) (*httpTarget, error) {
		return nil, &Error{Kind: KindIllegalArgument, Message: reason + ": " + shown}
	}
	if at := strings.IndexFunc(text, isIllegalInURI); at >= 0 {
		return refuse(fmt.Sprintf("Illegal character in URI at index %d", at))
	}
	uri, err := url.Parse(text)
	if err != nil {
		return refuse("Malformed URI")
	}
	if uri.Scheme != "http" && uri.Scheme != "https" || uri.Host == "" {
		return refuse("URI must begin with http:// or https:// and a host")
	}
	uri.RawQuery = escapeNonASCII(uri.RawQuery)
	if !secret {
		shown = withoutUser(text)
	}
	return &httpTarget{uri: uri, shown: shown, secret: secret}, nil
}

// isIllegalInURI reports whether Java's URI refuses a character.
func isIllegalInURI(c rune) bool {
	return c <= ' ' || c == 0x7f || strings.ContainsRune("\"<>\\^`{|}", c)
}

func escapeNonASCII(text string) string {
	var out strings.Builder
	for i := range len(text) {
		if text[i] < 0x80 {
			out.WriteByte(text[i])
		} else {
			fmt.Fprintf(&out, "%%%02X", text[i])
		}
	}
	return out.String()
}

// withoutUser removes the user info of a URI.
func withoutUser(uri string) string {
	scheme, rest, _ := strings.Cut(uri, "://")
	end := strings.IndexAny(rest, "/?#")
	if end < 0 {
		end = len(rest)
	}
	at := strings.LastIndexByte(rest[:end], '@')
	return scheme + "://" + rest[at+1:]
}
