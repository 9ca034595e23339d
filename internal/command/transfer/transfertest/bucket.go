// Package transfertest has what tests of executors elsewhere share: an object store that signed URLs reach, and containers that
// are processes of this machine in a folder of their own.
package transfertest

import (
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"

	"github.com/johannesboyne/gofakes3"
	"github.com/johannesboyne/gofakes3/backend/s3mem"
)

// Bucket is an object store.
type Bucket struct {
	// URL is where it is.
	URL string
	// Answer, if it is set, may answer a request in place of the store, and reports whether it did.
	Answer atomic.Pointer[func(http.ResponseWriter, *http.Request) bool]
	// Answered, if it is set, is called after a request was handled. If it returns false, the answer is lost.
	Answered atomic.Pointer[func(*http.Request) bool]
}

// NewBucket starts an object store.
func NewBucket(tb testing.TB) *Bucket {
	tb.Helper()
	backend := s3mem.New()
	if err := backend.CreateBucket("bucket"); err != nil {
		tb.Fatal(err)
	}
	b, store := &Bucket{}, gofakes3.New(backend).Server()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if answer := b.Answer.Load(); answer != nil && (*answer)(w, r) {
			return
		}
		store.ServeHTTP(w, r)
		if answered := b.Answered.Load(); answered != nil && !(*answered)(r) {
			panic(http.ErrAbortHandler)
		}
	}))
	tb.Cleanup(server.Close)
	b.URL = server.URL
	return b
}

// Settings adds the settings of the store below a prefix.
func (b *Bucket) Settings(all map[string]string, prefix string) {
	for name, value := range map[string]string{
		"type": "s3", "s3.bucket": "bucket", "s3.endpoint": b.URL, "s3.path-style-access": "true",
		"s3.credentials.access-key-id": "id", "s3.credentials.secret-access-key": "key",
	} {
		all[prefix+"."+name] = value
	}
}

// Setting returns a function that looks up settings.
func Setting(all map[string]string) func(name string) (string, bool) {
	return func(name string) (string, bool) {
		value, found := all[name]
		return value, found
	}
}
