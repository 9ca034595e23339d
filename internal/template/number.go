package template

import (
	"math"
	"math/big"
	"strconv"
)

// maxSafe is the largest integer up to which a double can hold every integer (language T18).
const maxSafe = 1 << 53

// appendNumber appends the text of a double as JavaScript writes it.
func appendNumber(dst []byte, f float64) []byte {
	switch {
	case math.IsNaN(f):
		return append(dst, "NaN"...)
	case math.IsInf(f, 1):
		return append(dst, "Infinity"...)
	case math.IsInf(f, -1):
		return append(dst, "-Infinity"...)
	case f == 0:
		return append(dst, '0') // also of -0
	}
	if abs := math.Abs(f); abs >= 1e-6 && abs < 1e21 {
		return strconv.AppendFloat(dst, f, 'f', -1, 64)
	}
	dst = strconv.AppendFloat(dst, f, 'e', -1, 64)
	if n := len(dst); dst[n-2] == '0' && (dst[n-3] == '-' || dst[n-3] == '+') {
		dst[n-2] = dst[n-1] // 1e-07 is 1e-7
		dst = dst[:n-1]
	}
	return dst
}

// appendInt appends an integer as it is after a conversion to a double (language T18).
func appendInt(dst []byte, n int64) []byte {
	if n >= -maxSafe && n <= maxSafe {
		return strconv.AppendInt(dst, n, 10)
	}
	return appendNumber(dst, float64(n))
}

func bigFloat(n *big.Int) float64 {
	f, _ := new(big.Float).SetInt(n).Float64()
	return f
}
