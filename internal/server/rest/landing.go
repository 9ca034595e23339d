package rest

import (
	"html"
	"net/http"
	"strings"
)

// landingPage is the page of a server without a UI. It loads nothing else.
const landingPage = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<meta name="color-scheme" content="light dark">
<title>Trowel</title>
<h1>Trowel VERSION</h1>
<p>This is a Trowel server. It has no web pages yet: use <code>trowel attempts</code>, <code>trowel log ID</code> and the other commands, see
<code>trowel help</code>.</p>
<p>Its REST API is described in <a href="/api/openapi.json">/api/openapi.json</a>.</p>
</html>
`

// serveLanding answers with the landing page. Its headers allow no scripts and no other resources.
func serveLanding(w http.ResponseWriter, r *http.Request, version string) {
	header := w.Header()
	header.Set("Content-Type", "text/html; charset=utf-8")
	header.Set("Content-Security-Policy", "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'")
	header.Set("X-Content-Type-Options", "nosniff")
	header.Set("Referrer-Policy", "no-referrer")
	header.Set("Cross-Origin-Opener-Policy", "same-origin")
	header.Set("Cross-Origin-Resource-Policy", "same-origin")
	header.Set("Cache-Control", "no-cache")
	if r.Method == http.MethodHead {
		return
	}
	_, _ = w.Write([]byte(strings.Replace(landingPage, "VERSION", html.EscapeString(version), 1))) // an error means that the caller has gone
}
