package remotecmd

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"net/http"
	"strings"

	"github.com/trowel-project/trowel/internal/cli/cmd"
	"github.com/trowel-project/trowel/internal/client"
	"github.com/trowel-project/trowel/internal/config"
	"github.com/trowel-project/trowel/internal/dig"
	"github.com/trowel-project/trowel/internal/terminal"
	"github.com/trowel-project/trowel/internal/version"
)

// Settings of commands that talk to a server (server 1.5).
const (
	settingHeaders          = "client.http.headers."
	settingNoDirectDownload = "client.http.disable_direct_download"
	settingToken            = "client.token"

	standardEndpoint = "http://127.0.0.1:65432"
)

// remote returns the handler of a command that works on a server. The command gets a client whose version the server
// accepts (server 1.7.4).
func remote(do func(ctx context.Context, c *cmd.Call, server *client.Client) error) cmd.Handler {
	return func(ctx context.Context, c *cmd.Call) error {
		server, err := connect(ctx, c)
		if err != nil {
			return err
		}
		defer server.Close()
		return do(ctx, c, server)
	}
}

// connect returns a client. It checks the versions first, unless the command line says otherwise.
func connect(ctx context.Context, c *cmd.Call) (*client.Client, error) {
	server, err := newClient(c)
	if err != nil || c.Args.Given("--disable-version-check") {
		return server, err
	}
	if err := checkVersion(ctx, c, server); err != nil {
		server.Close()
		return nil, err
	}
	return server, nil
}

// newClient returns a client made from the settings and the command line, which overrides them (server 1.7.1).
func newClient(c *cmd.Call) (*client.Client, error) {
	settings, err := c.Config()
	if err != nil {
		return nil, err
	}
	endpoint := c.Args.Text("--endpoint")
	if endpoint == "" {
		endpoint = standardEndpoint
		if set, _ := settings.Get(config.KeyEndpoint); set != "" {
			endpoint = set
		}
	}
	header := http.Header{}
	for name, value := range settings.Prefix(settingHeaders) {
		header.Set(name, value)
	}
	if err := signRequests(c, settings, header); err != nil {
		return nil, err
	}
	if err := checkHeader(header); err != nil {
		return nil, err
	}
	if path := ignoredPath(endpoint); path != "" && c.Env.Terminals.Stderr {
		terminal.Say(c.Env.Stderr, "warning: the path %s of the endpoint is ignored: a server has a host of its own, or a port\n", path)
	}
	noDirect, _ := settings.Get(settingNoDirectDownload)
	return client.New(client.Options{
		Endpoint:         endpoint,
		Header:           header,
		Version:          version.Number,
		DigdagVersion:    version.Digdag,
		Lookup:           c.Env.Lookup,
		AnyCertificate:   c.Args.Given("--disable-cert-validation"),
		NoDirectDownload: strings.EqualFold(strings.TrimSpace(noDirect), "true"),
		Warn:             func(text string) { terminal.Say(c.Env.Stderr, "%s\n", text) },
	})
}

// ignoredPath returns the path of an endpoint, which is ignored (server 1.7.1); empty for a single slash.
func ignoredPath(endpoint string) string {
	if _, rest, found := strings.Cut(endpoint, "://"); found {
		endpoint = rest
	}
	_, path, _ := strings.Cut(endpoint, "/")
	if path == "" {
		return ""
	}
	return "/" + path
}

// signRequests adds the credentials of the caller and the other headers of the command line. Options override
// settings, and --basic-auth and --token override other headers. signedBy says where the credentials come from.
func signRequests(c *cmd.Call, settings config.Settings, header http.Header) error {
	if header.Get("Authorization") != "" {
		c.SignedBy = "what the setting " + settingHeaders + "Authorization says"
	}
	token, _ := settings.Get(settingToken)
	from := "the setting " + settingToken
	if set, found := c.Env.LookupText(config.EnvToken); found {
		token, from = set, "the variable "+config.EnvToken
	}
	if token != "" {
		header.Set("Authorization", "Bearer "+strings.TrimSpace(token))
		c.SignedBy = "the token of " + from
	}
	for _, h := range c.Args.Pairs("--header") {
		header.Set(h.Key, h.Value)
		if strings.EqualFold(h.Key, "Authorization") {
			c.SignedBy = "the header Authorization of the option -H"
		}
	}
	signed, bearer := c.Args.Text("--basic-auth"), c.Args.Text("--token")
	switch {
	case signed != "" && bearer != "":
		return c.UsageError("--basic-auth and --token don't work together")
	case signed != "":
		header.Set("Authorization", basicAuthorization(signed))
		c.SignedBy = "the name and password of --basic-auth"
	case bearer != "":
		header.Set("Authorization", "Bearer "+bearer)
		c.SignedBy = "the token of --token"
	}
	return nil
}

