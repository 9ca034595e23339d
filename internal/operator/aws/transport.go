package aws

import (
	"bufio"
	"context"
	"crypto/tls"
	"encoding/base64"
	"fmt"
	"net"
	"net/http"
	"net/http/httptrace"
	"net/url"
	"strings"
	"sync"
	"time"

	"github.com/trowel-project/trowel/internal/operator"
)

// connectTime is how long the way to a service may take to open.
const connectTime = 30 * time.Second

const (
	// answerTime is how long one request may take.
	answerTime = time.Minute
	// uploadTime is how long the upload of a file may take. The answer to it must come within answerTime after that.
	uploadTime = time.Hour
)

// Most that is read of an answer, and of one that is no success, which the task shows.
const (
	answerSize  = 32 << 20
	refusalSize = 64 << 10
)

// bounded ends answers that are too large: the project names the endpoint.
type bounded struct{ next http.RoundTripper }

// RoundTrip implements http.RoundTripper.
func (b bounded) RoundTrip(request *http.Request) (*http.Response, error) {
	answer, err := b.next.RoundTrip(request)
	if err != nil {
		return nil, err
	}
	most := int64(answerSize)
	if answer.StatusCode >= http.StatusBadRequest {
		most = refusalSize
	}
	answer.Body = http.MaxBytesReader(nil, answer.Body, most)
	return answer, nil
}

// newTransport returns the connections to the services, which all tasks share: a task that waits holds none. They go through
// the proxies of the environment, with their credentials (operators 1.16). The transport opens TLS itself, also through a
// proxy, so that it sees the headers of answers as they were sent, see recordedConn.
func newTransport(env func(string) (string, bool)) *http.Transport {
	d := &dialer{env: env, dialer: net.Dialer{Timeout: connectTime, KeepAlive: 30 * time.Second}}
	return &http.Transport{
		Proxy: func(request *http.Request) (*url.URL, error) {
			if request.URL.Scheme == "https" {
				return nil, nil //nolint:nilnil // dialTLS connects through it
			}
			return d.proxy(false), nil
		},
		DialContext:           d.dial,
		DialTLSContext:        d.dialTLS,
		MaxIdleConns:          64,
		MaxIdleConnsPerHost:   64, // most projects have one endpoint, and a full agent asks it with each of its slots
		IdleConnTimeout:       30 * time.Second,
		ResponseHeaderTimeout: answerTime,
	}
}

// dialer opens connections.
type dialer struct {
	env    func(string) (string, bool)
	dialer net.Dialer
}

// proxy returns the proxy for a kind of target; nil for none. Tasks are warned of a variable that is no URL.
func (d *dialer) proxy(secure bool) *url.URL {
	at, err := operator.EnvProxy(d.env, secure)
	if err != nil {
		return nil
	}
	return at
}

func (d *dialer) dial(ctx context.Context, network, address string) (net.Conn, error) {
	conn, err := d.dialer.DialContext(ctx, network, address)
	if err != nil {
		return nil, err
	}
	return &recordedConn{Conn: conn}, nil
}

// dialTLS opens TLS to a service, or to a proxy with TLS for services without it.
func (d *dialer) dialTLS(ctx context.Context, network, address string) (net.Conn, error) {
	ctx, cancel := context.WithTimeout(ctx, connectTime)
	defer cancel()
	proxy := d.proxy(true)
	if plain := d.proxy(false); plain != nil && plain.Scheme == "https" && hostPort(plain) == address {
		proxy = nil // the service behind it has no TLS
	}
	if proxy == nil {
		conn, err := d.dialer.DialContext(ctx, network, address)
		if err != nil {
			return nil, err
		}
		return secured(ctx, conn, address)
	}
	conn, err := d.dialer.DialContext(ctx, network, hostPort(proxy))
	if err != nil {
		return nil, err
	}
	if proxy.Scheme == "https" {
		if conn, err = secured(ctx, conn, hostPort(proxy)); err != nil {
			return nil, err
		}
	}
	if err := connect(ctx, conn, proxy, address); err != nil {
		_ = conn.Close()
		return nil, err
	}
	return secured(ctx, conn, address)
}

