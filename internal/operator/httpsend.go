package operator

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"unicode/utf16"
)

// Kinds of errors without a response (operators 5.1). Their messages are the system's.
const (
	kindTimeout     = "timeout"
	kindConnect     = "connect"
	kindUnknownHost = "unknown host"
	kindTLS         = "ssl handshake"
	kindIO          = "io"
)

// Texts of operators 5.1.
const (
	httpClientError = "HTTP 4XX Client Error"
	httpServerError = "HTTP 5XX Server Error"
	httpUnexpected  = "Unexpected HTTP status"
	httpLongBody    = "(too long response body)"
)

// send sends a request, follows redirects and reads the response. The error is a *httpStatusError or an
// *Error. Neither contains a secret of the URI.
func (w *web) send(ctx context.Context, transport *http.Transport, q *httpRequest) (*httpResponse, error) {
	if q.timeout > 0 {
		late := &Error{Kind: kindTimeout, Message: fmt.Sprintf("Total timeout %d ms elapsed", q.timeout.Milliseconds())}
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeoutCause(ctx, q.timeout, late)
		defer cancel()
	}
	response, err := exchange(ctx, transport, q)
	if err != nil {
		return nil, q.failure(ctx, err)
	}
	if refusal := q.judge(response, w.options.MaxStoredSize); refusal != nil {
		return nil, refusal
	}
	return response, nil
}

// exchange sends a request, follows redirects, and reads the last response.
func exchange(ctx context.Context, transport *http.Transport, q *httpRequest) (*httpResponse, error) {
	hop, err := newHop(ctx, q)
	if err != nil {
		return nil, err
	}
	for followed := 0; ; followed++ {
		response, err := transport.RoundTrip(hop)
		if err != nil {
			return nil, err
		}
		next, err := q.redirected(ctx, hop, response)
		if err != nil || next == nil || followed >= q.redirects {
			read, readErr := readResponse(response, q.keepBytes)
			return read, errors.Join(err, readErr)
		}
		if err := discard(response); err != nil {
			return nil, err
		}
		hop = next
	}
}

func newHop(ctx context.Context, q *httpRequest) (*http.Request, error) {
	hop, err := http.NewRequestWithContext(ctx, q.method, "http://unset/", bodyOf(q.body))
	if err != nil {
		return nil, err
	}
	uri := *q.uri
	uri.User = nil
	hop.URL, hop.Host, hop.Header = &uri, uri.Host, q.header.Clone()
	if q.host != "" {
		hop.Host = q.host
	}
	return hop, nil
}

func bodyOf(body []byte) io.Reader {
	if body == nil {
		return nil
	}
	return bytes.NewReader(body)
}

// redirected returns the request after a redirect. It is nil if the response is not a redirect, or
// redirects are not followed.
func (q *httpRequest) redirected(ctx context.Context, last *http.Request, response *http.Response) (*http.Request, error) {
	method, ok := redirectMethod(response.StatusCode, last.Method)
	location := response.Header.Get("Location")
	if !ok || q.redirects < 0 || location == "" {
		return nil, nil //nolint:nilnil // the response is the last
	}
	to, err := last.URL.Parse(location)
	if err != nil || to.Scheme != "http" && to.Scheme != "https" || to.Host == "" {
		return nil, &Error{Kind: kindIO, Message: "the server redirects to what is no URI of http or https"}
	}
	body := q.body
	if method != q.method {
		body = nil
	}
	next, err := http.NewRequestWithContext(ctx, method, "http://unset/", bodyOf(body))
	if err != nil {
		return nil, err
	}
	to.User = nil
	next.URL, next.Host, next.Header = to, to.Host, last.Header.Clone()
	if body == nil {
		next.Header.Del("Content-Type")
	}
	if to.Scheme != last.URL.Scheme || to.Host != last.URL.Host {
		next.Header.Del("Authorization") // credentials are only for the server that they were given for
		next.Header.Del("Cookie")
	}
	return next, nil
}

