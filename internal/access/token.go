package access

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
)

// tokenPrefix begins every token, so that people and scanners recognise a lost one.
const tokenPrefix = "trw_"

// tokenBytes is the number of random bytes in a token.
const tokenBytes = 32

// NewToken returns a random token, which is shown once, and its hash, which is stored.
func NewToken() (token string, hash []byte) {
	random := make([]byte, tokenBytes)
	rand.Read(random) // never fails
	token = tokenPrefix + base64.RawURLEncoding.EncodeToString(random)
	return token, Hash(token)
}

// Hash returns the SHA-256 of a token. As tokens are random, the hash needs no salt and need not be slow.
func Hash(token string) []byte {
	sum := sha256.Sum256([]byte(token))
	return sum[:]
}
