package param

import (
	"math"
	"math/big"
	"strconv"
	"strings"
)

// Int returns the value of an integer: int64 if it fits, *big.Int otherwise.
func Int(n *big.Int) Value {
	if n.IsInt64() {
		return n.Int64()
	}
	return n
}

// MaxDigits is the largest length of an integer's text. The time to read it grows with the square of its
// length.
const MaxDigits = 1000

// Number reads the text of a JSON number: an integer, or a double if it has a fraction or an exponent. It fails
// for other texts and for those longer than MaxDigits.
func Number(text string) (Value, bool) {
	if !strings.ContainsAny(text, ".eE") {
		if n, err := strconv.ParseInt(text, 10, 64); err == nil {
			return n, true
		}
		if len(text) > MaxDigits {
			return nil, false
		}
		n, ok := new(big.Int).SetString(text, 10)
		if !ok {
			return nil, false
		}
		return Int(n), true
	}
	f, err := strconv.ParseFloat(text, 64)
	if err != nil && !math.IsInf(f, 0) {
		return nil, false
	}
	return f, true
}

// FloatText returns the text of a double in Java's form (language L34): the shortest digits that
// identify it, at least one after the point, and an exponent below 1e-3 and from 1e7 on.
func FloatText(f float64) string {
	switch {
	case math.IsNaN(f):
		return "NaN"
	case math.IsInf(f, 1):
		return "Infinity"
	case math.IsInf(f, -1):
		return "-Infinity"
	case f == 0:
		if math.Signbit(f) {
			return "-0.0"
		}
		return "0.0"
	}
	if abs := math.Abs(f); abs >= 1e-3 && abs < 1e7 {
		text := strconv.FormatFloat(f, 'f', -1, 64)
		if !strings.Contains(text, ".") {
			text += ".0"
		}
		return text
	}
	mantissa, exponent, _ := strings.Cut(strconv.FormatFloat(f, 'e', -1, 64), "e")
	if !strings.Contains(mantissa, ".") {
		mantissa += ".0"
	}
	sign := ""
	if strings.HasPrefix(exponent, "-") {
		sign = "-"
	}
	return mantissa + "E" + sign + strings.TrimLeft(exponent, "+-0")
}
