package access

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
)

// tokenPrefix is how every token begins, so that people and scanners recognise a lost one.
const tokenPrefix = "trw_"

// tokenBytes of a token are random.
const tokenBytes = 32

// NewToken returns a random token and the hash of it that is stored. The token is shown once.
func NewToken() (token string, hash []byte) {
	random := make([]byte, tokenBytes)
	rand.Read(random) // never fails
	token = tokenPrefix + base64.RawURLEncoding.EncodeToString(random)
	return token, Hash(token)
}

// Hash returns the SHA-256 of a token. As tokens are random, it needs no salt and no slowness.
func Hash(token string) []byte {
	sum := sha256.Sum256([]byte(token))
	return sum[:]
}
