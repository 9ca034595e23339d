package daemon

import (
	"context"
	"crypto/tls"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/config"
	"github.com/trowel-project/trowel/internal/fix"
	"github.com/trowel-project/trowel/internal/logging"
)

// runtimeInfo says where a server listens (server 3.3).
type runtimeInfo struct {
	Local []runtimeAddress `json:"local_addresses"`
	Admin []runtimeAddress `json:"local_admin_addresses"`
}

type runtimeAddress struct {
	Host string `json:"host"`
	Port int    `json:"port"`
}

// listeners are the open sockets of a server, with their HTTP servers.
type listeners struct {
	servers []*http.Server
	sockets []net.Listener
	info    runtimeInfo
	log     *slog.Logger
}

// openListeners opens the API listener and, if there is one, the admin listener. Connections wait until serve.
func openListeners(ctx context.Context, opts config.Listen, log *slog.Logger) (*listeners, error) {
	var room *connections // of both listeners
	if n := descriptors(); n > 0 {
		room = newConnections(n / connectionShare)
	}
	l := &listeners{log: log, info: runtimeInfo{Local: []runtimeAddress{}, Admin: []runtimeAddress{}}}
	var certificate *tls.Certificate
	if opts.TLSCert != "" {
		pair, err := tls.LoadX509KeyPair(opts.TLSCert, opts.TLSKey)
		if err != nil {
			return nil, &trowel.Error{
				Kind: trowel.ErrInvalid, Message: "cannot read the certificate in server.tls.cert and its key in server.tls.key", Err: err,
				Hint: "both files are PEM, and belong together",
			}
		}
		certificate = &pair
	}
	places := []string{joinHostPort(opts.Bind, opts.Port)}
	if opts.HasAdmin {
		places = append(places, joinHostPort(opts.AdminBind, opts.AdminPort))
	}
	logging.Print(ctx, log, slog.LevelInfo, "Starting server on "+strings.Join(places, ", "))
	for i, place := range places {
		addresses := &l.info.Local
		if i == 1 {
			addresses = &l.info.Admin
		}
		s := newHTTPServer(opts, log)
		if room != nil {
			s.ConnState = room.changed
		}
		address, err := l.open(ctx, place, s, certificate)
		if err != nil {
			l.closeSockets()
			return nil, err
		}
		*addresses = append(*addresses, address)
	}
	return l, nil
}

// answerWith sets the handlers of the listeners, before they serve.
func (l *listeners) answerWith(ctx context.Context, opts config.Listen, api, admin http.Handler) {
	for i, s := range l.servers {
		handler, kind, addresses := api, "api", l.info.Local
		if i == 1 {
			handler, kind, addresses = admin, "admin", l.info.Admin
		}
		s.Handler = stalls{handler: handler, limit: opts.StallTimeout}
		logging.Print(ctx, l.log, slog.LevelInfo, fmt.Sprintf("Bound on %s (%s)", joinHostPort(addresses[0].Host, addresses[0].Port), kind))
	}
}

// address returns the address of the API listener as a person on this machine opens it.
func (l *listeners) address(encrypted bool) string {
	at := l.info.Local[0]
	if ip, err := netip.ParseAddr(at.Host); err == nil && ip.IsUnspecified() {
		at.Host = "localhost"
	}
	where := url.URL{Scheme: "http", Host: joinHostPort(at.Host, at.Port), Path: "/"}
	if encrypted {
		where.Scheme = "https"
	}
	return where.String()
}

func joinHostPort(host string, port int) string { return net.JoinHostPort(host, strconv.Itoa(port)) }

func newHTTPServer(opts config.Listen, log *slog.Logger) *http.Server {
	s := &http.Server{
		ReadHeaderTimeout: opts.HeadTimeout, IdleTimeout: opts.IdleTimeout,
		ErrorLog: slog.NewLogLogger(log.Handler(), slog.LevelDebug), DisableGeneralOptionsHandler: true, // the handler sees every request
	}
	s.Protocols = &http.Protocols{}
	s.Protocols.SetHTTP1(true)
	s.Protocols.SetHTTP2(opts.HTTP2)
	s.Protocols.SetUnencryptedHTTP2(opts.HTTP2)
	return s
}

func (l *listeners) open(ctx context.Context, place string, s *http.Server, certificate *tls.Certificate) (runtimeAddress, error) {
	socket, err := (&net.ListenConfig{}).Listen(ctx, "tcp", place)
	if err != nil {
		return runtimeAddress{}, &trowel.Error{
			Kind: trowel.ErrInvalid, Message: "cannot listen on " + place, Err: fix.Reason(err),
			Hint: "choose another address with --bind or another port with --port; 0 is any free one",
		}
	}
	if certificate != nil {
		protocols := []string{"http/1.1"}
		if s.Protocols.HTTP2() {
			protocols = []string{"h2", "http/1.1"}
		}
		socket = tls.NewListener(socket, &tls.Config{Certificates: []tls.Certificate{*certificate}, MinVersion: tls.VersionTLS12, NextProtos: protocols})
	}
	l.servers, l.sockets = append(l.servers, s), append(l.sockets, socket)
	host, port, err := net.SplitHostPort(socket.Addr().String())
	if err != nil {
		return runtimeAddress{}, fmt.Errorf("read the address of a listener: %w", err)
	}
	number, err := strconv.Atoi(port)
	return runtimeAddress{host, number}, err
}

// serve answers until the sockets are closed.
func (l *listeners) serve(i int) error {
	err := l.servers[i].Serve(l.sockets[i])
	if errors.Is(err, http.ErrServerClosed) || errors.Is(err, net.ErrClosed) {
		return nil
	}
	return err
}

func (l *listeners) closeSockets() {
	for _, socket := range l.sockets {
		_ = socket.Close() // it accepts nothing more, whatever the reason
	}
}

// shutdown closes the sockets, waits for running requests, and then cuts off the remaining ones.
func (l *listeners) shutdown(ctx context.Context) {
	for _, s := range l.servers {
		if err := s.Shutdown(ctx); err != nil {
			_ = s.Close()
		}
	}
}

// writeRuntimeInfo writes the file that says where the server listens. It is complete or missing.
func writeRuntimeInfo(path string, info runtimeInfo) error {
	text, err := json.Marshal(info)
	if err == nil {
		err = os.MkdirAll(filepath.Dir(path), 0o750)
	}
	part := path + ".part"
	if err == nil {
		err = os.WriteFile(part, text, 0o640) //nolint:gosec // the group may read it
	}
	if err == nil {
		err = os.Rename(part, path)
	}
	if err != nil {
		return fix.UseRuntimeInfo.Failed(fmt.Errorf("write server.runtime-info.path: %w", fix.Reason(err)))
	}
	return nil
}
