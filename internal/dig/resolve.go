package dig

import (
	"strings"

	"github.com/trowel-project/trowel/internal/dig/yaml"
)

// Tags of YAML that have a meaning (language L19), and Digdag's own (language L24).
const (
	tagBinary    = yaml.TagPrefix + "binary"
	tagBool      = yaml.TagPrefix + "bool"
	tagFloat     = yaml.TagPrefix + "float"
	tagInt       = yaml.TagPrefix + "int"
	tagMap       = yaml.TagPrefix + "map"
	tagMerge     = yaml.TagPrefix + "merge"
	tagNull      = yaml.TagPrefix + "null"
	tagOMap      = yaml.TagPrefix + "omap"
	tagPairs     = yaml.TagPrefix + "pairs"
	tagSeq       = yaml.TagPrefix + "seq"
	tagSet       = yaml.TagPrefix + "set"
	tagStr       = yaml.TagPrefix + "str"
	tagTimestamp = yaml.TagPrefix + "timestamp"
	tagYAML      = yaml.TagPrefix + "yaml"
	tagInclude   = "!include"
)

// tagOf returns the tag of a node: its own, or the one that its text resolves to.
func tagOf(n *yaml.Node) string {
	switch {
	case n.Tag != "":
		return n.Tag
	case n.Kind == yaml.Sequence:
		return tagSeq
	case n.Kind == yaml.Mapping:
		return tagMap
	case n.Plain:
		return resolve(n.Value)
	default:
		return tagStr
	}
}

// resolve returns the tag of a scalar without quotes (language L21).
func resolve(text string) string {
	if text == "" {
		return tagNull
	}
	switch c := text[0]; c {
	case 't', 'T', 'f', 'F':
		if text == "true" || text == "True" || text == "false" || text == "False" {
			return tagBool
		}
	case '~', 'n', 'N', ' ':
		if text == "~" || text == "null" || text == "Null" || text == "NULL" || text == " " {
			return tagNull
		}
	case '<':
		if text == "<<" {
			return tagMerge
		}
	case '!', '&', '*':
		if len(text) == 1 {
			return tagYAML
		}
	case '+', '-', '.', '0', '1', '2', '3', '4', '5', '6', '7', '8', '9':
		switch {
		case c != '.' && isInt(text):
			return tagInt
		case isFloat(text):
			return tagFloat
		}
	}
	return tagStr
}

const (
	digits    = "0123456789"
	digitsLow = digits + "_"
)

// skipAny removes characters of the set from the beginning and returns how many.
func skipAny(s, set string) (rest string, n int) {
	rest = strings.TrimLeft(s, set)
	return rest, len(s) - len(rest)
}

func unsigned(s string) string {
	if s != "" && (s[0] == '+' || s[0] == '-') {
		return s[1:]
	}
	return s
}

// isInt reports whether a text is an integer: binary, octal, decimal or hexadecimal, with
// underscores (language L21).
func isInt(text string) bool {
	s := unsigned(text)
	switch {
	case s == "":
		return false
	case s == "0":
		return true
	case strings.HasPrefix(s, "0b"):
		return consists(s[2:], "01_")
	case strings.HasPrefix(s, "0x"):
		return consists(s[2:], digitsLow+"abcdefABCDEF")
	case s[0] == '0':
		return consists(s[1:], "01234567_")
	default:
		return s[0] != '_' && consists(s, digitsLow)
	}
}

func consists(s, of string) bool {
	rest, n := skipAny(s, of)
	return rest == "" && n > 0
}

// isFloat reports whether a text is a number with a fraction or an exponent that does not begin with
// 0, an infinity, NaN, or a number of base 60 with a fraction (language L21).
func isFloat(text string) bool {
	s := unsigned(text)
	switch s {
	case ".inf", ".Inf", ".INF":
		return true
	case ".nan", ".NaN", ".NAN":
		return text == s
	case "":
		return false
	}
	return isDecimal(s) || isBase60(s)
}

func isDecimal(s string) bool {
	switch {
	case s[0] == '.':
		rest, n := skipAny(s[1:], digits)
		if n == 0 {
			return false
		}
		s = rest
	case '1' <= s[0] && s[0] <= '9':
		s, _ = skipAny(s, digitsLow)
		if strings.HasPrefix(s, ".") {
			s, _ = skipAny(s[1:], digitsLow)
		}
	default:
		return false
	}
	if s == "" {
		return true
	}
	return (s[0] == 'e' || s[0] == 'E') && consists(unsigned(s[1:]), digits)
}

func isBase60(s string) bool {
	whole, fraction, found := strings.Cut(s, ".")
	if !found || fraction != "" && !consists(fraction, digitsLow) {
		return false
	}
	first, rest, found := strings.Cut(whole, ":")
	if !found || first == "" || first[0] == '_' || !consists(first, digitsLow) {
		return false
	}
	for part := range strings.SplitSeq(rest, ":") {
		ok := len(part) == 1 || len(part) == 2 && part[0] <= '5'
		if !ok || !consists(part, digits) {
			return false
		}
	}
	return true
}
