package cli

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"os"
	"runtime"
	"strings"

	"golang.org/x/net/http/httpproxy"

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/api"
	"github.com/trowel-project/trowel/internal/config"
	uplink "github.com/trowel-project/trowel/internal/remote"
	"github.com/trowel-project/trowel/internal/secret"
)

// slotsPerCore is how many tasks an agent runs at a time for each core, unless it is told.
const slotsPerCore = 4

// runAgent runs tasks of a server until a signal ends it (docs/agents.md).
func runAgent(ctx context.Context, c *call) error {
	settings, err := c.agentSettings()
	if err != nil {
		return err
	}
	logs, err := c.openLog(c.env.Stdout, "trowel.agent")
	if err != nil {
		return err
	}
	logs.harmless = true
	signals, restore := catchSignals()
	defer restore()
	return errors.Join(c.agent(ctx, settings, slog.New(logs), signals), logs.close())
}

// agent is the life of an agent process.
func (c *call) agent(ctx context.Context, settings config.Settings, log *slog.Logger, signals <-chan os.Signal) error {
	server, err := c.readServer(ctx, settings, log)
	if err != nil {
		return err
	}
	own := secret.NewMask(secret.OwnChars)
	own.Add(secret.NewValue(server.Agent.Token))
	p := &agentProcess{call: c, settings: server, own: own, log: slog.New(own.Handler(log.Handler()))}
	p.secretFiles = secretFiles(ctx, c.env, settings, server, p.log)
	if p.link, err = c.link(server, p.log); err != nil {
		return err
	}
	defer p.link.Close()
	return p.serve(ctx, signals)
}

// agentSettings are the settings with the options of the command line on top.
func (c *call) agentSettings() (config.Settings, error) {
	base, err := c.config()
	if err != nil {
		return nil, err
	}
	settings := base.Settings()
	for _, o := range []struct{ option, key string }{
		{"--name", "agent.id"},
		{"--queues", "agent.queues"},
		{"--labels", "agent.labels"},
		{"--slots", "agent.max-task-threads"},
		{"--ca-cert", "agent.ca-cert"},
	} {
		if c.args.given(o.option) {
			settings[o.key] = config.Setting{Value: c.args.text(o.option), From: o.option}
		}
	}
	if c.args.given("--slots") && c.args.number("--slots") < 1 {
		return nil, complainf("--slots must be 1 or more")
	}
	if servers := c.args.list("--server"); len(servers) > 0 {
		settings["agent.server"] = config.Setting{Value: strings.Join(servers, ","), From: "--server"}
	}
	if settings["agent.server"].Value == "" {
		return nil, c.usage("--server option is required").hinting("name a server: trowel agent --server http://127.0.0.1:65432")
	}
	const token = "agent.token"
	if set, found := c.env.lookupText(envToken); found {
		settings[token] = config.Setting{Value: strings.TrimSpace(set), From: envToken}
	}
	if c.args.given("--token") {
		settings[token] = config.Setting{Value: c.args.text("--token"), From: "--token"}
	}
	return settings, nil
}

// link makes the connection to the servers.
func (c *call) link(s *config.Server, log *slog.Logger) (*uplink.Link, error) {
	if strings.ContainsAny(s.Agent.Token, " \t\r\n\x00") {
		return nil, &trowel.Error{Kind: trowel.ErrInvalid, Message: "the token has space in it", Hint: "a token is one word, trw_..."}
	}
	security, err := c.trust(s.Agent.CACert)
	if err != nil {
		return nil, err
	}
	servers := make([]string, len(s.Agent.Servers))
	for i, server := range s.Agent.Servers {
		if !strings.Contains(server, "://") {
			server = "http://" + server
		}
		servers[i] = strings.TrimRight(server, "/")
	}
	slots := s.Agent.Slots
	if slots == 0 {
		slots = slotsPerCore * runtime.GOMAXPROCS(0)
	}
	name := s.Agent.ID
	if name == "" {
		name = agentID()
	}
	proxy := (&httpproxy.Config{
		HTTPProxy: c.env.either("HTTP_PROXY", "http_proxy"), HTTPSProxy: c.env.either("HTTPS_PROXY", "https_proxy"),
		NoProxy: c.env.either("NO_PROXY", "no_proxy"),
	}).ProxyFunc()
	return uplink.New(uplink.Options{
		Servers: servers, Token: s.Agent.Token, TLS: security,
		Proxy: func(r *http.Request) (*url.URL, error) { return proxy(r.URL) },
		Self: api.AgentRegistration{
			Name: name, Host: hostName(), Version: version, Queues: s.Agent.Queues, Labels: s.Agent.Labels, Slots: slots,
		},
		Now: c.env.Now, Log: log,
	})
}

// trust reads the certificates of authorities that an agent trusts; nil is the system's.
func (c *call) trust(file string) (*tls.Config, error) {
	if file == "" {
		return &tls.Config{MinVersion: tls.VersionTLS12}, nil
	}
	data, err := c.env.readFile(file)
	if err != nil {
		return nil, useAuthority.failed(fmt.Errorf("read the file of --ca-cert: %w", err))
	}
	pool := x509.NewCertPool()
	if !pool.AppendCertsFromPEM(data) {
		return nil, &trowel.Error{Kind: trowel.ErrInvalid, Message: "there is no certificate in " + file, Hint: "--ca-cert wants a file in PEM"}
	}
	return &tls.Config{MinVersion: tls.VersionTLS12, RootCAs: pool}, nil
}

// either returns the first of two variables of the environment that is set.
func (e Env) either(first, second string) string {
	if text, set := e.lookupText(first); set {
		return text
	}
	text, _ := e.lookupText(second)
	return text
}