// secured begins TLS on a connection, which is closed if that fails.
func secured(ctx context.Context, conn net.Conn, address string) (net.Conn, error) {
	host, _, err := net.SplitHostPort(address)
	if err != nil {
		host = address
	}
	secure := tls.Client(conn, &tls.Config{ServerName: host, MinVersion: tls.VersionTLS12, NextProtos: []string{"http/1.1"}})
	if err := secure.HandshakeContext(ctx); err != nil {
		_ = conn.Close()
		return nil, err
	}
	return &recordedConn{Conn: secure}, nil
}

// connect asks a proxy for a connection to an address.
func connect(ctx context.Context, conn net.Conn, proxy *url.URL, address string) error {
	stop := context.AfterFunc(ctx, func() { _ = conn.SetDeadline(time.Unix(1, 0)) })
	defer stop()
	request := "CONNECT " + address + " HTTP/1.1\r\nHost: " + address + "\r\n"
	if proxy.User != nil {
		password, _ := proxy.User.Password()
		request += "Proxy-Authorization: Basic " + base64.StdEncoding.EncodeToString([]byte(proxy.User.Username()+":"+password)) + "\r\n"
	}
	if _, err := conn.Write([]byte(request + "\r\n")); err != nil {
		return fmt.Errorf("ask the proxy: %w", err)
	}
	answer, err := http.ReadResponse(bufio.NewReaderSize(conn, 1), &http.Request{Method: http.MethodConnect})
	if err != nil {
		return fmt.Errorf("ask the proxy: %w", err)
	}
	defer answer.Body.Close() //nolint:errcheck // it was only read
	if answer.StatusCode != http.StatusOK {
		return fmt.Errorf("the proxy answered %s", answer.Status)
	}
	return nil
}

func hostPort(at *url.URL) string {
	port := at.Port()
	if port == "" {
		port = map[string]string{"http": "80", "https": "443"}[at.Scheme]
	}
	return net.JoinHostPort(at.Hostname(), port)
}

// mostRecorded is the size of the longest header that is kept.
const mostRecorded = 256 << 10

// recordedConn hands the beginning of an answer, if that is wanted, to a recording: net/http changes the letters of the names of headers.
type recordedConn struct {
	net.Conn
	mu  sync.Mutex
	now *recording // of the answer that comes next; nil if it is not wanted
}

// recording is the beginning of one answer. It belongs to one request, as its connection may carry the next request before it is read.
type recording struct {
	mu   sync.Mutex
	data []byte
}

// Read implements net.Conn.
func (c *recordedConn) Read(p []byte) (int, error) {
	n, err := c.Conn.Read(p)
	c.mu.Lock()
	now := c.now
	c.mu.Unlock()
	if now != nil {
		now.add(p[:n])
	}
	return n, err
}

// record begins a recording, which ends the one before.
func (c *recordedConn) record() *recording {
	made := &recording{}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = made
	return made
}

func (r *recording) add(data []byte) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.data) < mostRecorded {
		r.data = append(r.data, data...)
	}
}

func (r *recording) text() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return string(r.data)
}

// header is one header of an answer, with its name as it was sent.
type header struct{ name, value string }

// recorder finds the headers of the last answer to the requests of a context.
type recorder struct{ last *recording }

// watch returns a context for requests whose headers are wanted.
func (r *recorder) watch(ctx context.Context) context.Context {
	return httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{GotConn: func(info httptrace.GotConnInfo) {
		if conn, ok := info.Conn.(*recordedConn); ok {
			r.last = conn.record()
		}
	}})
}

// headers returns the headers of the answer.
func (r *recorder) headers() []header {
	if r.last == nil {
		return nil
	}
	rest := r.last.text()
	for {
		head, after, _ := strings.Cut(rest, "\r\n\r\n")
		status, lines, _ := strings.Cut(head, "\r\n")
		if _, code, _ := strings.Cut(status, " "); strings.HasPrefix(code, "1") && after != "" {
			rest = after // an answer before the answer
			continue
		}
		var found []header
		for line := range strings.SplitSeq(lines, "\r\n") {
			if name, value, ok := strings.Cut(line, ":"); ok {
				found = append(found, header{strings.TrimSpace(name), strings.TrimSpace(value)})
			}
		}
		return found
	}
}
