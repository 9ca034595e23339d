package sqldb

import (
	"bytes"
	"crypto/hmac"
	"crypto/pbkdf2"
	"crypto/rand"
	"crypto/sha256"
	"crypto/sha512"
	"crypto/tls"
	"crypto/x509"
	"encoding/base64"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Mechanisms of SCRAM (RFC 5802, RFC 7677). The second one binds the proof to the certificate of the connection.
const (
	scramPlain = "SCRAM-SHA-256"
	scramBound = "SCRAM-SHA-256-PLUS"
)

const (
	scramNonceBytes = 18
	// scramMaxRounds bounds how long a server can make us calculate: half a second.
	scramMaxRounds = 1_000_000
)

var (
	errScramAnswer = errors.New("the server's answer in the SCRAM exchange cannot be read")
	errScramServer = errors.New("the server does not know the password")
)

// scramKeys are what the rounds of SCRAM make of a password, a salt and a number of rounds.
type scramKeys struct{ client, server [sha256.Size]byte }

// deriveScramKeys calculates the keys, which takes the time of the rounds.
func deriveScramKeys(password string, salt []byte, rounds int) (keys scramKeys, err error) {
	salted, err := pbkdf2.Key(sha256.New, password, salt, rounds, sha256.Size)
	if err != nil {
		return keys, err
	}
	copy(keys.client[:], scramHMAC(salted, "Client Key"))
	copy(keys.server[:], scramHMAC(salted, "Server Key"))
	return keys, nil
}

func scramHMAC(key []byte, text string) []byte {
	mac := hmac.New(sha256.New, key)
	mac.Write([]byte(text))
	return mac.Sum(nil)
}

// scramExchange proves to a server that we know a password, and has the server prove it, too.
type scramExchange struct {
	mechanism string
	header    string // says whether the proof is bound to the connection
	binding   []byte // the hash of the certificate, with scramBound
	nonce     string
	transcript
}

// transcript is what both sides have said, which they sign.
type transcript struct{ first, challenge, last string }

func (t *transcript) text() string { return t.first + "," + t.challenge + "," + t.last }

// newScramExchange chooses the strongest of the mechanisms that the server offers. state is that of an encrypted connection, or nil.
func newScramExchange(offered []string, state *tls.ConnectionState) (*scramExchange, error) {
	if !slices.Contains(offered, scramPlain) && !slices.Contains(offered, scramBound) {
		return nil, fmt.Errorf("the server offers no way to sign in that is known here: %s", strings.Join(offered, ", "))
	}
	random := make([]byte, scramNonceBytes)
	rand.Read(random) // never fails
	e := &scramExchange{mechanism: scramPlain, header: "n,,", nonce: base64.RawStdEncoding.EncodeToString(random)}
	switch binding := certificateHash(state); {
	case slices.Contains(offered, scramBound) && binding != nil:
		e.mechanism, e.header, e.binding = scramBound, "p=tls-server-end-point,,", binding
	case state != nil && !slices.Contains(offered, scramBound):
		e.header = "y,," // a server that had offered it knows then that somebody stands in between
	}
	e.first = "n=,r=" + e.nonce
	return e, nil
}

// certificateHash returns what a proof is bound to (RFC 5929, tls-server-end-point). It is nil without encryption, and for certificates for
// which that is not defined.
func certificateHash(state *tls.ConnectionState) []byte {
	if state == nil || len(state.PeerCertificates) == 0 {
		return nil
	}
	certificate := state.PeerCertificates[0]
	switch certificate.SignatureAlgorithm { //nolint:exhaustive // see default
	case x509.MD5WithRSA, x509.SHA1WithRSA, x509.ECDSAWithSHA1, x509.SHA256WithRSA, x509.SHA256WithRSAPSS, x509.ECDSAWithSHA256:
		sum := sha256.Sum256(certificate.Raw)
		return sum[:]
	case x509.SHA384WithRSA, x509.SHA384WithRSAPSS, x509.ECDSAWithSHA384:
		sum := sha512.Sum384(certificate.Raw)
		return sum[:]
	case x509.SHA512WithRSA, x509.SHA512WithRSAPSS, x509.ECDSAWithSHA512:
		sum := sha512.Sum512(certificate.Raw)
		return sum[:]
	default: // not defined for others
		return nil
	}
}

// begin returns the first message.
func (e *scramExchange) begin() []byte { return []byte(e.header + e.first) }

// challenged reads the answer to the first message: how the keys are made of the password.
func (e *scramExchange) challenged(answer []byte) (salt []byte, rounds int, err error) {
	e.challenge = string(answer)
	fields := strings.Split(e.challenge, ",")
	if len(fields) < 3 {
		return nil, 0, errScramAnswer
	}
	nonce, hasNonce := strings.CutPrefix(fields[0], "r=")
	saltText, hasSalt := strings.CutPrefix(fields[1], "s=")
	roundsText, hasRounds := strings.CutPrefix(fields[2], "i=")
	if !hasNonce || !hasSalt || !hasRounds || len(nonce) <= len(e.nonce) || !strings.HasPrefix(nonce, e.nonce) {
		return nil, 0, errScramAnswer
	}
	if salt, err = base64.StdEncoding.DecodeString(saltText); err != nil || len(salt) == 0 {
		return nil, 0, errScramAnswer
	}
	if rounds, err = strconv.Atoi(roundsText); err != nil || rounds < 1 {
		return nil, 0, errScramAnswer
	}
	if rounds > scramMaxRounds {
		return nil, 0, fmt.Errorf("the server wants %d rounds of SCRAM, which is more than %d", rounds, scramMaxRounds)
	}
	e.nonce = nonce
	return salt, rounds, nil
}

// prove returns the last message, with the proof that we have the keys.
func (e *scramExchange) prove(keys scramKeys) []byte {
	e.last = "c=" + base64.StdEncoding.EncodeToString(append([]byte(e.header), e.binding...)) + ",r=" + e.nonce
	stored := sha256.Sum256(keys.client[:])
	proof := scramHMAC(stored[:], e.text())
	for i := range proof {
		proof[i] ^= keys.client[i]
	}
	return []byte(e.last + ",p=" + base64.StdEncoding.EncodeToString(proof))
}

// verify checks the proof of the server.
func (e *scramExchange) verify(keys scramKeys, answer []byte) error {
	text, found := bytes.CutPrefix(answer, []byte("v="))
	if !found {
		return errScramAnswer
	}
	signature, err := base64.StdEncoding.DecodeString(string(text))
	if err != nil {
		return errScramAnswer
	}
	if !hmac.Equal(signature, scramHMAC(keys.server[:], e.text())) {
		return errScramServer
	}
	return nil
}
