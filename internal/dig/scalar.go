package dig

import (
	"encoding/base64"
	"fmt"
	"math"
	"math/big"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf16"

	"github.com/trowel-project/trowel/internal/param"
)

// Texts of Java's number classes (language L19).
const (
	numberText   = `For input string: "%s"`
	numberEmpty  = "empty String"
	numberPoints = "multiple points"
	numberSign   = "Illegal embedded sign character"
	numberZero   = "Zero length BigInteger"
	noFirst      = "String index out of range: 0"
	kindNoFirst  = "string index out of bounds"
)

func numberError(format string, args ...any) *Error {
	return &Error{Kind: KindNumber, Message: fmt.Sprintf(format, args...)}
}

// intOf reads the text of an integer as Digdag's YAML reader does, with or without a tag.
func intOf(text string) (param.Value, *Error) {
	if n, err := strconv.ParseInt(text, 10, 64); err == nil && text[0] >= '1' {
		return n, nil
	}
	s := strings.ReplaceAll(text, "_", "")
	if s == "" {
		return nil, &Error{Kind: kindNoFirst, Message: noFirst}
	}
	negative := s[0] == '-'
	if negative || s[0] == '+' {
		s = s[1:]
	}
	base := 10
	switch {
	case s == "0":
		return int64(0), nil
	case strings.HasPrefix(s, "0b"):
		s, base = s[2:], 2
	case strings.HasPrefix(s, "0x"):
		s, base = s[2:], 16
	case strings.HasPrefix(s, "0"):
		s, base = s[1:], 8
	case strings.Contains(s, ":"):
		return base60Int(s, negative)
	}
	return wholeNumber(s, base, negative)
}

// base60Int reads an integer of base 60, such as 1:30, in 32 bits. Only a tag makes a text such an integer.
func base60Int(s string, negative bool) (param.Value, *Error) {
	parts := splitColons(s)
	var sum, unit int32 = 0, 1
	for _, part := range slices.Backward(parts) {
		n, err := strconv.ParseInt(part, 10, 64)
		if err != nil {
			return nil, numberError(numberText, part)
		}
		sum += int32(n) * unit //nolint:gosec // Digdag's numbers overflow
		unit *= 60
	}
	return wholeNumber(strconv.FormatInt(int64(sum), 10), 10, negative)
}

// splitColons splits at colons as Java does: without empty parts at the end.
func splitColons(s string) []string {
	parts := strings.Split(s, ":")
	for len(parts) > 0 && parts[len(parts)-1] == "" {
		parts = parts[:len(parts)-1]
	}
	return parts
}

func wholeNumber(s string, base int, negative bool) (param.Value, *Error) {
	signed := s
	if negative {
		signed = "-" + s
	}
	if n, err := strconv.ParseInt(signed, base, 64); err == nil {
		return n, nil
	}
	if len(s) > param.MaxDigits {
		return nil, numberError("a number with more than %d digits", param.MaxDigits)
	}
	n, ok := new(big.Int).SetString(signed, base)
	if !ok || strings.LastIndexAny(signed, "+-") > 0 {
		return nil, wholeNumberError(signed, base)
	}
	return param.Int(n), nil
}

// wholeNumberError returns what Java's BigInteger says about a text that is not a number.
func wholeNumberError(s string, base int) *Error {
	if strings.LastIndexAny(s, "+-") > 0 {
		return numberError(numberSign)
	}
	s = unsigned(s)
	if s == "" {
		return numberError(numberZero)
	}
	rest := utf16.Encode([]rune(strings.TrimLeft(s, "0")))
	size := map[int]int{2: 30, 8: 10, 10: 9, 16: 7}[base] // digits that Java reads at a time
	for group := len(rest) % size; len(rest) > 0; group = size {
		digits := string(utf16.Decode(rest[:group]))
		if _, err := strconv.ParseInt(digits, base, 64); group > 0 && err != nil {
			suffix := ""
			if base != 10 {
				suffix = fmt.Sprintf(" under radix %d", base)
			}
			return numberError(numberText+"%s", digits, suffix)
		}
		rest = rest[group:]
	}
	return numberError(numberText, s)
}

