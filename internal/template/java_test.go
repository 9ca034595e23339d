package template_test

import (
	"testing"

	"github.com/trowel-project/trowel/internal/param"
	"github.com/trowel-project/trowel/internal/template"
)

// expressionCase is an expression and its expected text.
type expressionCase struct{ expression, want string }

func checkExpressions(t *testing.T, params *param.Map, cases []expressionCase) {
	t.Helper()
	texts := make([]textCase, len(cases))
	for i, c := range cases {
		texts[i] = textCase{text: "${" + c.expression + "}", want: c.want}
	}
	checkTexts(t, params, nil, template.Options{}, texts)
}

// TestJavaMethods checks the methods of texts (language T20).
func TestJavaMethods(t *testing.T) {
	t.Parallel()
	checkExpressions(t, param.Of("s", "Hello, World", "blank", " \t\n", "list", param.List{"a"}), []expressionCase{
		{"s.contains('World') + ',' + s.contains('world') + ',' + s.contains(5)", "true,false,false"},
		{"s.isEmpty() + ',' + ''.isEmpty() + ',' + blank.isBlank() + ',' + s.isBlank()", "false,true,true,false"},
		{"s.equals('Hello, World') + ',' + s.equalsIgnoreCase('HELLO, world') + ',' + 'ß'.equalsIgnoreCase('ss')", "true,true,false"},
		{"s.contentEquals(s) + ',' + s.intern()", "true,Hello, World"},
		{"s.compareTo('Hello') + ',' + 'a'.compareTo('c') + ',' + 'B'.compareToIgnoreCase('a')", "7,-2,1"},
		{"s.hashCode() + ',' + ''.hashCode() + ',' + 'é😀'.hashCode()", "-505841268,0,1996812"},
		{"'|' + '  x '.strip() + '|' + '  x '.stripLeading() + '|' + '  x '.stripTrailing() + '|'", "|x|x |  x|"},
		{"'ab'.repeat(3) + ',' + s.startsWith('Hell') + ',' + s.endsWith('d') + ',' + s.startsWith('World', 7)", "ababab,true,true,true"},
		{"s.codePointAt(1) + ',' + 'é😀'.codePointBefore(3) + ',' + 'é😀x'.codePointCount(0, 4)", "101,128512,3"},
		{"s.subSequence(1, 4) + ',' + s.regionMatches(7, 'World', 0, 5) + ',' + s.regionMatches(true, 7, 'WORLD', 0, 5) + ',' + s.regionMatches(9, 'x', 0, 9)", "ell,true,true,false"},
		{"s.length() + ',' + s.length + ',' + ''.length() + ',' + new String('abc').length()", "12,12,0,3"},
		{"'%s-%05d'.formatted('a', 42)", "a-00042"},
		// Where JavaScript has a method of the name, that one stays.
		{"'a.b.a'.replace('a', 'x') + ',' + 'a.b'.split('.') + ',' + ' x '.trim() + ',' + 'a'.concat('b') + ',' + 'abc'.substring(2, 1)", "x.b.a,a,b,x,ab,b"},
		{"(function() { var o = {length: function() { return 'own' }}; return o.length() })()", "own"},
	})
	checkTexts(t, param.Of("s", "text"), nil, template.Options{}, []textCase{
		{text: "${s.subSequence(3, 9)}", err: "RangeError: begin 3, end 9, length 4"},
		{text: "${s.codePointBefore(0)}", err: "RangeError: index 0, length 4"},
		{text: "${(5).isEmpty()}", err: "TypeError: (intermediate value).isEmpty is not a function"}, // numbers have none
	})
}

