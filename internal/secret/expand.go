package secret

import (
	"context"
	"regexp"
	"strings"

	"github.com/trowel-project/trowel/internal/param"
)

// parametrization matches a reference in a text: "${", a word, a colon, a key, "}", each
// as short as possible. It does not check word and key (language T30).
var parametrization = regexp.MustCompile(`(?s)\$\{(.*?):(.+?)\}`)

// Expand replaces each ${secret:KEY} in a text by that secret, as it is (language T29, T30). Any
// other ${word:key} is a *param.Error, which is found before a secret is looked up. A secret that does not
// exist is a *NotFoundError.
func Expand(ctx context.Context, finder Finder, text string) (string, error) {
	if !strings.Contains(text, "${") {
		return text, nil
	}
	found := parametrization.FindAllStringSubmatchIndex(text, -1)
	for _, at := range found {
		if trim(text[at[2]:at[3]]) != "secret" {
			return "", param.Errorf("Invalid parametrization: '%s'", text[at[0]:at[1]]) // language T30
		}
	}
	var out strings.Builder
	end := 0
	for _, at := range found {
		value, err := Require(ctx, finder, trim(text[at[4]:at[5]]))
		if err != nil {
			return "", err
		}
		out.WriteString(text[end:at[0]])
		out.WriteString(value.Reveal())
		end = at[1]
	}
	out.WriteString(text[end:])
	return out.String(), nil
}

// trim removes what Java's String.trim removes: all characters up to the space.
func trim(s string) string {
	return strings.TrimFunc(s, func(r rune) bool { return r <= ' ' })
}
