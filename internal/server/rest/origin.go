package rest

import (
	"net/http"
	"net/netip"
	"strings"
)

// HostNames are what a server may be called in the Host of a request, besides an IP address and localhost, which
// always do. No other page can have these names, so one whose own name leads here (DNS rebinding) is not
// answered. Nil stands for every name.
type HostNames []string

// has reports whether a Host is one of the names. Ports make no difference.
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

// hostName is the name or address in a Host: in lower case, without port, brackets and the dot at its end. It
// fails for what is neither.
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

// origins refuses what a web page of somebody else may have made a browser send. It stands in front of
// everything that a server answers.
type origins struct {
	names HostNames
	// swagger lets pages of other origins in that bring credentials of their own. No browser adds any, as the
	// server never asks for them.
	swagger bool
	// signIn tells that no request without right credentials comes in. Without it only tokens are looked at.
	signIn bool

	sites http.CrossOriginProtection
}

// check returns the refusal of a request, or nil.
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
