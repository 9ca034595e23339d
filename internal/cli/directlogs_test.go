package cli

import (
	"compress/gzip"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"github.com/johannesboyne/gofakes3"
	"github.com/johannesboyne/gofakes3/backend/s3mem"

	"github.com/trowel-project/trowel/internal/trowtest/servertest"
)

// With log-server.s3.direct_download each small log has an address in the store soon after its attempt has ended,
// and requests for the file are redirected there.
func TestDirectLogs(t *testing.T) {
	t.Parallel()
	backend := s3mem.New()
	if err := backend.CreateBucket("logs"); err != nil {
		t.Fatal(err)
	}
	s3 := httptest.NewServer(gofakes3.New(backend).Server())
	t.Cleanup(s3.Close)
	s := servertest.Start(t, "log-server.type", "s3", "log-server.s3.bucket", "logs", "log-server.s3.endpoint", s3.URL, "log-server.s3.path-style-access", "true",
		"log-server.s3.credentials.access-key-id", "id", "log-server.s3.credentials.secret-access-key", "key", "log-server.s3.direct_download", "true")
	s.Push("demo", "+a: {echo>: one}\n+b: {echo>: two}\n")
	attempt := s.StartAttempt("1", "2024-01-01T00:00:00Z")
	s.Wait(attempt)
	var list struct {
		Files []struct {
			FileName string
			Direct   *string
		}
	}
	s.Eventually("addresses of all logs", func() bool {
		_, text := s.Request("GET", "/api/logs/"+attempt+"/files", "", "")
		if err := json.Unmarshal([]byte(text), &list); err != nil {
			t.Fatal(err)
		}
		for _, f := range list.Files {
			if f.Direct == nil {
				return false
			}
		}
		return len(list.Files) > 0
	})
	if len(list.Files) != 2 {
		t.Errorf("%d files, want 2", len(list.Files))
	}
	client := &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	for i, f := range list.Files {
		path := s.URL + "/api/logs/" + attempt + "/files/" + url.PathEscape(f.FileName)
		for address, want := range map[string]int{path: http.StatusSeeOther, path + "?direct_download=false": http.StatusOK, *f.Direct: http.StatusOK} {
			res, err := client.Get(address)
			if err != nil {
				t.Fatal(err)
			}
			if res.StatusCode != want {
				t.Errorf("GET %s = %d, want %d", address, res.StatusCode, want)
			}
			if want == http.StatusSeeOther && !strings.HasPrefix(res.Header.Get("Location"), s3.URL+"/logs/") {
				t.Errorf("Location = %q, want one in the store", res.Header.Get("Location"))
			}
			if want == http.StatusOK {
				if text := unzipped(t, res.Body); !strings.Contains(text, []string{"one", "two"}[i]+"\n") {
					t.Errorf("GET %s has %q", address, text)
				}
			}
			_ = res.Body.Close()
		}
	}
	if out := newConsole(t).Run("log", attempt, "-e", s.URL); !strings.Contains(out.Stdout, "\none\n") || !strings.Contains(out.Stdout, "\ntwo\n") {
		t.Errorf("log: %s%s", out.Stdout, out.Stderr)
	}
	_, text := s.Request("GET", "/api/logs/"+attempt+"/files?direct_download=false", "", "")
	if strings.Contains(text, s3.URL) {
		t.Errorf("addresses that were not asked for: %s", text)
	}
}

func unzipped(t *testing.T, body io.Reader) string {
	t.Helper()
	text, err := gzip.NewReader(body)
	if err != nil {
		t.Fatal(err)
	}
	data, err := io.ReadAll(text)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}
