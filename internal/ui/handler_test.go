package ui

import (
	"bytes"
	"compress/gzip"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"
)

const testPage = `<!doctype html>
<html lang="en">
<base href="/">
<title>Trowel</title>
`

func testHandler(t *testing.T) *Handler {
	t.Helper()
	h, err := newHandler(fstest.MapFS{
		"index.html":          {Data: []byte(testPage)},
		"assets/index-1a.js":  {Data: []byte(strings.Repeat("let a = 1;\n", 100))},
		"assets/style-2b.css": {Data: []byte("a{}")},
		"assets/icon-3c.svg":  {Data: []byte("<svg/>")},
	})
	if err != nil {
		t.Fatal(err)
	}
	return h
}

func ask(h http.Handler, method, path string, header ...string) *httptest.ResponseRecorder {
	r := httptest.NewRequest(method, path, nil)
	for i := 0; i < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w
}

// The page tells the browser where its root is, relative to the path it was asked at.
func TestPage(t *testing.T) {
	t.Parallel()
	h := testHandler(t)
	for _, c := range []struct {
		path, base string
		status     int
	}{
		{"/", "./", 200},
		{"/sessions", "./", 200},
		{"/sessions/", "../", 200},
		{"/sessions/12", "../", 200},
		{"/attempts/12?tab=log", "../", 200},
		{"/attempts/12/", "../../", 200},
		{"/attempts/a%2Fb", "../", 200},
		{"/attempts/1/2/3", "../../../", 404},
		{"/attempts//", "../../", 404},
		{"/nope", "./", 404},
		{"/index.html", "./", 404},
		{"/config.js", "./", 404},
		{"//", "../", 404},
	} {
		w := ask(h, "GET", "http://trowel.example"+c.path)
		if w.Code != c.status || !strings.Contains(w.Body.String(), `<base href="`+c.base+`">`) {
			t.Errorf("GET %s = %d %s, want %d with base %s", c.path, w.Code, w.Body, c.status, c.base)
		}
		if got := w.Header().Get("Cache-Control"); got != "no-cache" {
			t.Errorf("GET %s: Cache-Control = %q, want no-cache", c.path, got)
		}
	}
	if w := ask(h, "GET", "http://trowel.example"+strings.Repeat("/a", maxDepth+1)); w.Code != 404 || strings.Contains(w.Body.String(), "<base") {
		t.Errorf("GET of a very deep path = %d %s, want 404 without a page", w.Code, w.Body)
	}
}

// The theme that a person chose is in the page, and nothing else that a cookie has.
func TestTheme(t *testing.T) {
	t.Parallel()
	h := testHandler(t)
	for cookie, want := range map[string]string{
		"":                              `<html lang="en">`,
		"trowel-theme=dark":             `<html lang="en" data-theme="dark">`,
		"a=b; trowel-theme=light":       `<html lang="en" data-theme="light">`,
		`trowel-theme=dark" onload="x`:  `<html lang="en">`,
		"trowel-theme=<script>":         `<html lang="en">`,
		"trowel-theme=system; x=y; z=1": `<html lang="en">`,
	} {
		if w := ask(h, "GET", "/", "Cookie", cookie); !strings.Contains(w.Body.String(), want) {
			t.Errorf("with cookie %q the page is %s, want %s in it", cookie, w.Body, want)
		}
	}
}

// Files with a hash in their name are kept for ever; one that is not there is not replaced by the page.
func TestFiles(t *testing.T) {
	t.Parallel()
	h := testHandler(t)
	for path, kind := range map[string]string{
		"/assets/index-1a.js": "text/javascript; charset=utf-8", "/assets/style-2b.css": "text/css; charset=utf-8", "/assets/icon-3c.svg": "image/svg+xml",
	} {
		w := ask(h, "GET", path)
		if w.Code != 200 || w.Header().Get("Content-Type") != kind || w.Header().Get("Cache-Control") != "public, max-age=31536000, immutable" {
			t.Errorf("GET %s = %d %v, want %s for ever", path, w.Code, w.Header(), kind)
		}
	}
	if w := ask(h, "GET", "/assets/index-9z.js"); w.Code != 404 || w.Header().Get("Cache-Control") != "no-store" || strings.Contains(w.Body.String(), "<html") {
		t.Errorf("GET of a missing file = %d %v %s, want 404", w.Code, w.Header(), w.Body)
	}
}

