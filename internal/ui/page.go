package ui

import (
	"bytes"
	"fmt"
	"net/http"
	"strings"
	"sync"
)

// What the server replaces in index.html.
const (
	basePlace  = `<base href="/">`
	themePlace = `<html lang="en">`
)

// themeCookie has the theme that the person chose for this browser. The UI sets it.
const themeCookie = "trowel-theme"

// page is index.html, whose addresses depend on the path that it is served at.
type page struct {
	source []byte

	mu    sync.Mutex
	known map[variant]*file
}

// variant is what differs between answers with the page.
type variant struct {
	depth int
	theme string
}

func newPage(source []byte) (*page, error) {
	for _, place := range []string{basePlace, themePlace} {
		if bytes.Count(source, []byte(place)) != 1 {
			return nil, fmt.Errorf("index.html of the UI must have %s once", place)
		}
	}
	return &page{source: source, known: map[variant]*file{}}, nil
}

// at returns the page for a path with so many slashes.
func (p *page) at(depth int, theme string) *file {
	p.mu.Lock()
	defer p.mu.Unlock()
	v := variant{depth, theme}
	if f := p.known[v]; f != nil {
		return f
	}
	html := "<html lang=\"en\">"
	if theme != "" {
		html = fmt.Sprintf(`<html lang="en" data-theme="%s">`, theme)
	}
	text := strings.NewReplacer(
		basePlace, fmt.Sprintf(`<base href="%s">`, baseOf(depth)),
		themePlace, html,
	).Replace(string(p.source))
	p.known[v] = newFile(".html", []byte(text))
	return p.known[v]
}

// baseOf returns the address of the UI's root as seen from a path with so many slashes. It is relative, so whatever a proxy
// puts in front of the path stays there.
func baseOf(depth int) string {
	if depth <= 1 {
		return "./"
	}
	return strings.Repeat("../", depth-1)
}

// themeOf returns the theme that a request's browser chose: light, dark, or nothing for that of the system.
func themeOf(r *http.Request) string {
	cookie, err := r.Cookie(themeCookie)
	if err != nil || cookie.Value != "light" && cookie.Value != "dark" {
		return ""
	}
	return cookie.Value
}
