package trowel

import (
	"fmt"
	"strings"
)

// maxPoolName is the length of the longest name of a pool.
const maxPoolName = 64

// CheckPoolName returns an error of kind invalid that says why a text cannot be the name of a pool:
// 1 to 64 ASCII letters, digits, and the signs "_", "-" and ".".
func CheckPoolName(name string) error {
	isForeign := func(r rune) bool { return !isPoolNameLetter(r) }
	switch {
	case name == "":
		return &Error{Kind: ErrInvalid, Message: "a pool needs a name"}
	case len(name) > maxPoolName:
		return &Error{Kind: ErrInvalid, Message: fmt.Sprintf("the name of a pool has at most %d letters, not %d", maxPoolName, len(name))}
	case strings.ContainsFunc(name, isForeign):
		return &Error{Kind: ErrInvalid, Message: fmt.Sprintf("the name of a pool has letters, digits, _, - and . alone, not as in %q", name)}
	}
	return nil
}

func isPoolNameLetter(r rune) bool {
	return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '_' || r == '-' || r == '.'
}