// TestJavaPatterns checks regular expressions of Java (language T20).
func TestJavaPatterns(t *testing.T) {
	t.Parallel()
	checkExpressions(t, param.Of("lines", "one\ntwo\r\nthree"), []expressionCase{
		{"'aaa'.replaceAll('a', 'A')", "AAA"},
		{"'a1b2'.replaceAll('([a-z])([0-9])', '$2$1')", "1a2b"},
		{"'a.b.c'.replaceAll('[.]', '-') + 'a.b.c'.replaceFirst('\\\\.', '')", "a-b-cab.c"},
		{"'2024-01-15'.replaceAll('(?<y>\\\\d+)-(?<m>\\\\d+)', '${'+'m}/$1')", "01/2024-15"},
		{"'x'.replaceAll('x', '\\\\$1\\\\\\\\')", `$1\`},
		{"'abc'.replaceAll('', '-')", "-a-b-c-"},
		{"'abc'.replaceAll('(b)', '$11')", "ab1c"},
		{"'aXbX'.replaceAll(/X/g, '$&$&')", "aXXbXX"},
		{"'aXbX'.replaceAll('X', function(m, at) { return at })", "a1b3"},
		{"['abc'.matches('[a-c]+'), 'abc'.matches('b'), 'abc'.matches('a|abc'), 'a\\n'.matches('a$')]", "[true,false,true,false]"},
		{"['aab'.matches('a*+b'), 'aaa'.matches('a*+a'), 'ab'.matches('(?>a|ab)'), 'aa'.matches('a{2}+')]", "[true,false,false,true]"},
		{"['x'.matches('\\\\d'), '٣'.matches('\\\\d'), '٣'.matches('\\\\p{IsDigit}'), 'é'.matches('\\\\w'), 'é'.matches('\\\\p{L}'), 'é'.matches('\\\\pL')]", "[false,false,true,false,true,true]"},
		{"['b'.matches('[a-z&&[^aeiou]]'), 'e'.matches('[a-z&&[^aeiou]]'), '5'.matches('[a[0-9]]'), 'q'.matches('[^a[0-9]]'), ']'.matches('[]a]')]", "[true,false,true,true,true]"},
		{"['.'.matches('\\\\Q.\\\\E'), 'a*b'.matches('a\\\\Q*\\\\Eb'), ')'.matches('[\\\\Q)]\\\\E]'), 'x y'.matches('(?x) x \\\\  y # note')]", "[true,true,true,true]"},
		{"['A'.matches('(?i)a'), 'A\\nb'.matches('(?s)A.b'), 'A\\nb'.matches('A.b'), 'Ab'.matches('(?i:a)b'), 'AB'.matches('(?i:a)b')]", "[true,true,false,true,false]"},
		{"['A'.matches('\\\\p{Lu}'), 'a'.matches('\\\\p{Upper}'), '!'.matches('\\\\p{Punct}'), 'é'.matches('\\\\p{Alpha}'), 'é'.matches('\\\\p{IsAlphabetic}'), 'я'.matches('\\\\p{IsCyrillic}'), 'a'.matches('\\\\P{javaUpperCase}')]", "[true,false,true,false,true,true,true]"},
		{"['\\t'.matches('\\\\t'), 'A'.matches('\\\\x41\\\\u0041?'), '😀'.matches('\\\\x{1F600}'), '\\u0007'.matches('\\\\a|\\\\07'), 'é'.matches('[^\\\\x00-\\\\x7f]')]", "[true,true,true,true,true]"},
		{"['a'.matches('\\\\D'), ' '.matches('\\\\h'), '\\n'.matches('\\\\v'), '_'.matches('\\\\W'), 'x'.matches('\\\\S'), 'x'.matches('[\\\\W\\\\d]')]", "[true,true,true,false,true,false]"},
		{"lines.replaceAll('\\\\R', '|') + lines.replaceAll('(?m)^t', 'T').length", "one|two|three14"},
		{"'aa'.matches('(a)\\\\1') + ',' + 'aa'.matches('(?<n>a)\\\\k<n>') + ',' + 'foobar'.replaceAll('(?<=foo)bar', 'X') + ',' + 'ab'.replaceAll('a(?=b)|a(?!b)', '')", "true,true,fooX,b"},
	})
	checkTexts(t, param.New(), nil, template.Options{}, []textCase{
		{text: "${'x'.replaceAll('(', '')}", err: "SyntaxError: Invalid regular expression: (: unclosed group"},
		{text: "${'x'.replaceAll('[', '')}", err: "SyntaxError: Invalid regular expression: [: unclosed class"},
		{text: "${'x'.replaceAll('*', '')}", err: "SyntaxError: Invalid regular expression: *: ..."},
		{text: `${'x'.replaceAll('\\j', '')}`, err: `SyntaxError: Invalid regular expression: \j: unknown escape \j`},
		{text: `${'x'.matches('\\p{Nope}')}`, err: `SyntaxError: Invalid regular expression: \p{Nope}: unknown property Nope`},
		{text: "${'x'.replaceAll('x', '$1')}", err: "RangeError: Illegal group reference"},
		{text: `${'x'.replaceAll('x', '\\')}`, err: "RangeError: character to be escaped is missing"},
		{text: "${'x'.replaceAll(/x/, '')}", err: "TypeError: replaceAll must be called with a global RegExp"},
	})
}

// TestJavaFormat checks String.format (language T20).
func TestJavaFormat(t *testing.T) {
	t.Parallel()
	format := func(arguments string) string { return "java.lang.String.format(" + arguments + ")" }
	checkExpressions(t, param.Of("n", 7, "nothing", nil), []expressionCase{
		{format("'%03d', n"), "007"},
		{format("'%d|%5d|%-5d|%05d|%+d|% d|%,d|%(d', 1, 2, 3, -4, 5, 6, -1234567, -8"), "1|    2|3    |-0004|+5| 6|-1,234,567|(8)"},
		{format("'%x %X %#x %o %#o %x %x', 255, 255, 255, 8, 8, -1, -3000000000"), "ff FF 0xff 10 010 ffffffff ffffffff4d2fa200"},
		{format("'%08x|%-6x|%6x', 255, 255, 255"), "000000ff|ff    |    ff"},
		{format("'%.2f %.0f %f %.1f %.1f %10.2f|%-8.1f|%08.2f', 1.005, 2.5, 1, 0.25, -0.25, 3.14159, 2, -3.14159"), "1.01 3 1.000000 0.3 -0.3       3.14|2.0     |-0003.14"},
		{format("'%,.2f %+.1f %(.1f %.3f %.2f', 1234567.891, 1, -1, 0.0004, 999.995"), "1,234,567.89 +1.0 (1.0) 0.000 1000.00"},
		{format("'%f %f %.1f %5.1f', 1/0, 0/0, -1/0, 0"), "Infinity NaN -Infinity   0.0"},
		{format("'%e %.2E %.0e %e', 12345.678, 0.00012345, 5, 0"), "1.234568e+04 1.23E-04 5e+00 0.000000e+00"},
		{format("'%g %g %g %.3g %g', 0.0001234, 123456, 1234567, 99.95, 0"), "0.000123400 123456 1.23457e+06 100 0.00000"},
		{format("'%s|%5s|%-5s|%.2s|%S', 'abc', 'abc', 'abc', 'abc', 'abc'"), "abc|  abc|abc  |ab|ABC"},
		{format("'%s %s %s %s %s', 1, 1.5, true, nothing, 10000000.5"), "1 1.5 true null 1.00000005E7"},
		{format("'%b %b %b %B %c %c %C', nothing, false, 0, 'x', 65, 'é', 'x'"), "false false true TRUE A é X"},
		{format("'%2$s %1$s %<s %s', 'a', 'b'"), "b a a a"},
		{format("'100%%%n%5%|%h', 'abc'"), "100%\n    %|17862"},
		{"java.lang.String.valueOf(1.5) + java.lang.String.join('-', 'a', 'b') + java.lang.String.join('+', ['c', 'd'])", "1.5a-bc+d"},
		{"Java.type('java.lang.String').format('%s', 'x') + Java.type('java.lang.String').name", "xString"},
	})
	checkTexts(t, param.New(), nil, template.Options{}, []textCase{
		{text: "${" + format("'%d', 1.5") + "}", err: "Error: java.util.IllegalFormatConversionException: d != java.lang.Double"},
		{text: "${" + format("'%d', 'x'") + "}", err: "Error: java.util.IllegalFormatConversionException: d != java.lang.String"},
		{text: "${" + format("'%s %s', 1") + "}", err: "Error: java.util.MissingFormatArgumentException: Format specifier '%s'"},
		{text: "${" + format("'%y', 1") + "}", err: "Error: java.util.UnknownFormatConversionException: Conversion = 'y'"},
		{text: "${" + format("'%'") + "}", err: "Error: java.util.UnknownFormatConversionException: Conversion = '%'"},
		{text: "${" + format("") + "}", err: "TypeError: format needs a text"},
	})
}
