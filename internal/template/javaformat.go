package template

import (
	"math"
	"math/big"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/dop251/goja"

	"github.com/trowel-project/trowel/internal/param"
)

// directive is one %[index$][flags][width][.precision]conversion of Java's String.format.
type directive struct {
	text       string
	index      int // number of the argument, from 1; 0 for the next one, -1 for that of the previous directive
	flags      string
	width      int
	precision  int // -1 if there is none
	conversion byte
}

func (d directive) has(flag byte) bool { return strings.IndexByte(d.flags, flag) >= 0 }

// javaFormat implements java.lang.String.format(format, arguments...) (language T20), for the conversions
// b c d e f g h n o s x % and their capitals. Numbers without a fraction count as integers where
// Java wants one.
func (env *environment) javaFormat(format string, arguments []goja.Value) string {
	var out strings.Builder
	next, last := 0, -1
	for format != "" {
		literal, rest, found := strings.Cut(format, "%")
		out.WriteString(literal)
		if !found {
			break
		}
		d, n := env.directive(rest)
		format = rest[n:]
		env.textLength(out.Len() + d.width + max(0, d.precision))
		if d.conversion == 'n' || d.conversion == '%' {
			out.WriteString(d.pad(map[byte]string{'n': "\n", '%': "%"}[d.conversion]))
			continue
		}
		switch {
		case d.index > 0:
			last = d.index - 1
		case d.index == 0:
			last, next = next, next+1
		}
		if last < 0 || last >= len(arguments) {
			env.throwJava("MissingFormatArgumentException: Format specifier '%" + d.text + "'")
		}
		out.WriteString(env.formatOne(d, arguments[last]))
	}
	env.textLength(out.Len())
	env.charge(out.Len())
	return out.String()
}

// throwJava throws an error with the name and the message of an exception of Java.
func (env *environment) throwJava(message string) {
	throw(env.newError("Error", "java.util."+message))
}

// directive reads what follows a percent sign, and how long it is.
func (env *environment) directive(text string) (directive, int) {
	d := directive{precision: -1}
	rest := text
	number := func() (int, bool) {
		n := 0
		for n < len(rest) && rest[n] >= '0' && rest[n] <= '9' {
			n++
		}
		value, err := strconv.Atoi(rest[:n])
		if n > 0 && err != nil {
			env.throwJava("IllegalFormatWidthException: " + rest[:n])
		}
		rest = rest[n:]
		return value, n > 0
	}
	if value, ok := number(); ok && strings.HasPrefix(rest, "$") && text[0] != '0' {
		d.index, rest = value, rest[1:]
	} else {
		rest = text
	}
	if strings.HasPrefix(rest, "<") {
		d.index, rest = -1, rest[1:]
	}
	n := 0
	for n < len(rest) && strings.IndexByte("-#+ 0,(", rest[n]) >= 0 {
		n++
	}
	d.flags, rest = rest[:n], rest[n:]
	d.width, _ = number()
	if strings.HasPrefix(rest, ".") {
		rest = rest[1:]
		value, ok := number()
		if !ok {
			env.throwJava("UnknownFormatConversionException: Conversion = '%'")
		}
		d.precision = value
	}
	if rest == "" || strings.IndexByte("bBcCdeEfgGhHnosSxX%", rest[0]) < 0 {
		r, _ := utf8.DecodeRuneInString(rest + "%")
		env.throwJava("UnknownFormatConversionException: Conversion = '" + string(r) + "'")
	}
	d.conversion = rest[0]
	length := len(text) - len(rest) + 1
	d.text = text[:length]
	return d, length
}

// pad pads a text to its width.
func (d directive) pad(text string) string {
	missing := d.width - utf8.RuneCountInString(text)
	if missing <= 0 {
		return text
	}
	if d.has('-') {
		return text + strings.Repeat(" ", missing)
	}
	return strings.Repeat(" ", missing) + text
}

