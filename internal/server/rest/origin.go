package rest

import (
	"net/http"
	"net/netip"
	"strings"
)

// HostNames are the names that a server accepts in the Host header, besides IP addresses and localhost. This stops DNS
// rebinding: a foreign page whose own name resolves to this server sends that name. Nil accepts every name.
type HostNames []string

// has reports whether a Host header is one of the names. It ignores ports.
func (n HostNames) has(host string) bool {
	if n == nil {
		return true
	}
	name, ok := hostName(host)
	if !ok {
		return false
	}
	if _, err := netip.ParseAddr(name); err == nil || name == "localhost" {
		return true
	}
	for _, known := range n {
		if given, ok := hostName(known); ok && given == name {
			return true
		}
	}
	return false
}

// hostName returns the name or address in a Host header, in lower case and without port, brackets and final dot. It
// fails if the header has neither.
func hostName(host string) (string, bool) {
	name, port, ported := strings.Cut(host, ":")
	if inner, bracketed := strings.CutPrefix(host, "["); bracketed {
		address, rest, closed := strings.Cut(inner, "]")
		ip, err := netip.ParseAddr(address)
		if err != nil || !ip.Is6() || !closed {
			return "", false
		}
		name = address
		if port, ported = strings.CutPrefix(rest, ":"); !ported && rest != "" {
			return "", false
		}
	}
	if ported && strings.Trim(port, "0123456789") != "" {
		return "", false
	}
	name = strings.TrimSuffix(strings.ToLower(name), ".")
	return name, name != ""
}

// origins refuses requests that a foreign web page may have made a browser send. It checks every request.
type origins struct {
	names HostNames
	// swagger accepts pages of other origins that send credentials themselves. Browsers do not add any, since the
	// server never asks for them.
	swagger bool
	// signIn says that all requests need credentials. Without it only tokens are checked.
	signIn bool

	sites http.CrossOriginProtection
}

// check returns why a request is refused, or nil.
func (o *origins) check(r *http.Request) *Error {
	if !o.names.has(r.Host) {
		return Errorf(http.StatusMisdirectedRequest,
			"this server does not answer to the name %q: use its IP address, or add the name to server.allowed-hosts", r.Host)
	}
	if err := o.sites.Check(r); err != nil && !o.bringsCredentials(r) {
		return Errorf(http.StatusForbidden, "a page of another origin (%q) may not send %s requests to this server (%q)",
			r.Header.Get("Origin"), r.Method, r.Host).Because(err)
	}
	return nil
}

func (o *origins) bringsCredentials(r *http.Request) bool {
	authorization := r.Header.Get("Authorization")
	scheme, _, _ := strings.Cut(authorization, " ")
	return o.swagger && authorization != "" && (o.signIn || strings.EqualFold(scheme, "Bearer"))
}
