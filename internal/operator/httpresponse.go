package operator

import (
	"compress/gzip"
	"errors"
	"io"
	"mime"
	"net/http"
	"strings"
	"unicode/utf16"

	"golang.org/x/text/encoding/htmlindex"
)

const kindCharset = "unsupported charset"

// leastKept is how much of a body is always read, so that messages can say how large it is. Digdag refuses any
// response that is larger.
const leastKept = 2 << 20

// keepBytes returns the number of bytes that may be needed for a text of so many UTF-16 units, plus one.
func keepBytes(units int) int { return max(4*units, leastKept) + 1 }

// httpResponse is a response that was read.
type httpResponse struct {
	status int
	reason string
	header http.Header
	length int64 // according to the server; -1 if it does not say
	body   []byte
	cut    bool // body is only the beginning
}

// readResponse reads a response to its end and keeps the beginning of its body.
func readResponse(response *http.Response, keep int) (*httpResponse, error) {
	read := &httpResponse{
		status: response.StatusCode, reason: reason(response), header: response.Header, length: response.ContentLength,
	}
	body, err := decompressed(response)
	if err == nil {
		read.body, err = io.ReadAll(io.LimitReader(body, int64(keep)))
	}
	if err != nil {
		return nil, errors.Join(err, response.Body.Close())
	}
	if len(read.body) == keep { // the rest is not needed, but the server should finish
		read.cut = true
		return read, discard(response)
	}
	return read, response.Body.Close()
}

// decompressed returns the body of a response. net/http does not decompress it if the request has an Accept-Encoding of
// its own.
func decompressed(response *http.Response) (io.Reader, error) {
	if response.Header.Get("Content-Encoding") != "gzip" || response.Uncompressed || response.Request.Method == http.MethodHead {
		return response.Body, nil
	}
	return gzip.NewReader(response.Body)
}

// discard reads a body to its end, so that its connection can be used again.
func discard(response *http.Response) error {
	_, err := io.Copy(io.Discard, response.Body)
	return errors.Join(err, response.Body.Close())
}

// text returns the body as text of at most so many UTF-16 units. The charset comes from the given media type,
// or, if that is empty, from the response.
func (p *httpResponse) text(mediaType string, limit int) (string, error) {
	charset := ""
	if mediaType == "" {
		charset = p.charset()
	} else if _, after, found := strings.Cut(mediaType, "charset="); found {
		charset = strings.Trim(after, ` "'`)
	}
	text, err := decode(p.body, charset)
	if err != nil {
		return "", err
	}
	units := utf16Length(text)
	if p.cut {
		units = max(units, limit+1)
	}
	if units > limit {
		return "", Failuref(httpTooLarge, units, limit)
	}
	return text, nil
}

// anyText returns the body as text, for messages.
func (p *httpResponse) anyText() string {
	text, err := decode(p.body, p.charset())
	if err != nil {
		return strings.ToValidUTF8(string(p.body), "�")
	}
	return text
}

func (p *httpResponse) charset() string {
	_, params, err := mime.ParseMediaType(p.header.Get("Content-Type"))
	if err != nil {
		return ""
	}
	return params["charset"]
}

// decode converts bytes to text. Without a charset it is UTF-8.
func decode(body []byte, charset string) (string, error) {
	if charset == "" || strings.EqualFold(charset, "utf-8") {
		return strings.ToValidUTF8(string(body), "�"), nil
	}
	encoding, err := htmlindex.Get(charset)
	if err != nil {
		return "", &Error{Kind: kindCharset, Message: charset, Err: err}
	}
	text, err := encoding.NewDecoder().Bytes(body)
	return string(text), err
}

func utf16Length(text string) (units int) {
	for _, r := range text {
		units += utf16.RuneLen(r)
	}
	return units
}