// basicAuthorization returns the Authorization header for USER:PASS.
func basicAuthorization(signed string) string {
	user, password, _ := strings.Cut(signed, ":")
	r := http.Request{Header: http.Header{}}
	r.SetBasicAuth(user, password)
	return r.Header.Get("Authorization")
}

// checkHeader refuses headers that are not valid. The error has the name but not the value,
// which may be secret.
func checkHeader(header http.Header) error {
	for name, values := range header {
		if name == "" || strings.ContainsAny(name, " \t\r\n:") {
			return fmt.Errorf("%q cannot be the name of a header", name)
		}
		if strings.ContainsAny(strings.Join(values, ""), "\r\n\x00") {
			return fmt.Errorf("the value of the header %s has a line break", name)
		}
	}
	return nil
}

// serverErrorText returns the text that people read about an error of a command that talks to a server.
func serverErrorText(err error) string { return cmd.ErrorText(err, serverText) }

// serverText returns the text about an error of the server or of the connection to it (server 1.7.3): Digdag's
// text, followed by what the server said unless the text has it, or by how to find the server. It is
// empty for any other error.
func serverText(err error) string {
	if near, ok := errors.AsType[*nearMissError](err); ok {
		return serverErrorText(near.err) + "\n" + cmd.DidYouMean(near.near)
	}
	if foreign, ok := errors.AsType[*client.ForeignError](err); ok {
		return foreign.Error() + "\n" + foreignFix(foreign.Endpoint)
	}
	if refused, ok := errors.AsType[*client.StatusError](err); ok {
		return refusedText(refused)
	}
	if unreachable, ok := errors.AsType[*client.UnreachableError](err); ok {
		return fmt.Sprintf("%v\nfix: %s", unreachable, unreachableHint(unreachable))
	}
	return ""
}

// unreachableHint says how to go on without an answer.
func unreachableHint(err *client.UnreachableError) string {
	_, untrusted := errors.AsType[*tls.CertificateVerificationError](err)
	network, _ := errors.AsType[*net.OpError](err)
	switch {
	case untrusted:
		return "if the certificate is right, name the authority behind it in SSL_CERT_FILE, or do not check it, with --disable-cert-validation"
	case errors.Is(err, http.ErrSchemeMismatch):
		return "the server does not speak HTTPS: name it with http://"
	case network != nil && network.Op == "proxyconnect":
		return "http_proxy or https_proxy names a proxy that does not answer; no_proxy lists the servers that need none"
	default:
		return "is the server running, and is that its address? The option -e or the setting " + config.KeyEndpoint + " names another one"
	}
}

// plainToTLS is what a server written in Go answers to a client that does not use TLS.
const plainToTLS = "Client sent an HTTP request to an HTTPS server."

// refusedText returns a refusal with what the server said.
func refusedText(refused *client.StatusError) string {
	var text strings.Builder
	answer := refused.Answer()
	if answer.Code != "" && answer.Message != nil { // an error of one of Trowel's own paths
		text.WriteString(*answer.Message)
		if answer.Hint != "" {
			text.WriteString("\nfix: " + answer.Hint)
		}
		return text.String()
	}
	text.WriteString(refused.Error())
	switch {
	case refused.Told:
	case answer.Message != nil:
		text.WriteString("\nthe server says: " + *answer.Message)
	case strings.TrimSpace(string(refused.Body)) == plainToTLS:
		text.WriteString("\nthe server says: " + plainToTLS + "\nfix: name it with https://")
	}
	return text.String()
}

// findingsOf returns what the server found in a project that it refused.
func findingsOf(err error) []dig.Finding {
	refused, ok := errors.AsType[*client.StatusError](err)
	if !ok {
		return nil
	}
	var all []dig.Finding
	for _, f := range refused.Answer().Findings {
		severity := dig.SeverityError
		if f.Severity == dig.SeverityWarning.String() {
			severity = dig.SeverityWarning
		}
		all = append(all, dig.Finding{
			Place:    dig.Place{File: f.File, Line: f.Line, Column: max(f.Column, 1)},
			Severity: severity, Rule: f.Rule, Message: f.Message, Source: f.Source, Hint: f.Hint, ID: f.ID,
		})
	}
	return all
}
