package server

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"strconv"
	"strings"
)

// file is an answer of bytes.
type file struct {
	contentType string
	sizeBytes   int64  // negative if it is not known
	etag        string // with its quotes; may be empty
	open        func() (io.ReadCloser, error)
}

// elsewhere is an answer that the bytes are at another address. It must be 303: Digdag's client
// follows no other redirect (server 1.7.2).
type elsewhere struct{ url string }

// stream is an answer that a handler has written itself.
type stream struct{}

// answer writes what a handler returned.
func (c *call) answer(value any, err error) {
	if err != nil {
		c.answerError(err)
		return
	}
	switch value := value.(type) {
	case stream:
	case elsewhere:
		c.w.Header().Set("Location", value.url)
		c.w.WriteHeader(http.StatusSeeOther)
	case file:
		answerFile(c, value)
	default:
		answerJSON(c, http.StatusOK, value)
	}
}

func (c *call) answerError(err error) {
	e := errorOf(c, err)
	if e.bare {
		c.w.Header().Del("Content-Type")
		c.w.WriteHeader(e.status)
		return
	}
	if e.status == http.StatusServiceUnavailable || e.status == http.StatusTooManyRequests {
		c.w.Header().Set("Retry-After", "1")
	}
	if c.opts.Mask != nil {
		masked := *e
		masked.message = c.opts.Mask(e.message)
		e = &masked
	}
	if c.route != nil && c.route.answer != nil {
		answerJSON(c, e.status, e.document())
		return
	}
	writeJSON(c, e.status, e.document()) // who asks for a stream or a file reads errors all the same
}

// answerJSON writes a document for those who accept one.
func answerJSON(c *call, status int, value any) {
	if !accepts(c, jsonType) {
		c.w.WriteHeader(http.StatusNotAcceptable)
		return
	}
	writeJSON(c, status, value)
}

// writeJSON writes a document. Nothing is escaped for HTML.
func writeJSON(c *call, status int, value any) {
	var b bytes.Buffer
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(value); err != nil {
		c.opts.Log.Error("answer cannot be written as JSON", slog.String("path", c.r.URL.Path), slog.Any("error", err))
		c.w.WriteHeader(http.StatusInternalServerError)
		return
	}
	b.Truncate(b.Len() - 1) // the line end
	c.w.Header().Set("Content-Type", jsonType)
	send(c, status, int64(b.Len()), &b)
}

func answerFile(c *call, f file) {
	if !accepts(c, f.contentType) {
		c.w.WriteHeader(http.StatusNotAcceptable)
		return
	}
	if f.etag != "" {
		c.w.Header().Set("ETag", f.etag)
		if c.r.Header.Get("If-None-Match") == f.etag {
			c.w.WriteHeader(http.StatusNotModified)
			return
		}
	}
	content, err := f.open()
	if err != nil {
		c.answerError(err)
		return
	}
	if c.route.long { // the context of others has ended by now
		content = &lasting{content, c.ctx()}
	}
	defer func() { _ = content.Close() }() // everything was read, or the answer broke off
	c.w.Header().Set("Content-Type", f.contentType)
	send(c, http.StatusOK, f.sizeBytes, content)
}

// send writes a body in the encoding that the caller asked for. A body that breaks off has no end
// that could be taken for one: the connection is closed.
func send(c *call, status int, sizeBytes int64, content io.Reader) {
	encoding := negotiate(c.r.Header.Values("Accept-Encoding"))
	header := c.w.Header()
	header.Add("Vary", "Accept-Encoding")
	switch {
	case encoding != "":
		header.Set("Content-Encoding", encoding)
	case sizeBytes >= 0:
		header.Set("Content-Length", strconv.FormatInt(sizeBytes, 10))
	}
	c.w.WriteHeader(status)
	if c.r.Method == http.MethodHead {
		return
	}
	if err := compressTo(c.w, encoding, content); err != nil {
		if !errors.Is(err, c.ctx().Err()) {
			c.opts.Log.Warn("answer broke off", slog.String("path", c.r.URL.Path), slog.Any("error", err))
		}
		panic(http.ErrAbortHandler) //nolint:forbidigo // how net/http is told to close the connection
	}
}

// accepts reports whether the Accept header of the request admits a content type.
func accepts(c *call, contentType string) bool {
	headers := c.r.Header.Values("Accept")
	if len(headers) == 0 {
		return true
	}
	kind, _, _ := strings.Cut(contentType, "/")
	for _, header := range headers {
		for item := range strings.SplitSeq(header, ",") {
			media, quality, _ := strings.Cut(item, ";")
			media = strings.ToLower(strings.TrimSpace(media))
			if strings.ReplaceAll(quality, " ", "") == "q=0" {
				continue
			}
			if media == "" || media == "*/*" || media == "*" || media == contentType || media == kind+"/*" {
				return true
			}
		}
	}
	return false
}