// redirectMethod returns the method after a redirect, as Digdag's library chooses it. ok is
// false for a status that is not followed.
func redirectMethod(status int, method string) (next string, ok bool) {
	switch status {
	case http.StatusMovedPermanently:
		if method == http.MethodPost {
			return http.MethodGet, true
		}
		return method, true
	case http.StatusFound:
		if method == http.MethodHead || method == http.MethodPut {
			return method, true
		}
		return http.MethodGet, true
	case http.StatusSeeOther:
		if method == http.MethodHead {
			return method, true
		}
		return http.MethodGet, true
	case http.StatusTemporaryRedirect, http.StatusPermanentRedirect:
		return method, true
	default:
		return "", false
	}
}

// judge returns an error unless a response is a success (operators 5.1).
func (q *httpRequest) judge(response *httpResponse, limit int) *httpStatusError {
	status := response.status
	_, isRedirect := redirectMethod(status, q.method)
	switch {
	case status >= 200 && status < 300:
		return nil
	case status >= 300 && status < 400 && (!isRedirect || q.redirects < 0 || response.header.Get("Location") == ""):
		return nil
	}
	body := httpLongBody
	if response.length <= int64(limit) {
		body = cutBody(response.anyText())
	}
	return q.refusal(status, response.reason, body)
}

func (q *httpRequest) refusal(status int, reason, body string) *httpStatusError {
	title := httpUnexpected
	switch status / 100 {
	case 4:
		title = httpClientError
	case 5:
		title = httpServerError
	}
	return &httpStatusError{status: status, text: fmt.Sprintf("%s: %s %s - %d %s: %s",
		title, q.method, q.target.shown, status, reason, body)}
}

// cutBody returns what messages show of a body: 200 units, or 197 and three dots.
func cutBody(text string) string {
	units := utf16.Encode([]rune(text))
	if len(units) <= 200 {
		return text
	}
	return string(utf16.Decode(units[:197])) + "..."
}

// failure returns the error of a request without a response with its kind, and hides a URI with secrets.
func (q *httpRequest) failure(ctx context.Context, err error) error {
	if refused, ok := errors.AsType[*connectError](err); ok {
		return q.refusal(refused.status, refused.reason, "")
	}
	if own, ok := errors.AsType[*Error](err); ok {
		return own
	}
	if late, ok := errors.AsType[*Error](context.Cause(ctx)); ok {
		return late
	}
	kind := kindIO
	if _, ok := errors.AsType[*net.DNSError](err); ok {
		kind = kindUnknownHost
	} else if op, ok := errors.AsType[*net.OpError](err); ok && (op.Op == "dial" || op.Op == "proxyconnect") {
		kind = kindConnect
	} else if isTLSError(err) {
		kind = kindTLS
	}
	message := err.Error()
	if q.target.secret {
		message = hide(message, q.uri)
	}
	return &Error{Kind: kind, Message: message}
}

func isTLSError(err error) bool {
	if _, ok := errors.AsType[*tls.CertificateVerificationError](err); ok {
		return true
	}
	if _, ok := errors.AsType[tls.RecordHeaderError](err); ok {
		return true
	}
	if _, ok := errors.AsType[tls.AlertError](err); ok {
		return true
	}
	_, ok := errors.AsType[x509.HostnameError](err)
	return ok || strings.Contains(err.Error(), "tls: ")
}

// hide masks the parts of a URI in a message.
func hide(message string, uri *url.URL) string {
	for _, part := range []string{uri.String(), uri.Host, uri.Hostname(), uri.RawQuery, uri.Path} {
		if len(part) > 1 {
			message = strings.ReplaceAll(message, part, "***")
		}
	}
	return message
}

// reason returns the text after the status code.
func reason(response *http.Response) string {
	_, text, _ := strings.Cut(response.Status, " ")
	return text
}
