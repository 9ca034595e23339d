package cli

import (
	"io"
	"log"
	"net/http/httptest"
	"strings"
	"testing"
)

// If there is no answer, the hint suits the reason: an unknown certificate, the wrong scheme, a proxy.
func TestUnreachableHints(t *testing.T) {
	t.Parallel()
	plain, secure := httptest.NewServer(nil), httptest.NewUnstartedServer(nil)
	secure.Config.ErrorLog = log.New(io.Discard, "", 0) // it logs who does not trust it
	secure.StartTLS()
	t.Cleanup(plain.Close)
	t.Cleanup(secure.Close)
	gone := httptest.NewServer(nil)
	gone.Close()
	for _, tc := range []struct {
		name, endpoint, proxy string
		says                  string
	}{
		{"no server", gone.URL, "", "fix: is the server running"},
		{"certificate", secure.URL, "", "fix: if the certificate is right"},
		{"HTTPS to HTTP", strings.Replace(plain.URL, "http:", "https:", 1), "", "fix: the server does not speak HTTPS"},
		{"HTTP to HTTPS", strings.Replace(secure.URL, "https:", "http:", 1), "", "HTTPS server.\nfix: name it with https://"},
		{"proxy", "http://trowel.invalid", gone.URL, "fix: http_proxy or https_proxy names a proxy that does not answer"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			c := newConsole(t)
			c.Environ = append(c.Environ, "http_proxy="+tc.proxy)
			if out := c.Run("projects", "-e", tc.endpoint); out.Exit != 1 || !strings.Contains(out.Stderr, tc.says) {
				t.Errorf("exit %d, %s, want %q", out.Exit, out.Stderr, tc.says)
			}
		})
	}
}
