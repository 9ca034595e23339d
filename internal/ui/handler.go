package ui

import (
	"bytes"
	"embed"
	"fmt"
	"io/fs"
	"net/http"
	"path"
	"strconv"
	"strings"
)

//go:embed all:dist
var embedded embed.FS

// maxDepth is the largest number of slashes in the path of a page. Longer paths are nobody's bookmark.
const maxDepth = 64

// Handler answers GET and HEAD requests for everything that belongs to the UI.
type Handler struct {
	files map[string]*file // by path, without a slash in front
	page  *page
}

// New returns a handler for the embedded files.
func New() (*Handler, error) {
	dist, err := fs.Sub(embedded, "dist")
	if err != nil {
		return nil, err
	}
	return newHandler(dist)
}

func newHandler(dist fs.FS) (*Handler, error) {
	h := &Handler{files: map[string]*file{}}
	err := fs.WalkDir(dist, ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		data, err := fs.ReadFile(dist, name)
		if err != nil {
			return err
		}
		if name == "index.html" {
			h.page, err = newPage(data)
			return err
		}
		h.files[name] = newFile(path.Ext(name), data)
		return nil
	})
	if err == nil && h.page == nil {
		err = fmt.Errorf("the UI has no index.html: build it with `make ui`")
	}
	return h, err
}

// ServeHTTP implements http.Handler. Its caller has made sure that the method is GET or HEAD.
func (h *Handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	addHeaders(w.Header(), r.TLS != nil)
	where := r.URL.EscapedPath()
	if f := h.files[strings.TrimPrefix(where, "/")]; f != nil {
		w.Header().Set("Cache-Control", "public, max-age=31536000, immutable")
		f.serve(w, r, http.StatusOK)
		return
	}
	depth := strings.Count(where, "/")
	if strings.HasPrefix(where, "/assets/") || depth > maxDepth {
		w.Header().Set("Cache-Control", "no-store") // a file of another version
		http.Error(w, "no such file", http.StatusNotFound)
		return
	}
	status := http.StatusOK
	if !isRoute(where) {
		status = http.StatusNotFound // the page says so in its own words
	}
	w.Header().Set("Cache-Control", "no-cache")
	w.Header().Add("Vary", "Cookie")
	h.page.at(depth, themeOf(r)).serve(w, r, status)
}

// serve writes a file, compressed if the client takes that.
func (f *file) serve(w http.ResponseWriter, r *http.Request, status int) {
	header := w.Header()
	header.Set("Content-Type", f.kind)
	data := f.data
	if f.compressible {
		header.Add("Vary", "Accept-Encoding")
		if acceptsGzip(r.Header.Get("Accept-Encoding")) {
			header.Set("Content-Encoding", "gzip")
			data = f.compressed()
		}
	}
	etag := strconv.Quote(f.hash)
	if header.Get("Content-Encoding") != "" {
		etag = strconv.Quote(f.hash + "-gzip")
	}
	header.Set("ETag", etag)
	if status == http.StatusOK && matches(r.Header.Get("If-None-Match"), etag) {
		w.WriteHeader(http.StatusNotModified)
		return
	}
	header.Set("Content-Length", strconv.Itoa(len(data)))
	w.WriteHeader(status)
	if r.Method != http.MethodHead {
		_, _ = bytes.NewReader(data).WriteTo(w) // an error means that the caller has gone
	}
}

// acceptsGzip reports whether a client takes gzip: whether it names it with a weight above zero.
func acceptsGzip(accepted string) bool {
	for part := range strings.SplitSeq(accepted, ",") {
		name, weight, _ := strings.Cut(strings.TrimSpace(part), ";")
		if name = strings.TrimSpace(name); name != "gzip" && name != "*" {
			continue
		}
		q, found := strings.CutPrefix(strings.TrimSpace(weight), "q=")
		n, err := strconv.ParseFloat(q, 64)
		return !found || err == nil && n > 0
	}
	return false
}

func matches(known, etag string) bool {
	for part := range strings.SplitSeq(known, ",") {
		if part = strings.TrimPrefix(strings.TrimSpace(part), "W/"); part == etag || part == "*" {
			return true
		}
	}
	return false
}
