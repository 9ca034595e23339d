package cloudtest

import (
	"crypto/rand"
	"io"
	"net/http"
	"net/url"
	"os"
	"strings"
	"testing"
)

// EnvGCS is the variable with the address of fake-gcs-server.
const EnvGCS = "TROWEL_TEST_GCS"

// Storage is fake-gcs-server.
type Storage struct{ URL string }

// GCS returns fake-gcs-server, or skips the test.
func GCS(tb testing.TB) *Storage {
	tb.Helper()
	address := os.Getenv(EnvGCS)
	if address == "" {
		tb.Skip("needs fake-gcs-server: make clouds")
	}
	return &Storage{URL: address}
}

// Bucket makes a bucket.
func (s *Storage) Bucket(tb testing.TB) string {
	tb.Helper()
	name := "trowel-" + strings.ToLower(rand.Text())
	s.send(tb, http.MethodPost, "/storage/v1/b?project=p", "application/json", `{"name": "`+name+`"}`)
	return name
}

// Put puts an object into a bucket.
func (s *Storage) Put(tb testing.TB, bucket, name, text string) {
	tb.Helper()
	s.send(tb, http.MethodPost, "/upload/storage/v1/b/"+bucket+"/o?uploadType=media&name="+url.QueryEscape(name), "text/plain", text)
}

// Delete deletes an object.
func (s *Storage) Delete(tb testing.TB, bucket, name string) {
	tb.Helper()
	s.send(tb, http.MethodDelete, "/storage/v1/b/"+bucket+"/o/"+url.PathEscape(name), "", "")
}

func (s *Storage) send(tb testing.TB, method, path, contentType, body string) {
	tb.Helper()
	request, err := http.NewRequestWithContext(tb.Context(), method, s.URL+path, strings.NewReader(body))
	if err != nil {
		tb.Fatal(err)
	}
	request.Header.Set("Content-Type", contentType)
	answer, err := http.DefaultClient.Do(request)
	if err != nil {
		tb.Fatal(err)
	}
	defer answer.Body.Close() //nolint:errcheck // only read from
	if text, err := io.ReadAll(answer.Body); err != nil || answer.StatusCode/100 != 2 {
		tb.Fatalf("%s %s = %d: %s, %v", method, path, answer.StatusCode, text, err)
	}
}
