package cloud

import (
	"crypto"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"crypto/x509"
	"encoding/hex"
	"encoding/json"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/trowel-project/trowel/internal/blob"
	"github.com/trowel-project/trowel/internal/blob/blobtest"
)

// testKey is the key of a service account. It is shared as making one takes a while.
var testKey = sync.OnceValues(func() (*rsa.PrivateKey, error) { return rsa.GenerateKey(rand.Reader, 2048) })

// gcsAccount returns the file of a service account whose tokens come from a server.
func gcsAccount(t *testing.T, server string) string {
	t.Helper()
	key, err := testKey()
	if err != nil {
		t.Fatal(err)
	}
	der, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	text, err := json.Marshal(map[string]string{
		"type": "service_account", "client_email": "trowel@example.com", "token_uri": server + "/token",
		"private_key": string(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: der})),
	})
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// fakeGCS answers the requests of the JSON API that are used, and signed URLs.
type fakeGCS struct {
	t   *testing.T
	key *rsa.PublicKey

	mu      sync.Mutex
	objects map[string][]byte
}

func newGCS(t *testing.T) blob.Store {
	t.Helper()
	key, err := testKey()
	if err != nil {
		t.Fatal(err)
	}
	fake := &fakeGCS{t: t, key: &key.PublicKey, objects: map[string][]byte{}}
	server := httptest.NewServer(fake)
	t.Cleanup(server.Close)
	s, err := Open(t.Context(), Options{Provider: GCS, Bucket: "bucket", Prefix: "p/", Endpoint: server.URL, CredentialsJSON: gcsAccount(t, server.URL)})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func (f *fakeGCS) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	const list, upload = "/storage/v1/b/bucket/o", "/upload/storage/v1/b/bucket/o"
	path := r.URL.EscapedPath()
	if path == "/token" {
		w.Header().Set("Content-Type", "application/json")
		f.write(w, `{"access_token": "token", "token_type": "Bearer", "expires_in": 3600}`)
		return
	}
	signed := strings.HasPrefix(path, "/bucket/")
	if signed && !f.verified(r) || !signed && r.Header.Get("Authorization") != "Bearer token" {
		w.WriteHeader(http.StatusForbidden)
		return
	}
	body, err := io.ReadAll(r.Body)
	if err != nil { // cut off: nothing is stored
		return
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	switch path {
	case list:
		f.list(w, r.URL.Query())
	case upload:
		f.objects[r.URL.Query().Get("name")] = body
		f.write(w, "{}")
	default:
		escaped := strings.TrimPrefix(strings.TrimPrefix(path, list+"/"), "/bucket/")
		name, err := url.PathUnescape(escaped)
		if err != nil || !signed && strings.Contains(escaped, "/") {
			w.WriteHeader(http.StatusBadRequest)
			return
		}
		f.object(w, r, name, body)
	}
}

func (f *fakeGCS) object(w http.ResponseWriter, r *http.Request, name string, body []byte) {
	data, ok := f.objects[name]
	if !ok && r.Method != http.MethodPut {
		w.WriteHeader(http.StatusNotFound)
		return
	}
	switch r.Method {
	case http.MethodPut:
		f.objects[name] = body
	case http.MethodDelete:
		delete(f.objects, name)
		w.WriteHeader(http.StatusNoContent)
	default:
		var begin, end int
		if n, _ := fmt.Sscanf(r.Header.Get("Range"), "bytes=%d-%d", &begin, &end); n > 0 { // else all
			if begin >= len(data) {
				w.WriteHeader(http.StatusRequestedRangeNotSatisfiable)
				return
			}
			if n == 2 {
				data = data[:min(len(data), end+1)]
			}
			w.WriteHeader(http.StatusPartialContent)
			data = data[begin:]
		}
		f.write(w, string(data))
	}
}

func (f *fakeGCS) list(w http.ResponseWriter, query url.Values) {
	type item struct {
		Name string `json:"name"`
	}
	var page struct {
		Items         []item `json:"items,omitempty"`
		NextPageToken string `json:"nextPageToken,omitempty"`
	}
	var names []string
	for name := range f.objects {
		if strings.HasPrefix(name, query.Get("prefix")) && name >= query.Get("startOffset") && name > query.Get("pageToken") {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	for _, name := range names[:min(2, len(names))] {
		page.Items = append(page.Items, item{name})
	}
	if len(names) > 2 {
		page.NextPageToken = names[1]
	}
	text, err := json.Marshal(page)
	if err != nil {
		f.t.Error(err)
	}
	f.write(w, string(text))
}

func (f *fakeGCS) write(w http.ResponseWriter, text string) {
	_, _ = io.WriteString(w, text) // a client may have gone
}

// verified checks a V4 signature.
func (f *fakeGCS) verified(r *http.Request) bool {
	query, signature, _ := strings.Cut(r.URL.RawQuery, "&X-Goog-Signature=")
	request := sha256.Sum256([]byte(strings.Join([]string{r.Method, r.URL.EscapedPath(), query, "host:" + r.Host, "", "host", "UNSIGNED-PAYLOAD"}, "\n")))
	at := r.URL.Query().Get("X-Goog-Date")
	text := strings.Join([]string{"GOOG4-RSA-SHA256", at, at[:8] + "/auto/storage/goog4_request", hex.EncodeToString(request[:])}, "\n")
	digest := sha256.Sum256([]byte(text))
	bytes, err := hex.DecodeString(signature)
	return errors.Join(err, rsa.VerifyPKCS1v15(f.key, crypto.SHA256, digest[:], bytes)) == nil
}

func TestGCS(t *testing.T) {
	t.Parallel()
	blobtest.Run(t, func(t *testing.T) blob.Store {
		t.Helper()
		return newGCS(t)
	})
}

func TestGCSSignedURLs(t *testing.T) {
	t.Parallel()
	signedURLs(t, newGCS(t), "X-Goog-Expires=600")
}