func TestCompression(t *testing.T) {
	t.Parallel()
	h := testHandler(t)
	const path = "/assets/index-1a.js"
	plain := ask(h, "GET", path)
	for accepted, want := range map[string]string{"gzip": "gzip", "br, gzip;q=0.5": "gzip", "*": "gzip", "gzip;q=0": "", "br": "", "": ""} {
		w := ask(h, "GET", path, "Accept-Encoding", accepted)
		if got := w.Header().Get("Content-Encoding"); got != want {
			t.Errorf("with Accept-Encoding %q the answer is in %q, want %q", accepted, got, want)
			continue
		}
		body := io.Reader(w.Body)
		if want != "" {
			z, err := gzip.NewReader(w.Body)
			if err != nil {
				t.Fatal(err)
			}
			body = z
		}
		if got, err := io.ReadAll(body); err != nil || !bytes.Equal(got, plain.Body.Bytes()) {
			t.Errorf("with Accept-Encoding %q the file is %d bytes (%v), want %d", accepted, len(got), err, plain.Body.Len())
		}
	}
	packed := ask(h, "GET", path, "Accept-Encoding", "gzip")
	if packed.Body.Len() >= plain.Body.Len() || packed.Header().Get("ETag") == plain.Header().Get("ETag") {
		t.Errorf("compressed: %d of %d bytes, ETag %s and %s", packed.Body.Len(), plain.Body.Len(), packed.Header().Get("ETag"), plain.Header().Get("ETag"))
	}
	again := ask(h, "GET", path, "Accept-Encoding", "gzip", "If-None-Match", packed.Header().Get("ETag"))
	if again.Code != http.StatusNotModified || again.Body.Len() != 0 {
		t.Errorf("asked again: %d with %d bytes, want 304", again.Code, again.Body.Len())
	}
	head := ask(h, "HEAD", path)
	if head.Code != 200 || head.Body.Len() != 0 || head.Header().Get("Content-Length") != plain.Header().Get("Content-Length") {
		t.Errorf("HEAD = %d with %d bytes, %v", head.Code, head.Body.Len(), head.Header())
	}
}

func TestHeaders(t *testing.T) {
	t.Parallel()
	h := testHandler(t)
	for _, path := range []string{"/", "/nope", "/assets/index-1a.js", "/assets/none.js"} {
		w := ask(h, "GET", path)
		for name, want := range map[string]string{
			"Content-Security-Policy": policy, "X-Content-Type-Options": "nosniff", "Referrer-Policy": "no-referrer",
			"Cross-Origin-Opener-Policy": "same-origin", "Cross-Origin-Resource-Policy": "same-origin", "Permissions-Policy": permissions,
			"Strict-Transport-Security": "",
		} {
			if got := w.Header().Get(name); got != want {
				t.Errorf("GET %s: %s = %q, want %q", path, name, got, want)
			}
		}
	}
	if w := ask(h, "GET", "https://trowel.example/"); w.Header().Get("Strict-Transport-Security") == "" {
		t.Error("under TLS the answer has no Strict-Transport-Security")
	}
}

// What is embedded is a UI: the page has all that the server writes into, loads only files that are there, and has no script or
// style of its own, which the policy would stop.
func TestEmbedded(t *testing.T) {
	t.Parallel()
	h, err := New()
	if err != nil {
		t.Fatal(err)
	}
	text := ask(h, "GET", "/").Body.String()
	named := regexp.MustCompile(`(?:src|href)="(?:\./)?(assets/[^"]+)"`).FindAllStringSubmatch(text, -1)
	if len(named) < 3 {
		t.Errorf("the page loads %d files, want a script, a style and an icon: %s", len(named), text)
	}
	for _, n := range named {
		if h.files[n[1]] == nil {
			t.Errorf("the page loads %s, which is not embedded", n[1])
		}
	}
	for _, wrong := range []string{"<style", "style=", "http:", "https:", "onload", "<script>"} {
		if strings.Contains(text, wrong) {
			t.Errorf("the page has %s", wrong)
		}
	}
	if !strings.Contains(text, "<noscript>") || !strings.Contains(text, "trowel attempts") {
		t.Error("the page says nothing without JavaScript")
	}
	for name := range h.files {
		if strings.HasSuffix(name, ".map") {
			t.Errorf("%s is embedded", name)
		}
	}
}

// The server knows the same pages as the UI.
func TestRoutes(t *testing.T) {
	t.Parallel()
	source, err := os.ReadFile("../../ui/src/routes.tsx")
	if err != nil {
		t.Fatal(err)
	}
	var want []string
	for _, found := range regexp.MustCompile(`(?m)^\s*path: "([^"]+)",$`).FindAllStringSubmatch(string(source), -1) {
		want = append(want, regexp.MustCompile(`\$\w+`).ReplaceAllString(found[1], ":"))
	}
	slices.Sort(want)
	if diff := cmp.Diff(want, routes()); diff != "" {
		t.Errorf("routes() differ from those of ui/src/routes.tsx (-UI +server):\n%s", diff)
	}
}
