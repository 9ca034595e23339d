package secret

import (
	"context"
	"fmt"
	"log/slog"
	"strings"

	"github.com/trowel-project/trowel"
)

// Finder finds secrets. It is safe for concurrent use.
type Finder interface {
	// Find returns the secret of a dotted key, and whether there is one.
	Find(ctx context.Context, key string) (Value, bool, error)
}

// mask is what is shown in place of a secret.
const mask = "********"

// Value is the text of a secret. It masks itself when it is printed, logged or written as JSON.
// Only Reveal returns the text.
type Value struct{ text string }

// NewValue returns the Value of a text.
func NewValue(text string) Value { return Value{text: text} }

// Reveal returns the text.
func (v Value) Reveal() string { return v.text }

// String returns the mask.
func (Value) String() string { return mask }

// GoString returns the mask.
func (Value) GoString() string { return mask }

// LogValue returns the mask.
func (Value) LogValue() slog.Value { return slog.StringValue(mask) }

// MarshalText returns the mask, for JSON and other encodings.
func (Value) MarshalText() ([]byte, error) { return []byte(mask), nil }

// NotFoundError says that a required secret does not exist. Digdag calls this kind "secret not found".
type NotFoundError struct {
	Key string // as asked for, before _secrets renamed it
}

// Error returns Digdag's text (operators 1.6).
func (e *NotFoundError) Error() string {
	return trowel.MissingSecretText(e.Key)
}

// KeyError says that a text cannot be the key of a secret. Digdag calls this kind "illegal argument".
type KeyError struct{ Key string }

// Error returns Digdag's text (operators 1.6).
func (e *KeyError) Error() string { return fmt.Sprintf("Illegal key: '%s'", e.Key) }

// CheckKey returns a *KeyError unless a text may be looked up: keys are not empty, have no "*" and no empty
// segment (operators 1.6).
func CheckKey(key string) error {
	if strings.Contains(key, "*") {
		return &KeyError{Key: key}
	}
	for segment := range strings.SplitSeq(key, ".") {
		if segment == "" {
			return &KeyError{Key: key}
		}
	}
	return nil
}

// Require returns the secret of a key, which must exist. The error may be a *NotFoundError or a
// *KeyError.
func Require(ctx context.Context, finder Finder, key string) (Value, error) {
	if err := CheckKey(key); err != nil {
		return Value{}, err
	}
	value, found, err := finder.Find(ctx, key)
	if err != nil {
		return Value{}, err
	}
	if !found {
		return Value{}, &NotFoundError{Key: key}
	}
	return value, nil
}
