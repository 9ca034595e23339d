package rest

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

// File is an answer that is not JSON.
type File struct {
	ContentType string
	SizeBytes   int64  // negative if it is not known
	ETag        string // with its quotes; may be empty
	Open        func() (io.ReadCloser, error)
	// Ranges says that parts of the file may be asked for. Its size then is known.
	Ranges bool
	// Untrusted says that a user wrote the content, and perhaps chose its type: a browser must take it for nothing else, and
	// must not run any of it.
	Untrusted bool
}

// Redirect is an answer that the file is at another address. Its status is 303, the only redirect that Digdag's
// client follows (server 1.7.2).
type Redirect struct{ URL string }

// Streamed is an answer that the handler has already written.
type Streamed struct{}

// answer writes what a handler returned.
func (c *Call) answer(value any, err error) {
	if err != nil {
		c.answerError(err)
		return
	}
	switch value := value.(type) {
	case Streamed:
	case Redirect:
		c.Writer.Header().Set("Location", value.URL)
		c.Writer.WriteHeader(http.StatusSeeOther)
	case File:
		answerFile(c, value)
	default:
		answerJSON(c, http.StatusOK, value)
	}
}

// answerError writes an error.
func (c *Call) answerError(err error) {
	e := errorOf(c, err)
	if e.bare {
		c.Writer.Header().Del("Content-Type")
		c.Writer.WriteHeader(e.status)
		return
	}
	if e.status == http.StatusServiceUnavailable || e.status == http.StatusTooManyRequests {
		c.Writer.Header().Set("Retry-After", "1")
	}
	if c.opts.Mask != nil {
		masked := *e
		masked.message = c.opts.Mask(e.message)
		e = &masked
	}
	if e.status == http.StatusNotFound && e.code == "" && c.Route != nil && !c.Route.Digdag {
		coded := *e
		coded.code = CodeNotFound
		e = &coded
	}
	if e.status == http.StatusUnauthorized && e.code == "" && fromPage(c.Request) {
		coded := *e
		coded.code = CodeSignedOut
		e = &coded
	}
	if c.Route != nil && c.Route.Answer != nil {
		answerJSON(c, e.status, e.document())
		return
	}
	writeJSON(c, e.status, e.document()) // callers who accept only a stream or a file get errors as JSON, too
}

// fromPage reports whether a page of this server makes a request.
func fromPage(r *http.Request) bool {
	return r.Header.Get(HeaderRequest) != "" || r.Header.Get("Cookie") != ""
}

// answerJSON writes a document if the caller accepts JSON.
func answerJSON(c *Call, status int, value any) {
	if !accepts(c, jsonType) {
		c.Writer.WriteHeader(http.StatusNotAcceptable)
		return
	}
	writeJSON(c, status, value)
}

// writeJSON writes a document, without escapes for HTML.
func writeJSON(c *Call, status int, value any) {
	var b bytes.Buffer
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(value); err != nil {
		c.opts.Log.Error("answer cannot be written as JSON", slog.String("path", c.Request.URL.Path), slog.Any("error", err))
		c.Writer.WriteHeader(http.StatusInternalServerError)
		return
	}
	b.Truncate(b.Len() - 1) // without the final newline
	c.Writer.Header().Set("Content-Type", jsonType)
	send(c, status, int64(b.Len()), &b)
}

// answerFile writes a file, unless the caller has it already.
func answerFile(c *Call, f File) {
	if !accepts(c, f.ContentType) {
		c.Writer.WriteHeader(http.StatusNotAcceptable)
		return
	}
	if f.ETag != "" {
		c.Writer.Header().Set("ETag", f.ETag)
		if c.Request.Header.Get("If-None-Match") == f.ETag {
			c.Writer.WriteHeader(http.StatusNotModified)
			return
		}
	}
	if f.Untrusted {
		c.Writer.Header().Set("X-Content-Type-Options", "nosniff")
		c.Writer.Header().Set("Content-Security-Policy", "sandbox; default-src 'none'")
	}
	if f.Ranges && answerRange(c, &f) {
		return
	}
	content, err := f.Open()
	if err != nil {
		c.answerError(err)
		return
	}
	if c.Route.Long { // the context of other routes has ended by now
		content = &lasting{content, c.Ctx()}
	}
	defer func() { _ = content.Close() }() // either all of it was read, or the answer was cut off
	c.Writer.Header().Set("Content-Type", f.ContentType)
	send(c, http.StatusOK, f.SizeBytes, content)
}

// send writes a body in the encoding that the caller asked for. If the body cannot be read to its end, send closes
// the connection, so that the caller does not take the answer for a whole one.
func send(c *Call, status int, sizeBytes int64, content io.Reader) {
	encoding := negotiate(c.Request.Header.Values("Accept-Encoding"))
	c.Writer.Header().Add("Vary", "Accept-Encoding")
	sendAs(c, status, encoding, sizeBytes, content)
}

// sendAs is send for a given encoding.
func sendAs(c *Call, status int, encoding string, sizeBytes int64, content io.Reader) {
	header := c.Writer.Header()
	switch {
	case encoding != "":
		header.Set("Content-Encoding", encoding)
	case sizeBytes >= 0:
		header.Set("Content-Length", strconv.FormatInt(sizeBytes, 10))
	}
	c.Writer.WriteHeader(status)
	if c.Request.Method == http.MethodHead {
		return
	}
	if err := compressTo(c.Writer, encoding, content); err != nil {
		if !errors.Is(err, c.Ctx().Err()) {
			c.opts.Log.Warn("answer broke off", slog.String("path", c.Request.URL.Path), slog.Any("error", err))
		}
		panic(http.ErrAbortHandler) //nolint:forbidigo // how net/http is told to close the connection
	}
}

// accepts reports whether the Accept header of the request admits a content type.
func accepts(c *Call, contentType string) bool {
	headers := c.Request.Header.Values("Accept")
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
