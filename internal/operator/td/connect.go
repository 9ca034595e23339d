package td

import (
	"context"
	"fmt"
	"log/slog"
	"net"
	"net/url"
	"strings"

	"github.com/trowel-project/trowel/internal/operator"
	"github.com/trowel-project/trowel/internal/operator/td/tdclient"
	"github.com/trowel-project/trowel/internal/param"
)

// Texts of operators 8.1.
const (
	keyMissing    = "The 'td.apikey' secret is missing"
	keyEmpty      = "The 'td.apikey' secret is empty"
	databaseEmpty = "Parameter 'database' is empty"
)

// readDatabase returns the database: that of the secret, or else the parameter, which may be missing if there is the secret.
func readDatabase(ctx context.Context, r *operator.Request, params *param.Reader) (string, error) {
	name, found, err := r.OptSecret(ctx, "td.database")
	if err != nil {
		return "", err
	}
	if !found {
		if name, err = params.String("database"); err != nil {
			return "", err
		}
	}
	if name = strings.TrimSpace(name); name == "" {
		return "", param.Errorf(databaseEmpty)
	}
	return name, nil
}

// connect returns a client with the key and the endpoint of a task (operators 8.1).
func (f *family) connect(ctx context.Context, r *operator.Request, params *param.Reader) (*tdclient.Client, endpoint, error) {
	key, err := readKey(ctx, r)
	if err != nil {
		return nil, endpoint{}, err
	}
	at, err := f.readEndpoint(ctx, r, params)
	if err != nil {
		return nil, endpoint{}, err
	}
	proxy, err := f.readProxy(ctx, r, params, at.tls)
	if err != nil {
		return nil, endpoint{}, err
	}
	return tdclient.New(tdclient.Options{
		Host: at.host, TLS: at.tls, Key: key, UserAgent: f.options.UserAgent, Transport: f.transports.take(proxy),
		Renew: func(ctx context.Context) (string, error) { return readKey(ctx, r) },
	}), at, nil
}

func readKey(ctx context.Context, r *operator.Request) (string, error) {
	key, found, err := r.OptSecret(ctx, "td.apikey")
	switch {
	case err != nil:
		return "", err
	case !found:
		return "", param.Errorf(keyMissing)
	}
	if key = strings.TrimSpace(key); key == "" {
		return "", param.Errorf(keyEmpty)
	}
	return key, nil
}

// endpoint is where the API is.
type endpoint struct {
	host string // with a port, if it has one
	tls  bool
}

// readEndpoint reads endpoint and use_ssl. An endpoint that is a URL says itself whether TLS is used.
func (f *family) readEndpoint(ctx context.Context, r *operator.Request, params *param.Reader) (at endpoint, err error) {
	o := options{ctx, r, params}
	if at.host, err = o.text("endpoint", f.options.Endpoint); err != nil {
		return at, err
	}
	if at.tls, err = o.flag("use_ssl", true); err != nil {
		return at, err
	}
	if scheme, host, isURL := strings.Cut(at.host, "://"); isURL {
		at.host, at.tls = host, scheme != "http"
	}
	at.host = strings.TrimRight(strings.TrimSpace(at.host), "/")
	if at.host == "" || strings.ContainsAny(at.host, "/?#@ ") {
		return at, param.Errorf("Parameter 'endpoint' must be the name of a host: %s", at.host)
	}
	return at, nil
}

// readProxy returns the proxy of a task, or that of the environment; nil for none.
func (f *family) readProxy(ctx context.Context, r *operator.Request, params *param.Reader, tls bool) (*url.URL, error) {
	section, err := params.OptMap("proxy")
	if err != nil {
		return nil, err
	}
	o := options{ctx, r, param.NewReader(section)}
	enabled, err := o.flag("proxy.enabled", false)
	if err != nil {
		return nil, err
	}
	if !enabled {
		proxy, err := operator.EnvProxy(f.options.Env, tls)
		if err != nil {
			r.Log.Warn("the proxy of the environment is not used", slog.Any("error", err))
		}
		return proxy, nil
	}
	return o.proxy()
}

// proxy reads the proxy that is enabled.
func (o options) proxy() (*url.URL, error) {
	var host, port, user, password string
	for _, field := range []struct {
		into           *string
		key, otherwise string
	}{{&host, "proxy.host", "localhost"}, {&port, "proxy.port", "8080"}, {&user, "proxy.user", ""}, {&password, "proxy.password", ""}} {
		var err error
		if *field.into, err = o.text(field.key, field.otherwise); err != nil {
			return nil, err
		}
	}
	secure, err := o.params.BoolOr("use_ssl", false)
	if err != nil {
		return nil, err
	}
	proxy := &url.URL{Scheme: "http", Host: net.JoinHostPort(host, port)}
	if secure {
		proxy.Scheme = "https"
	}
	if user != "" || password != "" {
		proxy.User = url.UserPassword(user, password)
	}
	return proxy, nil
}

// options reads options that a secret of the same name, with td. before it, overrides.
type options struct {
	ctx    context.Context //nolint:containedctx // of the run
	r      *operator.Request
	params *param.Reader
}

func (o options) text(key, otherwise string) (string, error) {
	if text, found, err := o.r.OptSecret(o.ctx, "td."+key); err != nil || found {
		return text, err
	}
	return o.params.StringOr(strings.TrimPrefix(key, "proxy."), otherwise)
}

func (o options) flag(key string, otherwise bool) (bool, error) {
	text, found, err := o.r.OptSecret(o.ctx, "td."+key)
	if err != nil {
		return false, err
	}
	if !found {
		return o.params.BoolOr(strings.TrimPrefix(key, "proxy."), otherwise)
	}
	value, ok := param.AsBool(strings.TrimSpace(text))
	if !ok {
		return false, param.Errorf("The 'td.%s' secret must be true or false", key)
	}
	return value, nil
}

// jobURL returns the page of a job, which only sites of Treasure Data have.
func (e endpoint) jobURL(id string) (string, bool) {
	site, isAPI := strings.CutPrefix(e.host, "api.")
	if !isAPI || strings.Contains(site, ":") || !isTreasureData(site) {
		return "", false
	}
	return fmt.Sprintf("https://console.%s/app/jobs/%s", site, url.PathEscape(id)), true
}

func isTreasureData(site string) bool {
	for _, domain := range []string{"treasuredata.com", "treasuredata.co.jp"} {
		if site == domain || strings.HasSuffix(site, "."+domain) {
			return true
		}
	}
	return false
}
