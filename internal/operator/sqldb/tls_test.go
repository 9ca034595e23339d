package sqldb_test

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"fmt"
	"io"
	"math/big"
	"net"
	"testing"
	"time"

	"github.com/trowel-project/trowel/internal/param"
	"github.com/trowel-project/trowel/internal/store/storetest/pgtest"
)

// certified is a certificate that nobody but itself has signed, and its key, in PEM.
type certified struct{ certificate, key string }

func certify(t *testing.T, key crypto.Signer, names []string, addresses ...net.IP) certified {
	t.Helper()
	template := x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "test"}, NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
		DNSNames: names, IPAddresses: addresses,
	}
	der, err := x509.CreateCertificate(rand.Reader, &template, &template, key.Public(), key)
	if err != nil {
		t.Fatal(err)
	}
	private, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	return certified{
		string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})), string(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: private})),
	}
}

func ecdsaKey(t *testing.T) crypto.Signer {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P384(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	return key
}

var loopback = net.IPv4(127, 0, 0, 1)

// encrypted returns a place for a user who needs a password, on a server that offers encryption. Rules of pg_hba.conf come before
// that everybody may enter.
func encrypted(t *testing.T, with certified, rules string) *place {
	t.Helper()
	server, p := ownServer(t, "open sesame")
	p.SetMaxIdleConns(0) // they do not outlive the server
	err := server.Restart(t.Context(), pgtest.Files{
		"postgresql.auto.conf": "ssl = on\n", "server.crt": with.certificate, "server.key": with.key,
		"pg_hba.conf": rules + "host all guest 127.0.0.1/32 scram-sha-256\nhost all all 127.0.0.1/32 trust\n",
	})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// wantEncrypted runs a task and compares whether its connection was encrypted.
func wantEncrypted(t *testing.T, want bool, p *place, options ...any) {
	t.Helper()
	f := p.task(t, "SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()", append(options, "store_last_results", "first")...)
	if got, want := param.JSON(mustRun(t, f)), fmt.Sprintf(`{"pg":{"last_results":{"ssl":%v}}}`, want); got != want {
		t.Errorf("with %v the result = %s, want %s", options, got, want)
	}
}

// With ssl a connection is encrypted, and the certificate names the host, whoever has signed it (operators 7.1, quirk 29). The proof of the
// password is bound to it where that is defined for its kind.
func TestTLS(t *testing.T) {
	t.Parallel()
	private, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	_, simple, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	for name, key := range map[string]crypto.Signer{"ECDSA": ecdsaKey(t), "RSA": private, "Ed25519": simple} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := encrypted(t, certify(t, key, nil, loopback), "")
			for _, ssl := range []bool{true, false} {
				wantEncrypted(t, true, p, "ssl", ssl)
			}
		})
	}
}

// The certificate of another host is refused with ssl, and only then.
func TestTLSOtherHost(t *testing.T) {
	t.Parallel()
	p := encrypted(t, certify(t, ecdsaKey(t), []string{"localhost", "db.example.com"}, net.IPv4(127, 0, 0, 2)), "")
	want := "Failed to connect to the database [The hostname 127.0.0.1 could not be verified by hostnameverifier PgjdbcHostnameVerifier.]"
	if got := mustFail(t, p.task(t, "SELECT 1", "ssl", true)); got != want {
		t.Errorf("the error = %s, want %s", got, want)
	}
	wantEncrypted(t, true, p, "ssl", true, "host", "localhost")
	wantEncrypted(t, true, p)
}

// A server may offer encryption and refuse who comes with it. Without ssl the task comes without it then.
func TestTLSRefused(t *testing.T) {
	t.Parallel()
	p := encrypted(t, certify(t, ecdsaKey(t), nil, loopback), "hostssl all guest 127.0.0.1/32 reject\n")
	wantEncrypted(t, false, p)
	want := `Failed to connect to the database [FATAL: pg_hba.conf rejects connection for host "127.0.0.1", user "guest", database "postgres", SSL encryption]`
	if got := mustFail(t, p.task(t, "SELECT 1", "ssl", true)); got != want {
		t.Errorf("with ssl the error = %s, want %s", got, want)
	}
}

// A query in an encrypted connection is cancelled, too.
func TestTLSKill(t *testing.T) {
	t.Parallel()
	p := encrypted(t, certify(t, ecdsaKey(t), nil, loopback), "")
	f := p.task(t, "SELECT pg_sleep(600)", "ssl", true, "strict_transaction", false)
	f.State = param.Of("queryId", "00000000-0000-0000-0000-000000000001")
	killKilled(t, p, f, "SELECT count(*) FROM pg_stat_activity JOIN pg_stat_ssl USING (pid) WHERE ssl AND state = 'active' AND query LIKE 'SELECT pg_sleep(600)%'")
}

// Somebody in between, whose certificate is as good as the server's, cannot use the proof of the password.
func TestTLSManInTheMiddle(t *testing.T) {
	t.Parallel()
	p := encrypted(t, certify(t, ecdsaKey(t), nil, loopback), "")
	between := certify(t, ecdsaKey(t), nil, loopback)
	pair, err := tls.X509KeyPair([]byte(between.certificate), []byte(between.key))
	if err != nil {
		t.Fatal(err)
	}
	r := newRelay(t, p)
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = listener.Close() })
	go func() {
		for {
			client, err := listener.Accept()
			if err != nil {
				return
			}
			go intercept(client, r.server, &tls.Config{Certificates: []tls.Certificate{pair}, MinVersion: tls.VersionTLS12})
		}
	}()
	want := "Failed to connect to the database [FATAL: SCRAM channel binding check failed]"
	if got := mustFail(t, p.task(t, "SELECT 1", "ssl", true, "port", listener.Addr().(*net.TCPAddr).Port)); got != want {
		t.Errorf("the error = %s, want %s", got, want)
	}
}

// intercept ends the encryption of a client, and passes on what it says in an encrypted connection of its own.
func intercept(plain net.Conn, address string, own *tls.Config) {
	defer func() { _ = plain.Close() }()
	request := make([]byte, 8)
	if _, err := io.ReadFull(plain, request); err != nil {
		return
	}
	raw, err := net.Dial("tcp", address)
	if err != nil {
		return
	}
	defer func() { _ = raw.Close() }()
	if _, err := raw.Write(request); err != nil {
		return
	}
	answer := make([]byte, 1)
	if _, err := io.ReadFull(raw, answer); err != nil {
		return
	}
	if _, err := plain.Write(answer); err != nil {
		return
	}
	client, server := tls.Server(plain, own), tls.Client(raw, &tls.Config{InsecureSkipVerify: true, MinVersion: tls.VersionTLS12}) //nolint:gosec // a villain
	go func() {
		_, _ = io.Copy(server, client)
		_ = server.Close()
	}()
	_, _ = io.Copy(client, server)
}