func (env *environment) formatOne(d directive, v goja.Value) string {
	var text string
	switch unicode.ToLower(rune(d.conversion)) {
	case 's':
		text = d.cut(formatText(v))
	case 'b':
		text = d.cut(strconv.FormatBool(!absent(v) && !v.StrictEquals(env.rt.ToValue(false))))
	case 'h':
		text = strconv.FormatUint(uint64(uint32(hashCode(formatText(v)))), 16) //nolint:gosec // bits
	case 'c':
		text = env.formatCharacter(d, v)
	case 'd', 'o', 'x':
		return env.formatInteger(d, v)
	default:
		return env.formatFloat(d, v)
	}
	if unicode.IsUpper(rune(d.conversion)) {
		text = strings.ToUpper(text)
	}
	return d.pad(text)
}

func (d directive) cut(text string) string {
	if d.precision < 0 {
		return text
	}
	runes := []rune(text)
	return string(runes[:min(d.precision, len(runes))])
}

func absent(v goja.Value) bool { return goja.IsUndefined(v) || goja.IsNull(v) }

// formatText returns an argument in the form of %s.
func formatText(v goja.Value) string {
	if goja.IsNumber(v) && v.ToFloat() != math.Trunc(v.ToFloat()) {
		return param.FloatText(v.ToFloat())
	}
	return v.ToString().String()
}

func (env *environment) formatCharacter(d directive, v goja.Value) string {
	if absent(v) {
		return "null"
	}
	if goja.IsNumber(v) {
		return string(rune(v.ToInteger())) //nolint:gosec // no character becomes U+FFFD
	}
	text := v.ToString().String()
	if utf8.RuneCountInString(text) != 1 {
		env.throwMismatch(d, "java.lang.String")
	}
	return text
}

// throwMismatch throws what Java does for a conversion of a value of this class.
func (env *environment) throwMismatch(d directive, class string) {
	env.throwJava("IllegalFormatConversionException: " + string(d.conversion) + " != " + class)
}

func (env *environment) formatInteger(d directive, v goja.Value) string {
	if absent(v) {
		return d.pad(d.cut("null"))
	}
	if !goja.IsNumber(v) {
		env.throwMismatch(d, "java.lang.String")
	}
	f := v.ToFloat()
	if f != math.Trunc(f) || math.IsInf(f, 0) {
		env.throwMismatch(d, "java.lang.Double")
	}
	n, _ := new(big.Float).SetFloat64(f).Int(nil)
	if d.conversion == 'd' {
		return d.number(n.Sign() < 0, new(big.Int).Abs(n).String(), "")
	}
	base, prefix := 8, "0"
	if d.conversion != 'o' {
		base, prefix = 16, "0x"
	}
	if n.Sign() < 0 { // as an int or a long
		bits := uint(32)
		if n.Cmp(big.NewInt(math.MinInt32)) < 0 {
			bits = 64
		}
		n.Add(n, new(big.Int).Lsh(big.NewInt(1), bits))
	}
	text := n.Text(base)
	if !d.has('#') {
		prefix = ""
	}
	if missing := d.width - len(text) - len(prefix); d.has('0') && missing > 0 {
		text = strings.Repeat("0", missing) + text
	}
	text = prefix + text
	if d.conversion == 'X' {
		text = strings.ToUpper(text)
	}
	return d.pad(text)
}

// number adds sign, grouping and zeros to the digits before and after the point.
func (d directive) number(negative bool, whole, fraction string) string {
	if d.has(',') {
		for i := len(whole) - 3; i > 0; i -= 3 {
			whole = whole[:i] + "," + whole[i:]
		}
	}
	before, after := "", fraction
	switch {
	case negative && d.has('('):
		before, after = "(", after+")"
	case negative:
		before = "-"
	case d.has('+'):
		before = "+"
	case d.has(' '):
		before = " "
	}
	if missing := d.width - len(before) - len(whole) - len(after); d.has('0') && missing > 0 {
		whole = strings.Repeat("0", missing) + whole
	}
	return d.pad(before + whole + after)
}
