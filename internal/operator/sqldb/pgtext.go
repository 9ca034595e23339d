package sqldb

import (
	"bytes"
	"math"
	"strconv"
	"time"

	"github.com/jackc/pgx/v5/pgtype"
)

// textForm appends the text that a value has in a file, made of the text that the server sent. It is that of the JDBC
// driver's Java object (operators 7.1). It keeps nothing, and makes nothing anew for each value.
type textForm func(dst, text []byte) []byte

// Object ids of types that package pgtype does not name.
const (
	oidMoney      = 790
	oidMoneyArray = 791
)

// pgText returns the form of a type. It is nil for types whose text is as the server sends it.
func pgText(oid uint32) textForm {
	switch oid {
	case pgtype.BoolOID:
		return appendBool
	case pgtype.Float4OID:
		return func(dst, text []byte) []byte { return appendFloatText(dst, text, 32) }
	case pgtype.Float8OID:
		return func(dst, text []byte) []byte { return appendFloatText(dst, text, 64) }
	case pgtype.NumericOID:
		return appendNumeric
	case pgtype.TimestampOID, pgtype.TimestamptzOID:
		return appendTimestamp
	case pgtype.TimeOID:
		return appendTime
	case pgtype.TimetzOID:
		return func(dst, text []byte) []byte { return append(dst, timeText(string(text))...) }
	case pgtype.IntervalOID:
		return func(dst, text []byte) []byte { return append(dst, intervalText(string(text))...) }
	case pgtype.BitOID:
		return appendBit
	case oidMoney:
		return appendMoney
	}
	return nil
}

func appendBool(dst, text []byte) []byte {
	return strconv.AppendBool(dst, len(text) > 0 && text[0] == 't')
}

// appendBit appends a single bit as a boolean, and more of them as digits.
func appendBit(dst, text []byte) []byte {
	if len(text) == 1 {
		return strconv.AppendBool(dst, text[0] == '1')
	}
	return append(dst, text...)
}

func appendFloatText(dst, text []byte, bits int) []byte {
	f, err := strconv.ParseFloat(string(text), bits)
	if err != nil && !math.IsInf(f, 0) {
		return append(dst, text...)
	}
	return appendFloat(dst, f, bits)
}

// appendFloat appends a number in the form that Java gives it: with at least one digit after the point, and with an exponent
// below 0.001 and from 10,000,000 on.
func appendFloat(dst []byte, f float64, bits int) []byte {
	switch abs := math.Abs(f); {
	case math.IsNaN(f):
		return append(dst, "NaN"...)
	case math.IsInf(f, 1):
		return append(dst, "Infinity"...)
	case math.IsInf(f, -1):
		return append(dst, "-Infinity"...)
	case f == 0, abs >= 1e-3 && abs < 1e7:
		return withFraction(dst, strconv.AppendFloat(dst, f, 'f', -1, bits))
	}
	start := len(dst)
	dst = strconv.AppendFloat(dst, f, 'e', -1, bits)
	e := start + bytes.IndexByte(dst[start:], 'e')
	var exponent [8]byte
	n, _ := strconv.Atoi(string(dst[e+1:]))
	power := strconv.AppendInt(exponent[:0], int64(n), 10)
	dst = withFraction(dst[:start], dst[:e])
	return append(append(dst, 'E'), power...)
}

// withFraction appends ".0" to a number that was appended to dst and has no fraction.
func withFraction(dst, number []byte) []byte {
	if bytes.IndexByte(number[len(dst):], '.') < 0 {
		return append(number, ".0"...)
	}
	return number
}

// appendNumeric appends a decimal number with its scale. Java writes those below 0.000001 with an exponent.
func appendNumeric(dst, text []byte) []byte {
	digits := bytes.TrimPrefix(text, []byte{'-'})
	const small = "0.000000"
	if !bytes.HasPrefix(digits, []byte(small)) {
		return append(dst, text...)
	}
	if len(digits) < len(text) {
		dst = append(dst, '-')
	}
	scale := len(digits) - len("0.")
	digits = bytes.TrimLeft(digits[len("0."):], "0")
	if len(digits) == 0 {
		if scale <= 6 {
			return append(dst, small...)
		}
		return strconv.AppendInt(append(dst, "0E-"...), int64(scale), 10)
	}
	exponent := scale - len(digits) + 1
	dst = append(dst, digits[0])
	if len(digits) > 1 {
		dst = append(append(dst, '.'), digits[1:]...)
	}
	return strconv.AppendInt(append(dst, "E-"...), int64(exponent), 10)
}

// appendTimestamp appends date and time without an offset, and with a fraction.
func appendTimestamp(dst, text []byte) []byte {
	const seconds = len("2006-01-02 15:04:05")
	if len(text) < seconds || text[len("2006")] != '-' || text[0] < '0' || text[0] > '9' {
		return append(dst, text...) // infinity, or a year with more digits
	}
	if text[len(text)-1] == 'C' {
		return append(dst, text...) // BC
	}
	rest := text[seconds:]
	if sign := bytes.IndexAny(rest, "+-"); sign >= 0 {
		rest = rest[:sign]
	}
	dst = append(dst, text[:seconds]...)
	if len(rest) == 0 {
		return append(dst, ".0"...)
	}
	return append(dst, rest...)
}

// appendTime appends a time of day without its fraction.
func appendTime(dst, text []byte) []byte {
	return append(dst, text[:min(len(text), len("15:04:05"))]...)
}

// timeText returns the time of day in the time zone of the session, for one with an offset.
func timeText(text string) string {
	for _, layout := range []string{"15:04:05-07", "15:04:05-07:00", "15:04:05-07:00:00"} {
		if t, err := time.Parse(layout, text); err == nil { // a fraction is read, too
			return time.Date(1970, 1, 1, t.Hour(), t.Minute(), t.Second(), 0, t.Location()).In(sessionZone()).Format(time.TimeOnly)
		}
	}
	return text
}

// appendMoney appends an amount in dollars as a number. Others are as the server writes them.
func appendMoney(dst, text []byte) []byte {
	var plain [32]byte
	amount := plain[:0]
	digits, negative := bytes.CutPrefix(text, []byte{'-'})
	if negative {
		amount = append(amount, '-')
	}
	digits, dollars := bytes.CutPrefix(digits, []byte{'$'})
	if !dollars {
		return append(dst, text...)
	}
	for _, c := range digits {
		if c != ',' {
			amount = append(amount, c)
		}
	}
	return appendFloatText(dst, amount, 64)
}
