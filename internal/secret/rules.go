package secret

import (
	"fmt"
	"regexp"

	"github.com/trowel-project/trowel"
)

// Limits of secrets that users set (server 1.10.19).
const (
	MaxKeyBytes   = 255
	MaxValueBytes = 16 * 1024
)

// invalidSecret is Digdag's text about a key or value that may not be stored (server 2.6.3).
const invalidSecret = "Invalid secret"

// keyForm is the form of a key: segments with dots between them. It allows no path separator, so a
// key is safe as the name of a file.
var keyForm = regexp.MustCompile(`^[a-zA-Z]([a-zA-Z0-9_-]*[a-zA-Z0-9])?(\.[a-zA-Z]([a-zA-Z0-9_-]*[a-zA-Z0-9])?)*$`)

// ValidKey reports whether a key may be stored (server 1.10.19). CheckKey, for look-ups, is less strict.
func ValidKey(key string) bool { return len(key) <= MaxKeyBytes && keyForm.MatchString(key) }

// ValidValue reports whether a value may be stored (server 1.10.19). It may be empty.
func ValidValue(value string) bool { return len(value) <= MaxValueBytes }

// KeyHint says what a key that may be stored looks like.
const KeyHint = "a key is made of letters, digits, _ and -, in parts that a dot separates, each beginning with a letter: pg.password"

// ValueHint says why a value may not be stored.
func ValueHint(value string) string {
	return fmt.Sprintf("a value has at most %d bytes, this one has %d", MaxValueBytes, len(value))
}

// CheckStored refuses a key or a value that may not be stored, with Digdag's text and kind invalid
// (server 2.6.3). The hint says which of them it is.
func CheckStored(key, value string) error {
	if !ValidKey(key) {
		return &trowel.Error{
			Kind: trowel.ErrInvalid, Message: invalidSecret,
			Hint: KeyHint,
		}
	}
	if !ValidValue(value) {
		return &trowel.Error{
			Kind: trowel.ErrInvalid, Message: invalidSecret,
			Hint: ValueHint(value),
		}
	}
	return nil
}
