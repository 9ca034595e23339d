package rest

import (
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"runtime/debug"
	"strings"
	"sync/atomic"
	"time"

	"github.com/trowel-project/trowel/internal/access"
	"github.com/trowel-project/trowel/internal/server/accesslog"
)

// errSlow ends a request that takes too long.
var errSlow = errors.New("the request took too long")

// gates are what all listeners of a server share.
type gates struct{ closed atomic.Bool }

// recorder remembers what was answered, for the access log and metrics.
type recorder struct {
	http.ResponseWriter
	status int
	size   int64
}

func (r *recorder) WriteHeader(status int) {
	if r.status == 0 {
		r.status = status
	}
	r.ResponseWriter.WriteHeader(status)
}

func (r *recorder) Write(p []byte) (int, error) {
	if r.status == 0 {
		r.status = http.StatusOK
	}
	n, err := r.ResponseWriter.Write(p)
	r.size += int64(n)
	return n, err
}

// answered is the status of the answer: net/http says 200 when a handler says nothing.
func (r *recorder) answered() int {
	if r.status == 0 {
		return http.StatusOK
	}
	return r.status
}

// Unwrap is for http.ResponseController.
func (r *recorder) Unwrap() http.ResponseWriter { return r.ResponseWriter }

// panicked answers a request whose handler panicked.
func (s *Server) panicked(w *recorder, r *http.Request, cause any) {
	if cause == http.ErrAbortHandler { //nolint:errorlint // the very value, as net/http has it
		panic(cause) //nolint:forbidigo // net/http closes the connection
	}
	s.opts.Log.Error("handler panicked", slog.String("method", r.Method), slog.String("path", r.URL.Path),
		slog.String("cause", fmt.Sprint(cause)), slog.String("stack", string(debug.Stack())))
	if w.status == 0 {
		s.newCall(w, r).answerError(fmt.Errorf("panic: %v", cause))
	}
}

// trace echoes a request (server 2.1), whatever its path, without its credentials.
func trace(w http.ResponseWriter, r *http.Request) {
	var text strings.Builder
	fmt.Fprintf(&text, "TRACE %s %s\r\n", r.URL.RequestURI(), r.Proto)
	header := r.Header.Clone()
	header.Del("Authorization")
	header.Del("Cookie")
	_ = header.Write(&text) // a builder takes everything
	w.Header().Set("Content-Type", "message/http")
	_, _ = w.Write([]byte(text.String()))
}

// options says which methods a path has (server 2.1). Who does not sign in is told the same of all paths: browsers
// ask so, without credentials, whether a page may call.
func (s *Server) options(w *recorder, r *http.Request, f found, known bool) {
	if s.opts.SignIn {
		_, err := s.opts.Auth.Admit(r.Context(), r.RemoteAddr, r.Header)
		if err != nil {
			const all = "DELETE, GET, HEAD, OPTIONS, POST, PUT"
			w.Header().Set("Allow", all)
			w.Header().Set("Content-Type", "text/plain")
			_, _ = w.Write([]byte(all))
			return
		}
	}
	if !known {
		w.WriteHeader(http.StatusNotFound)
		return
	}
	w.Header().Set("Allow", f.allowed())
	w.Header().Set("Content-Type", "text/plain")
	_, _ = w.Write([]byte(f.allowed()))
}

// allowOrigins lets pages of all origins call (server 2.6.9).
func allowOrigins(header http.Header) {
	header.Set("Access-Control-Allow-Origin", "*")
	header.Set("Access-Control-Allow-Headers", "origin, content-type, accept, authorization")
	header.Set("Access-Control-Allow-Credentials", "true")
	header.Set("Access-Control-Allow-Methods", "GET, POST, PUT, DELETE, OPTIONS, HEAD")
	header.Set("Access-Control-Max-Age", "1209600")
}

// serveUI answers everything outside /api (server 2.7).
func (s *Server) serveUI(w *recorder, r *http.Request) {
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		w.Header().Set("Allow", "GET, HEAD, OPTIONS")
		w.WriteHeader(http.StatusMethodNotAllowed)
		return
	}
	if s.opts.UI == nil && r.URL.Path == "/" {
		s.serveLanding(w, r)
		return
	}
	if s.opts.UI == nil {
		w.WriteHeader(http.StatusNotFound)
		return
	}
	s.opts.UI.ServeHTTP(w, r)
}

// serveMetrics answers with all metrics. They name projects and workflows, so they need a caller.
func (s *Server) serveMetrics(w *recorder, r *http.Request) {
	c := s.newCall(w, r)
	c.Now = s.opts.Now()
	caller, err := s.opts.Auth.Admit(r.Context(), r.RemoteAddr, r.Header)
	c.Caller = caller
	switch {
	case err != nil:
	case caller.Role == access.RoleAgent:
		err = onlyAgent(caller)
	default:
		err = ofSite(c, "metrics are of all projects")
	}
	if err != nil {
		c.answerError(err)
		return
	}
	s.opts.Metrics.ServeHTTP(w, r)
}

func accessOf(r *http.Request, rec *recorder, began, ended time.Time) accesslog.Entry {
	host, _, err := net.SplitHostPort(r.RemoteAddr)
	if err != nil {
		host = r.RemoteAddr
	}
	return accesslog.Entry{
		At: began, Host: host, Method: r.Method, URI: r.URL.RequestURI(),
		Protocol: r.Proto, Status: rec.status, SizeBytes: rec.size, VHost: r.Host,
		Took: ended.Sub(began), Header: r.Header,
	}
}
