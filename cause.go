package trowel

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"strconv"
	"strings"
)

// Cause names what failures have in common: a hash of their operator, kind and message, in which numbers, ids, times, quoted
// texts and temporary paths are blank.
type Cause int64

// String returns 16 hexadecimal digits.
func (c Cause) String() string { return fmt.Sprintf("%016x", uint64(c)) } //nolint:gosec // the same bits

// ParseCause reads what String returns.
func ParseCause(text string) (Cause, error) {
	n, err := strconv.ParseUint(text, 16, 64)
	if err != nil || len(text) != 16 {
		return 0, fmt.Errorf("%w: %q is no cause", ErrInvalid, text)
	}
	return Cause(n), nil //nolint:gosec // the same bits
}

// CauseOf returns the cause of a failure, and the kind that its message ends with, as in "Command failed with code 1 (runtime)".
func CauseOf(operator, message string) (cause Cause, kind string) {
	if begin := strings.LastIndex(message, " ("); begin >= 0 && strings.HasSuffix(message, ")") {
		if word := message[begin+2 : len(message)-1]; isKind(word) {
			message, kind = message[:begin], word
		}
	}
	hash := sha256.Sum256([]byte(operator + "\x00" + kind + "\x00" + BlankMessage(message)))
	return Cause(binary.BigEndian.Uint64(hash[:])), kind //nolint:gosec // the same bits
}

// isKind reports whether a text in parentheses may be the kind of an error: a few plain words.
func isKind(text string) bool {
	if text == "" || len(text) > 60 {
		return false
	}
	return !strings.ContainsFunc(text, func(r rune) bool {
		return (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && r != ' ' && r != '_' && r != '-' && r != '.'
	})
}

// blanked is how much of a message is compared.
const blanked = 1000

// BlankMessage returns the part of a message that does not differ between failures of the same cause.
func BlankMessage(message string) string {
	message = message[:min(len(message), blanked)]
	var out strings.Builder
	for at := 0; at < len(message); {
		c := message[at]
		switch {
		case isQuote(message, at):
			end := at + 1 + strings.IndexByte(message[at+1:], c)
			out.WriteString(`""`)
			at = end + 1
		case isWordByte(c):
			end := at
			for end < len(message) && isWordByte(message[end]) {
				end++
			}
			blankWord(&out, message[at:end])
			at = end
		case isSpace(c):
			for at < len(message) && isSpace(message[at]) {
				at++
			}
			out.WriteByte(' ')
		default:
			out.WriteByte(c)
			at++
		}
	}
	return strings.TrimSpace(out.String())
}

// isQuote reports whether a quoted text begins at a place: it ends in the same line, and an apostrophe in a word begins none.
func isQuote(text string, at int) bool {
	c := text[at]
	if c != '"' && c != '\'' && c != '`' || at > 0 && isWordByte(text[at-1]) {
		return false
	}
	end := strings.IndexByte(text[at+1:], c)
	line := strings.IndexByte(text[at+1:], '\n')
	return end >= 0 && (line < 0 || end < line)
}

func isSpace(c byte) bool { return c == ' ' || c == '\t' || c == '\n' || c == '\r' }

// isWordByte reports whether a byte belongs to words, paths, numbers and times.
func isWordByte(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c >= 0x80 || strings.IndexByte("_./:-+~@%", c) >= 0
}

// blankWord writes a word without what differs: of a temporary path nothing, of others no ids and numbers.
func blankWord(out *strings.Builder, word string) {
	for _, folder := range []string{"/tmp/", "/var/folders/", ".digdag/tmp", "/workspaces/"} {
		if strings.Contains(word, folder) {
			out.WriteString("/tmp")
			return
		}
	}
	for at := 0; at < len(word); {
		if strings.HasPrefix(word[at:], "0x") {
			out.WriteByte('#')
			for at += 2; at < len(word) && isHex(word[at]); {
				at++
			}
			continue
		}
		end := at
		for end < len(word) && isHex(word[end]) {
			end++
		}
		run := word[at:end]
		whole := (at == 0 || !isLetter(word[at-1])) && (end == len(word) || !isLetter(word[end]))
		digits := strings.ContainsAny(run, "0123456789")
		switch {
		case end == at:
			out.WriteByte(word[at])
			at++
		case digits && whole && len(run) >= 8, digits && whole && at > 0 && word[at-1] == '-':
			out.WriteByte('#')
			at = end
		default:
			blankDigits(out, run)
			at = end
		}
	}
}

// blankDigits writes a text in which each run of digits is one #.
func blankDigits(out *strings.Builder, text string) {
	for i := range len(text) {
		isDigit := text[i] >= '0' && text[i] <= '9'
		if !isDigit {
			out.WriteByte(text[i])
		} else if i == 0 || text[i-1] < '0' || text[i-1] > '9' {
			out.WriteByte('#')
		}
	}
}

func isHex(c byte) bool { return c >= '0' && c <= '9' || c >= 'a' && c <= 'f' || c >= 'A' && c <= 'F' }

func isLetter(c byte) bool { return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c == '_' }
