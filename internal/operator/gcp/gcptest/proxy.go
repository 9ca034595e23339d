package gcptest

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"io"
	"math/big"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"testing"
	"time"
)

// Proxy starts a proxy that leads to the services whoever asks for Google's addresses. It returns the variables of a process for
// which that proxy speaks for Google.
func (s *Service) Proxy(tb testing.TB) (env []string) {
	tb.Helper()
	certificate, file := newCertificate(tb)
	behind := httptest.NewUnstartedServer(s)
	behind.TLS = &tls.Config{Certificates: []tls.Certificate{certificate}, MinVersion: tls.VersionTLS12}
	behind.StartTLS()
	proxy := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodConnect {
			tunnel(w, behind.Listener.Addr().String())
			return
		}
		s.ServeHTTP(w, r)
	}))
	for _, server := range []*httptest.Server{behind, proxy} {
		tb.Cleanup(server.Close)
		tb.Cleanup(server.CloseClientConnections)
	}
	return []string{"https_proxy=" + proxy.URL, "http_proxy=" + proxy.URL, "SSL_CERT_FILE=" + file}
}

// tunnel connects a client with an address, until one of both ends the connection.
func tunnel(w http.ResponseWriter, address string) {
	there, err := net.Dial("tcp", address)
	if err != nil {
		w.WriteHeader(http.StatusBadGateway)
		return
	}
	defer there.Close() //nolint:errcheck // nothing is lost
	here, buffered, err := w.(http.Hijacker).Hijack()
	if err != nil {
		return
	}
	defer here.Close() //nolint:errcheck // as above
	_, _ = io.WriteString(here, "HTTP/1.1 200 Connection established\r\n\r\n")
	go func() {
		_, _ = io.Copy(there, buffered)
		_ = there.Close()
	}()
	_, _ = io.Copy(here, there)
}

// newCertificate makes a certificate of Google's services, and a file with it for those who are to trust it.
func newCertificate(tb testing.TB) (tls.Certificate, string) {
	tb.Helper()
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		tb.Fatal(err)
	}
	form := &x509.Certificate{
		SerialNumber: big.NewInt(1), DNSNames: []string{"*.googleapis.com"}, NotAfter: time.Now().Add(time.Hour), NotBefore: time.Now().Add(-time.Hour),
		IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageDigitalSignature | x509.KeyUsageCertSign,
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
	}
	der, err := x509.CreateCertificate(rand.Reader, form, form, &private.PublicKey, private)
	if err != nil {
		tb.Fatal(err)
	}
	file := filepath.Join(tb.TempDir(), "google.pem")
	if err := os.WriteFile(file, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}), 0o600); err != nil {
		tb.Fatal(err)
	}
	return tls.Certificate{Certificate: [][]byte{der}, PrivateKey: private}, file
}
