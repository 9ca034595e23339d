package template

import (
	"math"
	"strconv"
	"strings"
	"unicode"

	"github.com/dop251/goja"
)

// defaultPrecision is the number of digits after the point unless another is wanted.
const defaultPrecision = 6

func (env *environment) formatFloat(d directive, v goja.Value) string {
	if absent(v) {
		return d.pad(d.cut("null"))
	}
	if !goja.IsNumber(v) {
		env.throwMismatch(d, "java.lang.String")
	}
	f := v.ToFloat()
	if math.IsNaN(f) || math.IsInf(f, 0) {
		d.flags = strings.ReplaceAll(d.flags, "0", "")
		text := "Infinity"
		if math.IsNaN(f) {
			text = "NaN"
		}
		return d.number(math.IsInf(f, -1), text, "")
	}
	precision := d.precision
	if precision < 0 {
		precision = defaultPrecision
	}
	digits, exponent := decimal(math.Abs(f))
	var whole, fraction string
	switch unicode.ToLower(rune(d.conversion)) {
	case 'f':
		whole, fraction = fixedPoint(digits, exponent, precision)
	case 'e':
		whole, fraction = scientific(digits, exponent, precision)
	default: // g
		precision = max(precision, 1)
		rounded, at := roundHalfUp(digits, exponent, precision)
		if rounded == "" || at > -4 && at <= precision {
			whole, fraction = fixedPoint(digits, exponent, max(0, precision-at))
			if rounded == "" {
				whole, fraction = fixedPoint("", 0, precision-1)
			}
		} else {
			whole, fraction = scientific(digits, exponent, precision-1)
		}
	}
	if unicode.IsUpper(rune(d.conversion)) {
		fraction = strings.ToUpper(fraction)
	}
	return d.number(math.Signbit(f), whole, fraction)
}

// decimal returns a positive double as 0.digits times ten to the exponent. It has the fewest digits that
// identify the double, which Java rounds from. Zero has no digits.
func decimal(f float64) (digits string, exponent int) {
	if f == 0 {
		return "", 0
	}
	mantissa, power, _ := strings.Cut(strconv.FormatFloat(f, 'e', -1, 64), "e")
	exponent, _ = strconv.Atoi(power)
	return strings.TrimRight(strings.Replace(mantissa, ".", "", 1), "0"), exponent + 1
}

// roundHalfUp keeps the first n digits; n may be negative.
func roundHalfUp(digits string, exponent, n int) (string, int) {
	if n >= len(digits) {
		return digits, exponent
	}
	if n < 0 || n == 0 && digits[0] < '5' {
		return "", 0
	}
	up := digits[n] >= '5'
	kept := []byte(digits[:n])
	for i := n - 1; up; i-- {
		if i < 0 {
			return "1" + strings.Repeat("0", max(0, n-1)), exponent + 1
		}
		if up = kept[i] == '9'; up {
			kept[i] = '0'
		} else {
			kept[i]++
		}
	}
	return string(kept), exponent
}

// fixedPoint writes digits with a number of places after the point.
func fixedPoint(digits string, exponent, places int) (whole, fraction string) {
	digits, exponent = roundHalfUp(digits, exponent, exponent+places)
	if exponent <= 0 {
		digits = strings.Repeat("0", min(1-exponent, places+1)) + digits
		exponent = 1
	}
	if missing := exponent + places - len(digits); missing > 0 {
		digits += strings.Repeat("0", missing)
	}
	whole, fraction = digits[:exponent], digits[exponent:exponent+places]
	if places > 0 {
		fraction = "." + fraction
	}
	return whole, fraction
}

// scientific writes digits with an exponent of at least two digits.
func scientific(digits string, exponent, places int) (whole, fraction string) {
	digits, exponent = roundHalfUp(digits, exponent, places+1)
	if digits == "" {
		exponent = 1
	}
	digits += strings.Repeat("0", places+1-len(digits))
	power := exponent - 1
	sign := "+"
	if power < 0 {
		sign, power = "-", -power
	}
	text := strconv.Itoa(power)
	if len(text) < 2 {
		text = "0" + text
	}
	if places > 0 {
		fraction = "." + digits[1:]
	}
	return digits[:1], fraction + "e" + sign + text
}
