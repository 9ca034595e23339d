package rest

import (
	"net/http"
	"net/netip"
	"net/url"
	"strings"

	"github.com/trowel-project/trowel/internal/access"
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
	// swagger accepts pages of other origins that send credentials themselves. The only ones that browsers add are cookies,
	// which are accepted from no other origin.
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
	_, signedIn := ownCookie(r)
	if err := o.sites.Check(r); err != nil && (signedIn || !o.bringsCredentials(r)) {
		return Errorf(http.StatusForbidden, "a page of another origin (%q) may not send %s requests to this server (%q)",
			r.Header.Get("Origin"), r.Method, r.Host).Because(err)
	}
	if signedIn && changes(r.Method) {
		return checkOwnPage(r)
	}
	return nil
}

// HeaderRequest is the header that pages of this server send with the value 1. Pages of other origins cannot: browsers ask
// first whether they may.
const HeaderRequest = "X-Trowel-Request"

// checkOwnPage refuses a request with a cookie that changes something, unless it surely comes from a page of this server.
// Browsers tell less about where requests come from if these are not encrypted, so this does not depend on what origins.sites
// looks at.
func checkOwnPage(r *http.Request) *Error {
	switch {
	case r.Header.Get(HeaderRequest) != "1":
		return withCode(http.StatusForbidden, CodeForeign, "%s requests with a cookie need the header %s: 1", r.Method, HeaderRequest).
			WithHint("programs send user and password, or a token, and no cookie")
	case fromElsewhere(r) || r.Header.Get("Origin") == "":
		return withCode(http.StatusForbidden, CodeForeign, "%s requests with a cookie must come from a page of this server (%q), not of %q",
			r.Method, r.Host, r.Header.Get("Origin")).WithHint("a proxy in front of the server must leave the headers Host and Origin as they are")
	}
	return nil
}

// changes reports whether requests of a method may change something.
func changes(method string) bool {
	return method != http.MethodGet && method != http.MethodHead && method != http.MethodOptions
}

// fromElsewhere reports whether a browser says that a page of another origin made it send a request.
func fromElsewhere(r *http.Request) bool {
	if site := r.Header.Get("Sec-Fetch-Site"); site != "" && site != "same-origin" && site != "none" {
		return true
	}
	origin := r.Header.Get("Origin")
	if origin == "" {
		return false
	}
	page, err := url.Parse(origin)
	return err != nil || page.Host != r.Host
}

// cookieName is the name of a browser's cookie for this server. It has the port, since browsers send the cookies of a host
// to all of its ports.
func cookieName(r *http.Request) string {
	if _, port, ok := strings.Cut(r.Host[strings.LastIndexByte(r.Host, ']')+1:], ":"); ok && port != "" {
		return access.LoginCookie + "_" + port
	}
	return access.LoginCookie
}

// ownCookie returns the value of the cookie of this server, if the request has one.
func ownCookie(r *http.Request) (value string, found bool) {
	cookie, err := r.Cookie(cookieName(r))
	if err != nil || cookie.Value == "" {
		return "", false
	}
	return cookie.Value, true
}

// keepOwnCookie leaves of all cookies of a request only that of this server, under the name that package access knows, and none
// if the request is made by a page of another origin.
func keepOwnCookie(r *http.Request) {
	value, found := ownCookie(r)
	r.Header.Del("Cookie")
	if found && !fromElsewhere(r) {
		r.Header.Set("Cookie", access.LoginCookie+"="+value)
	}
}

func (o *origins) bringsCredentials(r *http.Request) bool {
	authorization := r.Header.Get("Authorization")
	scheme, _, _ := strings.Cut(authorization, " ")
	return o.swagger && authorization != "" && (o.signIn || strings.EqualFold(scheme, "Bearer"))
}
