package aws

import (
	"crypto/rand"
	"encoding/base32"
)

// newTag returns 8 random bytes in base32, which mark what a task has made (operators 9.2).
func newTag() string {
	var data [8]byte
	_, _ = rand.Read(data[:]) // never fails
	return base32.StdEncoding.WithPadding(base32.NoPadding).EncodeToString(data[:])
}

// tagged returns a name with the tag.
func tagged(name, tag string) string { return name + " (" + tag + ")" }
