package daemon

import (
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"net/http"
	"net/url"
	"runtime"
	"strings"

	"golang.org/x/net/http/httpproxy"

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/agent"
	"github.com/trowel-project/trowel/internal/api"
	"github.com/trowel-project/trowel/internal/fix"
	"github.com/trowel-project/trowel/internal/remote"
	"github.com/trowel-project/trowel/internal/version"
)

// slotsPerCore is how many tasks an agent runs at a time for each core, unless it has a setting.
const slotsPerCore = 4

// openLink returns the connection of an agent to its servers. limits are those that it keeps.
func openLink(p *process, limits trowel.KeptLimits) (*remote.Link, error) {
	o, s := &p.opts, p.settings
	if strings.ContainsAny(s.Agent.Token, " \t\r\n\x00") {
		return nil, &trowel.Error{Kind: trowel.ErrInvalid, Message: "the token has space in it", Hint: "a token is one word, trw_..."}
	}
	security, err := o.trust(s.Agent.CACert)
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
	proxy := (&httpproxy.Config{
		HTTPProxy: o.either("HTTP_PROXY", "http_proxy"), HTTPSProxy: o.either("HTTPS_PROXY", "https_proxy"),
		NoProxy: o.either("NO_PROXY", "no_proxy"),
	}).ProxyFunc()
	return remote.New(remote.Options{
		Servers: servers, Token: s.Agent.Token, TLS: security,
		Proxy: func(r *http.Request) (*url.URL, error) { return proxy(r.URL) },
		Self: api.AgentRegistration{
			Name: p.agentName(), Host: agent.HostName(), Version: version.Number, Queues: s.Agent.Queues, Labels: s.Agent.Labels, Slots: slots,
			Limits: limitsShape(&limits),
		},
		Now: o.Now, Log: p.log,
	})
}

// trust reads the certificates of the authorities that an agent trusts. Nil means the system's.
func (o *Options) trust(file string) (*tls.Config, error) {
	if file == "" {
		return &tls.Config{MinVersion: tls.VersionTLS12}, nil
	}
	data, err := fix.ReadNamed(o.path(file), file)
	if err != nil {
		return nil, fix.UseAuthority.Failed(fmt.Errorf("read the file of --ca-cert: %w", err))
	}
	pool := x509.NewCertPool()
	if !pool.AppendCertsFromPEM(data) {
		return nil, &trowel.Error{Kind: trowel.ErrInvalid, Message: "there is no certificate in " + file, Hint: "--ca-cert wants a file in PEM"}
	}
	return &tls.Config{MinVersion: tls.VersionTLS12, RootCAs: pool}, nil
}

// either returns the value of the first environment variable that is set.
func (o *Options) either(first, second string) string {
	if text, _ := o.lookup(first); text != "" {
		return text
	}
	text, _ := o.lookup(second)
	return text
}
