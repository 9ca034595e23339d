package operator

import (
	"context"
	"encoding/base64"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/trowel-project/trowel/internal/param"
)

// Texts of operators 5.1; the second is ours.
const (
	httpInvalidHeader = "Invalid header: %s"
	httpInvalidQuery  = "Invalid query parameter value: %s"
)

// httpRequest is one request, ready to be sent.
type httpRequest struct {
	method    string
	target    *httpTarget
	uri       *url.URL // the target's with the option query
	host      string   // of a header Host; empty for the URI's
	header    http.Header
	body      []byte
	timeout   time.Duration
	redirects int // that are followed
	keepBytes int // of the response
}

// request returns the request that the task describes.
func (w *web) request(
	ctx context.Context, r *Request, params *param.Reader, options httpOptions, target *httpTarget,
) (*httpRequest, error) {
	uri := *target.uri
	query, err := httpQuery(ctx, r, params)
	if err != nil {
		return nil, err
	}
	if query != "" {
		if uri.RawQuery != "" {
			uri.RawQuery += "&"
		}
		uri.RawQuery += query
	}
	request := &httpRequest{
		method: options.method, target: target, uri: &uri, header: http.Header{}, timeout: options.timeout,
	}
	if options.follow {
		request.redirects = max(w.options.MaxRedirects, 0)
	} else {
		request.redirects = -1
	}
	content, err := httpContent(ctx, r, params)
	if err != nil {
		return nil, err
	}
	request.body = content.body
	if err := request.authorize(ctx, r, target.uri.User); err != nil {
		return nil, err
	}
	if err := request.addHeaders(ctx, r, params); err != nil {
		return nil, err
	}
	if content.contentType != "" && !request.has("Content-Type") {
		request.header.Set("Content-Type", content.contentType)
	}
	if !request.has("User-Agent") {
		request.header.Set("User-Agent", w.options.UserAgent+" Go-http-client/1.1")
	}
	return request, nil
}

func (q *httpRequest) has(header string) bool { return len(q.header[header]) > 0 }

// authorize sets the header Authorization from secrets (operators 5.1), or from the URI.
func (q *httpRequest) authorize(ctx context.Context, r *Request, inURI *url.Userinfo) error {
	value, found, err := r.OptSecret(ctx, "http.authorization")
	if err != nil {
		return err
	}
	if found {
		q.header.Set("Authorization", value)
		return nil
	}
	user, found, err := r.OptSecret(ctx, "http.user")
	if err != nil {
		return err
	}
	var password string
	switch {
	case found:
		if password, _, err = r.OptSecret(ctx, "http.password"); err != nil {
			return err
		}
	case inURI != nil:
		user = inURI.Username()
		password, _ = inURI.Password()
	default:
		return nil
	}
	credentials := base64.StdEncoding.EncodeToString([]byte(user + ":" + password))
	q.header.Set("Authorization", "Basic "+credentials)
	return nil
}

// addHeaders adds the option headers. A header that is there twice is sent once (operators 5.1).
func (q *httpRequest) addHeaders(ctx context.Context, r *Request, params *param.Reader) error {
	list, err := params.ListOr("headers", nil)
	if err != nil {
		return err
	}
	seen := map[[2]string]bool{}
	for _, element := range list {
		name, value, ok := onlyEntry(element)
		if !ok {
			return param.Errorf(httpInvalidHeader, param.JSON(element))
		}
		if name, err = r.Expand(ctx, name); err != nil {
			return err
		}
		if value, err = r.Expand(ctx, value); err != nil {
			return err
		}
		if !isHeader(name, value) {
			return param.Errorf(httpInvalidHeader, param.JSON(element))
		}
		name = http.CanonicalHeaderKey(name)
		if seen[[2]string{name, value}] {
			continue
		}
		seen[[2]string{name, value}] = true
		if name == "Host" {
			q.host = value
			continue
		}
		q.header.Add(name, value)
	}
	return nil
}

// onlyEntry returns the only entry of a map, whose value is a scalar. ok is false for other values.
func onlyEntry(element param.Value) (name, text string, ok bool) {
	entry, isMap := element.(*param.Map)
	if !isMap || entry.Len() != 1 {
		return "", "", false
	}
	for key, value := range entry.All() {
		name = key
		text, ok = param.AsString(value)
	}
	return name, text, ok
}

// isHeader reports whether a header with this name and value can be sent.
func isHeader(name, value string) bool {
	for _, c := range []byte(name) {
		if c <= ' ' || c >= 0x7f || strings.IndexByte(`()<>@,;:\"/[]?={}`, c) >= 0 {
			return false
		}
	}
	return name != "" && !strings.ContainsAny(value, "\r\n\x00")
}

// httpQuery returns the part of the query that the option query describes.
func httpQuery(ctx context.Context, r *Request, params *param.Reader) (string, error) {
	raw, _ := params.Value("query")
	entries, isMap := raw.(*param.Map)
	if text, isText := raw.(string); isText {
		if parsed, err := param.ParseMap(text); err == nil {
			entries, isMap = parsed, true
		}
	}
	if isMap {
		return encodeForm(ctx, r, entries, httpInvalidQuery)
	}
	text, found, err := params.OptString("query")
	if err != nil || !found {
		return "", err
	}
	if text, err = r.Expand(ctx, text); err != nil {
		return "", err
	}
	var pairs []string
	for pair := range strings.SplitSeq(text, "&") {
		if pair == "" {
			continue
		}
		name, value, _ := strings.Cut(pair, "=")
		pairs = append(pairs, escapeForm(unescapeForm(name))+"="+escapeForm(unescapeForm(value)))
	}
	return strings.Join(pairs, "&"), nil
}

// encodeForm returns an object as a form, in order. invalid is the text about a value that is not a scalar.
func encodeForm(ctx context.Context, r *Request, entries *param.Map, invalid string) (string, error) {
	var pairs []string
	for name, value := range entries.All() {
		text, ok := param.AsString(value)
		if value == nil {
			text, ok = "null", true // as in Digdag's JSON library
		}
		if !ok {
			return "", param.Errorf(invalid, param.JSON(value))
		}
		name, err := r.Expand(ctx, name)
		if err != nil {
			return "", err
		}
		if text, err = r.Expand(ctx, text); err != nil {
			return "", err
		}
		pairs = append(pairs, escapeForm(name)+"="+escapeForm(text))
	}
	return strings.Join(pairs, "&"), nil
}

// escapeForm escapes as Java does.
func escapeForm(text string) string {
	return strings.NewReplacer("%2A", "*", "~", "%7E").Replace(url.QueryEscape(text))
}

// unescapeForm undoes escapeForm. Text that is not an escape stays as it is.
func unescapeForm(text string) string {
	if plain, err := url.QueryUnescape(text); err == nil {
		return plain
	}
	return text
}
