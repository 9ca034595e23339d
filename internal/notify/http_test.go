package notify_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/trowel-project/trowel/internal/notify"
	"github.com/trowel-project/trowel/internal/param"
)

// Server 7.1, operators 2.11.
func TestHTTP(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name    string
		method  string
		headers map[string]string
		status  int
		want    string // method, content type, own header
		problem string
	}{
		{"plain", "", nil, 200, "POST application/json ", ""},
		{"method and headers", "PUT", map[string]string{"X-Key": "k", "content-type": "text/plain"}, 204, "PUT text/plain k", ""},
		{"refused", "", nil, 403, "POST application/json ", "Failed to send HTTP notification: status=403"},
		{"broken", "", nil, 500, "POST application/json ", "Failed to send HTTP notification: status=500"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			var got, body string
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				data, err := io.ReadAll(r.Body)
				if err != nil {
					t.Error(err)
				}
				got, body = r.Method+" "+r.Header.Get("Content-Type")+" "+r.Header.Get("X-Key"), string(data)
				w.WriteHeader(c.status)
			}))
			defer server.Close()
			n := notify.OfAttempt(at(), "m", 4, setting())
			err := notify.NewHTTP(notify.HTTPOptions{URL: server.URL + "/hook", Method: c.method, Headers: c.headers, Client: server.Client()}).Send(t.Context(), n)
			if (err == nil) != (c.problem == "") || err != nil && err.Error() != c.problem {
				t.Errorf("Send: error = %v, want %q", err, c.problem)
			}
			if got != c.want || body != param.JSON(n.Payload()) {
				t.Errorf("request = %s\n%s", got, body)
			}
		})
	}
}

func TestHTTPErrorsHideTheAddress(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(nil)
	address := server.URL
	server.Close()
	for _, url := range []string{address + "/hush-hush", "http://%/hush-hush"} {
		err := notify.NewHTTP(notify.HTTPOptions{URL: url}).Send(t.Context(), notify.Notification{})
		if err == nil || strings.Contains(err.Error(), "hush") || !strings.HasPrefix(err.Error(), "Failed to send HTTP notification: ") {
			t.Errorf("Send to %s: error = %v", url, err)
		}
	}
}