// floatOf reads the text of a double as Digdag's YAML reader does, with or without a tag.
func floatOf(text string) (param.Value, *Error) {
	s := strings.ReplaceAll(text, "_", "")
	if s == "" {
		return nil, &Error{Kind: kindNoFirst, Message: noFirst}
	}
	sign := 1.0
	if s[0] == '-' {
		sign = -1
	}
	s = unsigned(s)
	switch strings.ToLower(s) {
	case ".inf":
		return floatValue(math.Inf(int(sign))), nil
	case ".nan":
		return floatValue(math.NaN()), nil
	}
	if !strings.Contains(s, ":") {
		f, err := javaDouble(s)
		return floatValue(f * sign), err
	}
	parts := splitColons(s)
	sum, unit := 0.0, int32(1)
	for _, part := range slices.Backward(parts) {
		f, err := javaDouble(part)
		if err != nil {
			return nil, err
		}
		sum += f * float64(unit)
		unit *= 60
	}
	return floatValue(sum * sign), nil
}

// floatValue returns a double as it is after a conversion to JSON, which has no infinities.
func floatValue(f float64) param.Value {
	if math.IsNaN(f) || math.IsInf(f, 0) {
		return param.FloatText(f)
	}
	return f
}

// javaDouble reads a double as Java's Double.valueOf does, except hexadecimal ones.
func javaDouble(text string) (float64, *Error) {
	s := strings.TrimFunc(text, func(r rune) bool { return r <= ' ' })
	if s == "" {
		return 0, numberError(numberEmpty)
	}
	switch unsigned(s) {
	case "NaN":
		return math.NaN(), nil
	case "Infinity":
		return math.Inf(1 - 2*strings.Count(s[:1], "-")), nil
	}
	if rest, n := skipAny(unsigned(s), digits+"."); strings.Count(s[:len(s)-len(rest)], ".") > 1 && n > 0 {
		return 0, numberError(numberPoints)
	}
	number := strings.TrimRight(s, "dDfF")
	if len(s)-len(number) > 1 || strings.Trim(number, "+-.eE"+digits) != "" {
		return 0, numberError(numberText, s)
	}
	f, err := strconv.ParseFloat(number, 64)
	if err != nil && !math.IsInf(f, 0) {
		return 0, numberError(numberText, s)
	}
	return f, nil
}

// boolOf reads the text of a boolean with a tag. Other texts are null (language L19).
func boolOf(text string) param.Value {
	switch strings.ToLower(text) {
	case "yes", "true", "on":
		return true
	case "no", "false", "off":
		return false
	default:
		return nil
	}
}

// binaryOf reads base64 text and returns it in its JSON form (language L19).
func binaryOf(text string) (param.Value, *Error) {
	s := strings.Map(func(r rune) rune {
		if strings.ContainsRune(" \t\n\v\f\r", r) {
			return -1
		}
		return r
	}, text)
	if units(s)%4 != 0 {
		return nil, &Error{
			Kind:    KindIllegalArgument,
			Message: "Length of Base64 encoded input string is not a multiple of 4.",
		}
	}
	octets, err := base64.StdEncoding.DecodeString(s)
	if err != nil {
		return nil, &Error{Kind: KindIllegalArgument, Message: "Illegal character in Base64 encoded data."}
	}
	return base64.StdEncoding.EncodeToString(octets), nil
}

var timestampText = regexp.MustCompile(
	`^(\d{4})-(\d\d?)-(\d\d?)(?:(?:[Tt]|[ \t]+)(\d\d?):(\d\d):(\d\d)(\.\d*)?(?:[ \t]*(?:Z|([-+]\d\d?)(?::(\d\d)?)?))?)?$`)

// timestampOf reads a date or an instant with a tag. Parts beyond their range carry over.
func timestampOf(text string) (time.Time, *Error) {
	m := timestampText.FindStringSubmatch(text)
	if m == nil {
		return time.Time{}, &Error{Kind: KindYAML, Message: "Unexpected timestamp: " + text}
	}
	part := func(i int) int {
		n, _ := strconv.Atoi(m[i])
		return n
	}
	fraction, _ := strconv.ParseFloat("0"+m[7], 64)
	offset := 0
	if hours := part(8); m[8] != "" && hours > -24 && hours < 24 && part(9) < 60 {
		offset = hours*3600 + part(9)*60
		if m[8][0] == '-' {
			offset = hours*3600 - part(9)*60
		}
	}
	millis := int(math.Round(fraction * 1000))
	local := time.Date(part(1), time.Month(part(2)), part(3), part(4), part(5), part(6), 0, time.UTC)
	return local.Add(time.Duration(millis)*time.Millisecond - time.Duration(offset)*time.Second), nil
}
