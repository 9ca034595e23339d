package rest

import (
	"compress/flate"
	"compress/gzip"
	"io"
	"net/http"
	"strconv"
	"strings"
	"sync"
)

// negotiate chooses the encoding of an answer: gzip, deflate or, if it is empty, none (server 2.1).
func negotiate(headers []string) string {
	wanted := map[string]bool{}
	for _, header := range headers {
		for item := range strings.SplitSeq(header, ",") {
			name, parameters, _ := strings.Cut(item, ";")
			quality, found := strings.CutPrefix(strings.TrimSpace(parameters), "q=")
			weight, err := strconv.ParseFloat(quality, 64)
			wanted[strings.ToLower(strings.TrimSpace(name))] = !found || err == nil && weight > 0
		}
	}
	for _, encoding := range []string{"gzip", "deflate"} {
		if given, ok := wanted[encoding]; ok && given || !ok && wanted["*"] {
			return encoding
		}
	}
	return ""
}

// gzipWriters are reused, since each has large tables.
var gzipWriters = sync.Pool{New: func() any { //nolint:gochecknoglobals // the state of a pool is not visible
	w, _ := gzip.NewWriterLevel(nil, gzip.BestSpeed)
	return w
}}

// compressTo copies content in an encoding. Empty means none.
func compressTo(w io.Writer, encoding string, content io.Reader) error {
	switch encoding {
	case "gzip":
		compressor, _ := gzipWriters.Get().(*gzip.Writer)
		defer gzipWriters.Put(compressor)
		compressor.Reset(w)
		return copyAndClose(compressor, content)
	case "deflate": // without a zlib header, as Digdag has it
		compressor, err := flate.NewWriter(w, flate.BestSpeed)
		if err != nil {
			return err
		}
		return copyAndClose(compressor, content)
	default:
		_, err := io.Copy(w, content)
		return err
	}
}

func copyAndClose(to io.WriteCloser, content io.Reader) error {
	if _, err := io.Copy(to, content); err != nil {
		return err
	}
	return to.Close()
}

// decompress replaces the request body with its decoded form.
func decompress(c *Call) error {
	switch encoding := strings.ToLower(c.Request.Header.Get("Content-Encoding")); encoding {
	case "", "identity":
	case "gzip", "x-gzip":
		c.Request.Body = &decoded{from: c.Request.Body, open: func(from io.Reader) (io.Reader, error) { return gzip.NewReader(from) }}
	case "deflate":
		c.Request.Body = &decoded{from: c.Request.Body, open: func(from io.Reader) (io.Reader, error) { return flate.NewReader(from), nil }}
	default:
		return Errorf(http.StatusUnsupportedMediaType, "the content encoding must be gzip, deflate or identity, got %q", encoding)
	}
	return nil
}

// decoded is a body that is decompressed while it is read.
type decoded struct {
	from   io.ReadCloser
	open   func(io.Reader) (io.Reader, error)
	reader io.Reader
}

func (d *decoded) Read(p []byte) (int, error) {
	if d.reader == nil {
		reader, err := d.open(d.from)
		if err != nil {
			return 0, err
		}
		d.reader = reader
	}
	return d.reader.Read(p)
}

func (d *decoded) Close() error { return d.from.Close() }
