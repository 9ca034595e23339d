package template_test

import (
	"strings"
	"testing"

	"github.com/trowel-project/trowel/internal/param"
	"github.com/trowel-project/trowel/internal/template"
)

// Classes, escapes and flags of Java's regular expressions mean what Java 17 makes of them (language T20): matches become stars.
func TestJavaClasses(t *testing.T) {
	t.Parallel()
	e := template.New(template.Options{})
	stars := func(text, pattern string) (string, error) {
		return e.Text(t.Context(), "${text.replaceAll(pattern, '*')}", param.Of("text", text, "pattern", pattern), nil)
	}
	const ascii, letters = "aB1 _\t.é\u0001~Z", "aÉ5Ⅷ٣ \u00a0!\u0007ª"
	for _, c := range []struct{ text, pattern, want string }{
		{ascii, `\p{Lower}`, "*B1 _\t.é\u0001~Z"},
		{ascii, `\p{Upper}`, "a*1 _\t.é\u0001~*"},
		{ascii, `\p{Alpha}`, "**1 _\t.é\u0001~*"},
		{ascii, `\p{Digit}`, "aB* _\t.é\u0001~Z"},
		{ascii, `\p{Alnum}`, "*** _\t.é\u0001~*"},
		{ascii, `\p{Punct}`, "aB1 *\t*é\u0001*Z"},
		{ascii, `\p{Graph}`, "*** *\t*é\u0001**"},
		{ascii, `\p{Print}`, "*****\t*é\u0001**"},
		{ascii, `\p{Blank}`, "aB1*_*.é\u0001~Z"},
		{ascii, `\p{Cntrl}`, "aB1 _*.é*~Z"},
		{ascii, `\p{XDigit}`, "*** _\t.é\u0001~Z"},
		{ascii, `\p{Space}`, "aB1*_*.é\u0001~Z"},
		{ascii, `\p{ASCII}`, "*******é***"},
		{ascii, `\P{ASCII}`, "aB1 _\t.*\u0001~Z"},
		{letters, `\p{IsAlphabetic}`, "**5*٣ \u00a0!\u0007*"},
		{letters, `\p{IsLetter}`, "**5Ⅷ٣ \u00a0!\u0007*"},
		{letters, `\p{IsDigit}`, "aÉ*Ⅷ* \u00a0!\u0007ª"},
		{letters, `\p{IsUppercase}`, "a*5*٣ \u00a0!\u0007ª"},
		{letters, `\p{IsLowercase}`, "*É5Ⅷ٣ \u00a0!\u0007*"},
		{letters, `\p{IsPunctuation}`, "aÉ5Ⅷ٣ \u00a0*\u0007ª"},
		{letters, `\p{IsWhite_Space}`, "aÉ5Ⅷ٣**!\u0007ª"},
		{letters, `\p{IsControl}`, "aÉ5Ⅷ٣ \u00a0!*ª"},
		{letters, `\p{javaLetterOrDigit}`, "***Ⅷ* \u00a0!\u0007*"},
		{letters, `\p{javaUpperCase}`, "a*5*٣ \u00a0!\u0007ª"},
		{letters, `\p{javaLowerCase}`, "*É5Ⅷ٣ \u00a0!\u0007*"},
		{letters, `\p{javaWhitespace}`, "aÉ5Ⅷ٣*\u00a0!\u0007ª"},
		{"\t\x1c\u2007\u202f\u2003\u2028\u0085", `\p{javaWhitespace}`, "**\u2007\u202f**\u0085"},
		{letters, `\pL`, "**5Ⅷ٣ \u00a0!\u0007*"},
		{letters, `\p{general_category=Lu}`, "a*5Ⅷ٣ \u00a0!\u0007ª"},
		{letters, `\p{script=Latin}`, "**5*٣ \u00a0!\u0007*"},
		{"a1\nB", `\x61|\u0031|\012|\cB`, "***B"},
		{"x\u0002y", `\cB`, "x*y"},
		{"😀a", `\x{1F600}`, "*a"},
		{"\f\a\x1b\t\r\nq", `[\f\a\e\t\r\n]`, "******q"},
		{"a.b*c", `[\Q.*\E]`, "a*b*c"},
		{"a b#c", `(?x)[ a b ]`, "* *#c"},
		{"aBc", `(?i-s:b)`, "a*c"},
		{"AbAb", `(?i)a(?-i)b`, "**"},
		{"a\nb", `(?s)a.b`, "*"},
		{"a.b", `(?x) a \. b # c`, "*"},
		{"aa", `(?U)a`, "**"},
		{"a-b]c", `[]a-]`, "**b*c"},
		{"é", `\é`, "*"},
	} {
		if got, err := stars(c.text, c.pattern); got != c.want || err != nil {
			t.Errorf("%q.replaceAll(%s) = %q, %v, want %q", c.text, c.pattern, got, err, c.want)
		}
	}
	for _, pattern := range []string{
		`[b-a]`, `\y`, `[a`, `a\`, `(?q)a`, `\p{Nope}`, `\p{L`, `(?i`, `\xZZ`, `\c`, `[a\`, `\u12`, `\x4`, `\x{41`, `\0`, `\x{110000}`,
	} {
		if _, err := stars("a", pattern); err == nil || !strings.Contains(err.Error(), "SyntaxError: Invalid regular expression: ") {
			t.Errorf("the pattern %s: error = %v, want a SyntaxError", pattern, err)
		}
	}
}
