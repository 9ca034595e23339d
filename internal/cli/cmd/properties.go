package cmd

import (
	"regexp"
	"strconv"
	"strings"
	"unicode/utf16"

	"github.com/magiconair/properties"
)

// parseLatin1Properties reads the text of a properties file: ISO-8859-1 with \uXXXX (server 1.5).
func parseLatin1Properties(data []byte) (map[string]string, error) {
	runes := make([]rune, len(data))
	for i, b := range data {
		runes[i] = rune(b)
	}
	return parseProperties(string(runes))
}

// parseProperties reads Java's properties syntax. It handles two things that the library does not:
// lines continued after a carriage return and line feed, and pairs of \uXXXX for
// characters beyond U+FFFF.
func parseProperties(text string) (map[string]string, error) {
	text = strings.NewReplacer("\r\n", "\n", "\r", "\n").Replace(text)
	text = surrogates.ReplaceAllStringFunc(text, joinSurrogates)
	loader := properties.Loader{Encoding: properties.UTF8, DisableExpansion: true}
	p, err := loader.LoadBytes([]byte(text))
	if err != nil {
		return nil, err
	}
	return p.Map(), nil
}

// surrogates matches the two escapes that make one character, and the backslashes before them.
var surrogates = regexp.MustCompile(`\\+u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}`)

// joinSurrogates replaces the two escapes with their character, unless the backslash of the first
// one is itself escaped.
func joinSurrogates(match string) string {
	const escape = len(`\uXXXX`)
	before := match[:len(match)-2*escape]
	if len(before)%2 != 0 {
		return match
	}
	high, errHigh := strconv.ParseUint(match[len(before)+2:len(before)+escape], 16, 32)
	low, errLow := strconv.ParseUint(match[len(match)-4:], 16, 32)
	if errHigh != nil || errLow != nil {
		return match // not possible: the expression matches hexadecimal digits only
	}
	return before + string(utf16.DecodeRune(rune(high), rune(low)))
}
