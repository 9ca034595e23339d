package remote

import (
	"crypto/tls"
	"encoding/json"
	"errors"
	"fmt"
	"mime"
	"net/http"
	"strings"

	"github.com/trowel-project/trowel/internal/api"
)

// RefusedError is the answer of a server that refused a request.
type RefusedError struct {
	Server  string
	Status  int
	Message string
	NoToken bool // the agent sent none
}

func (e *RefusedError) Error() string {
	return fmt.Sprintf("the server at %s refuses this agent: %s (HTTP %d)", e.Server, e.Message, e.Status)
}

// lasting reports whether any other try would be refused too: the token is wrong, or the version.
func (e *RefusedError) lasting() bool {
	switch e.Status {
	case http.StatusUnauthorized, http.StatusForbidden, http.StatusConflict, http.StatusBadRequest, http.StatusMethodNotAllowed:
		return true
	}
	return false
}

// passing reports whether the server may soon answer differently.
func (e *RefusedError) passing() bool {
	return e.Status >= 500 || e.Status == http.StatusRequestTimeout || e.Status == http.StatusTooManyRequests
}

// Texts of what to do about an error.
const (
	fixNoToken = "name a token of the role agent: in the variable TROWEL_TOKEN, or with --token"
	fixToken   = "the token is wrong, has expired or was revoked: make another one, with trowel tokens create --name NAME --role agent"
	fixAddress = "--server wants the address of a Trowel server, as in https://trowel.example.com:65432"
	fixHTTPS   = "name it with https://"
	fixHTTP    = "name it with http://, or let the server speak HTTPS (server.tls.cert)"
	fixTrust   = "if the certificate is right, name the file of the authority behind it with --ca-cert"
)

// Fix says what a person can do about an error of a Link. It is empty if one can only wait, or if the error says it
// itself.
func Fix(err error) string {
	if refused, ok := errors.AsType[*RefusedError](err); ok {
		switch {
		case refused.Status == http.StatusUnauthorized && refused.NoToken:
			return fixNoToken
		case refused.Status == http.StatusUnauthorized:
			return fixToken
		case refused.Status == http.StatusBadRequest && strings.Contains(refused.Message, "HTTPS server"):
			return fixHTTPS
		case refused.Status == http.StatusNotFound, refused.Status == http.StatusMethodNotAllowed:
			return fixAddress
		}
		return ""
	}
	switch {
	case isUntrusted(err):
		return fixTrust
	case isPlainHTTP(err):
		return fixHTTP
	}
	return ""
}

// isMisconfigured reports whether an error is caused by settings of the agent or the server, so that waiting does not
// help.
func isMisconfigured(err error) bool { return isUntrusted(err) || isPlainHTTP(err) }

func isUntrusted(err error) bool {
	_, untrusted := errors.AsType[*tls.CertificateVerificationError](err)
	return untrusted
}

func isPlainHTTP(err error) bool { return errors.Is(err, http.ErrSchemeMismatch) }

// maxRefusal is how many bytes of an answer are shown that is not a server's document.
const maxRefusal = 200

// refusalText is the text of an answer, also of a proxy's.
func refusalText(res *http.Response, body []byte) string {
	var told api.Error
	if json.Unmarshal(body, &told) == nil && told.Message != nil && *told.Message != "" {
		return *told.Message
	}
	kind, _, _ := mime.ParseMediaType(res.Header.Get("Content-Type")) // empty if it is wrong
	line, _, _ := strings.Cut(strings.TrimSpace(string(body)), "\n")
	if (kind != "" && kind != "text/plain") || line == "" || len(line) > maxRefusal {
		return http.StatusText(res.StatusCode)
	}
	return strings.TrimSuffix(line, ".")
}
