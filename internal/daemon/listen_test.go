package daemon

import (
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"testing"

	"github.com/trowel-project/trowel/internal/config"
)

// A server only speaks HTTP/2 if it is configured, even over TLS (server 3.1, server.http.enable-http2).
func TestProtocols(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]int{"off": 1, "on": 2} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			cert, key, trust := certificateFiles(t)
			opts := limits()
			opts.Bind, opts.TLSCert, opts.TLSKey, opts.HTTP2 = "127.0.0.1", cert, key, want == 2
			l := listen(t, opts)
			client := &http.Client{Transport: &http.Transport{ForceAttemptHTTP2: true, TLSClientConfig: &tls.Config{RootCAs: trust, MinVersion: tls.VersionTLS12}}}
			defer client.CloseIdleConnections()
			r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "https://"+l.sockets[0].Addr().String()+"/", http.NoBody)
			if err != nil {
				t.Fatal(err)
			}
			res, err := client.Do(r)
			if err != nil {
				t.Fatal(err)
			}
			_ = res.Body.Close()
			if res.ProtoMajor != want || res.StatusCode != http.StatusTeapot {
				t.Errorf("answer %d with HTTP/%d, want HTTP/%d", res.StatusCode, res.ProtoMajor, want)
			}
		})
	}
}

// listen starts a server that makes tea.
func listen(t *testing.T, opts config.Listen) *listeners {
	t.Helper()
	tea := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusTeapot) })
	l, err := openListeners(t.Context(), opts, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	l.answerWith(t.Context(), opts, tea, tea)
	ended := make(chan error, 1)
	go func() { ended <- l.serve(0) }()
	t.Cleanup(func() {
		l.shutdown(t.Context())
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
	return l
}

// certificateFiles writes a certificate of 127.0.0.1 and its key, and returns a pool that trusts it.
func certificateFiles(t *testing.T) (cert, key string, trust *x509.CertPool) {
	t.Helper()
	s := httptest.NewTLSServer(nil)
	defer s.Close()
	pair := s.TLS.Certificates[0]
	private, err := x509.MarshalPKCS8PrivateKey(pair.PrivateKey)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	cert, key = filepath.Join(dir, "cert.pem"), filepath.Join(dir, "key.pem")
	for file, block := range map[string]*pem.Block{cert: {Type: "CERTIFICATE", Bytes: pair.Certificate[0]}, key: {Type: "PRIVATE KEY", Bytes: private}} {
		if err := os.WriteFile(file, pem.EncodeToMemory(block), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	trust = x509.NewCertPool()
	trust.AddCert(s.Certificate())
	return cert, key, trust
}
