package cloud

import (
	"context"
	"crypto"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"crypto/x509"
	"encoding/hex"
	"encoding/pem"
	"errors"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/trowel-project/trowel/internal/blob"
)

// parseKey reads the private key of a service account.
func parseKey(text []byte) (*rsa.PrivateKey, error) {
	block, _ := pem.Decode(text)
	if block == nil {
		return nil, errors.New("the private key is not in PEM form")
	}
	if key, err := x509.ParsePKCS1PrivateKey(block.Bytes); err == nil {
		return key, nil
	}
	key, err := x509.ParsePKCS8PrivateKey(block.Bytes)
	if err != nil {
		return nil, err
	}
	private, ok := key.(*rsa.PrivateKey)
	if !ok {
		return nil, errors.New("the private key is no RSA key")
	}
	return private, nil
}

// SignedGet implements blob.Store. Only a service account can sign.
func (b *gcsBucket) SignedGet(_ context.Context, key string) (string, error) {
	return b.sign(http.MethodGet, key, b.getExpires)
}

// SignedPut implements blob.Store.
func (b *gcsBucket) SignedPut(_ context.Context, key string) (string, error) {
	return b.sign(http.MethodPut, key, b.putExpires)
}

// sign makes a V4 signature (cloud.google.com/storage/docs/authentication/signatures).
func (b *gcsBucket) sign(method, key string, expires time.Duration) (string, error) {
	if b.key == nil {
		return "", errors.ErrUnsupported
	}
	host := strings.TrimPrefix(strings.TrimPrefix(b.endpoint, "https://"), "http://")
	at := b.now().UTC()
	scope := at.Format("20060102") + "/auto/storage/goog4_request"
	query := url.Values{
		"X-Goog-Algorithm":     {"GOOG4-RSA-SHA256"},
		"X-Goog-Credential":    {b.email + "/" + scope},
		"X-Goog-Date":          {at.Format("20060102T150405Z")},
		"X-Goog-Expires":       {strconv.FormatInt(int64(expires/time.Second), 10)},
		"X-Goog-SignedHeaders": {"host"},
	}
	path := "/" + b.name + "/" + escapePath(b.prefix+key)
	sorted := strings.ReplaceAll(query.Encode(), "+", "%20")
	request := strings.Join([]string{method, path, sorted, "host:" + host, "", "host", "UNSIGNED-PAYLOAD"}, "\n")
	hash := sha256.Sum256([]byte(request))
	text := strings.Join([]string{"GOOG4-RSA-SHA256", at.Format("20060102T150405Z"), scope, hex.EncodeToString(hash[:])}, "\n")
	digest := sha256.Sum256([]byte(text))
	signature, err := rsa.SignPKCS1v15(rand.Reader, b.key, crypto.SHA256, digest[:])
	if err != nil {
		return "", blob.Unavailable("sign", key, err)
	}
	return b.endpoint + path + "?" + sorted + "&X-Goog-Signature=" + hex.EncodeToString(signature), nil
}

// escapePath escapes all bytes of a path but slashes and those that need no escape (RFC 3986).
func escapePath(path string) string {
	return strings.ReplaceAll(strings.ReplaceAll(url.QueryEscape(path), "+", "%20"), "%2F", "/")
}
