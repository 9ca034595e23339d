package rest

import (
	"fmt"
	"log/slog"
	"net/http"
	"runtime/debug"
	"strings"

	"github.com/trowel-project/trowel/internal/access"
)

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

// trace echoes a request without its credentials (server 2.1). The path does not matter.
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

// options answers with the methods of a path (server 2.1). Callers without credentials get the same answer for all
// paths: browsers send such requests to find out whether a page may call.
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

// allowOrigins allows pages of all origins to call (server 2.6.9).
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
		serveLanding(w, r, s.opts.Version)
		return
	}
	if s.opts.UI == nil {
		w.WriteHeader(http.StatusNotFound)
		return
	}
	s.opts.UI.ServeHTTP(w, r)
}

// serveMetrics answers with all metrics. It authenticates, since metrics have names of projects and workflows.
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
		err = checkSite(c, "metrics are of all projects")
	}
	if err != nil {
		c.answerError(err)
		return
	}
	s.opts.Metrics.ServeHTTP(w, r)
}
