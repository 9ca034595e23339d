package sqldb

import (
	"encoding/base64"
	"encoding/hex"
	"strconv"
	"strings"
	"time"

	"github.com/jackc/pgx/v5/pgtype"

	"github.com/trowel-project/trowel/internal/param"
)

// pgValue returns a value of a type as a parameter, as Digdag stores the JDBC driver's object (operators 7.1). Arrays become
// lists (quirk 31). Types that users have made, such as enumerations, are texts.
func pgValue(oid uint32, text string) param.Value {
	if element, array := pgElements[oid]; array {
		return pgList(element, text)
	}
	if name, object := pgObjects[oid]; object {
		return param.Of("type", name, "value", text, "null", true)
	}
	switch oid {
	case pgtype.Int2OID, pgtype.Int4OID, pgtype.Int8OID, pgtype.OIDOID, pgtype.NumericOID:
		if number, ok := param.Number(text); ok {
			return number
		}
	case pgtype.Float4OID, pgtype.Float8OID:
		if f, err := strconv.ParseFloat(text, 64); err == nil {
			return f
		}
	case oidMoney:
		if f, err := strconv.ParseFloat(string(appendMoney(nil, []byte(text))), 64); err == nil {
			return f
		}
	case pgtype.BoolOID:
		return text == "t"
	case pgtype.BitOID:
		if len(text) == 1 {
			return text == "1"
		}
		return param.Of("type", "bit", "value", text, "null", true)
	case pgtype.DateOID, pgtype.TimestampOID, pgtype.TimestamptzOID:
		if at, ok := parseInstant(text); ok {
			return at.UnixMilli()
		}
	case pgtype.TimeOID:
		return string(appendTime(nil, []byte(text)))
	case pgtype.TimetzOID:
		return timeText(text)
	case pgtype.IntervalOID:
		return intervalValue(text)
	case pgtype.ByteaOID:
		if digits, ok := strings.CutPrefix(text, `\x`); ok {
			if data, err := hex.DecodeString(digits); err == nil {
				return base64.StdEncoding.EncodeToString(data)
			}
		}
	}
	return strings.ToValidUTF8(text, "\ufffd")
}

// pgObjects are types for which the JDBC driver has an object with the name of the type and the text.
var pgObjects = map[uint32]string{ //nolint:gochecknoglobals // never changed
	pgtype.JSONOID: "json", pgtype.JSONBOID: "jsonb", pgtype.JSONPathOID: "jsonpath", pgtype.InetOID: "inet", pgtype.CIDROID: "cidr",
	pgtype.MacaddrOID: "macaddr", pgtype.Macaddr8OID: "macaddr8", pgtype.VarbitOID: "varbit", pgtype.PointOID: "point",
	pgtype.LsegOID: "lseg", pgtype.PathOID: "path", pgtype.BoxOID: "box", pgtype.PolygonOID: "polygon", pgtype.LineOID: "line",
	pgtype.CircleOID: "circle", pgtype.TIDOID: "tid", pgtype.XIDOID: "xid", pgtype.CIDOID: "cid", pgtype.TSVectorOID: "tsvector",
	pgtype.Int4rangeOID: "int4range", pgtype.NumrangeOID: "numrange", pgtype.TsrangeOID: "tsrange", pgtype.TstzrangeOID: "tstzrange",
	pgtype.DaterangeOID: "daterange", pgtype.Int8rangeOID: "int8range", pgtype.RecordOID: "record",
}

// pgElements are the types of the elements of arrays.
var pgElements = map[uint32]uint32{ //nolint:gochecknoglobals // never changed
	pgtype.BoolArrayOID: pgtype.BoolOID, pgtype.ByteaArrayOID: pgtype.ByteaOID, pgtype.QCharArrayOID: pgtype.QCharOID,
	pgtype.NameArrayOID: pgtype.NameOID, pgtype.Int2ArrayOID: pgtype.Int2OID, pgtype.Int4ArrayOID: pgtype.Int4OID,
	pgtype.Int8ArrayOID: pgtype.Int8OID, pgtype.TextArrayOID: pgtype.TextOID, pgtype.OIDArrayOID: pgtype.OIDOID,
	pgtype.BPCharArrayOID: pgtype.BPCharOID, pgtype.VarcharArrayOID: pgtype.VarcharOID, pgtype.Float4ArrayOID: pgtype.Float4OID,
	pgtype.Float8ArrayOID: pgtype.Float8OID, pgtype.NumericArrayOID: pgtype.NumericOID, pgtype.DateArrayOID: pgtype.DateOID,
	pgtype.TimeArrayOID: pgtype.TimeOID, pgtype.TimetzArrayOID: pgtype.TimetzOID, pgtype.TimestampArrayOID: pgtype.TimestampOID,
	pgtype.TimestamptzArrayOID: pgtype.TimestamptzOID, pgtype.IntervalArrayOID: pgtype.IntervalOID, pgtype.UUIDArrayOID: pgtype.UUIDOID,
	pgtype.JSONArrayOID: pgtype.JSONOID, pgtype.JSONBArrayOID: pgtype.JSONBOID, pgtype.InetArrayOID: pgtype.InetOID,
	pgtype.CIDRArrayOID: pgtype.CIDROID, pgtype.BitArrayOID: pgtype.BitOID, pgtype.VarbitArrayOID: pgtype.VarbitOID,
	pgtype.XMLArrayOID: pgtype.XMLOID, pgtype.PointArrayOID: pgtype.PointOID, oidMoneyArray: oidMoney,
}

// sessionZone is the time zone that sessions have.
func sessionZone() *time.Location {
	if zone, err := time.LoadLocation(localZone()); err == nil {
		return zone
	}
	return time.UTC
}

// parseInstant reads a date, or a date and a time, with an offset or in the time zone of the session.
func parseInstant(text string) (time.Time, bool) {
	for _, layout := range []string{
		"2006-01-02 15:04:05-07", time.DateTime, time.DateOnly, "2006-01-02 15:04:05-07:00", "2006-01-02 15:04:05-07:00:00",
	} {
		if at, err := time.ParseInLocation(layout, text, sessionZone()); err == nil {
			return at, true
		}
	}
	return time.Time{}, false
}

// pgList returns an array as a list, of lists if it has more dimensions. What is no array in the server's form is a text.
func pgList(element uint32, text string) param.Value {
	rest := text
	if strings.HasPrefix(rest, "[") { // bounds other than 1
		_, rest, _ = strings.Cut(rest, "=")
	}
	list, rest, ok := pgArray(element, rest)
	if !ok || rest != "" {
		return text
	}
	return list
}

// pgArray reads an array with which a text begins, and returns what follows it.
func pgArray(element uint32, text string) (list param.List, rest string, ok bool) {
	rest, ok = strings.CutPrefix(text, "{")
	if !ok {
		return nil, text, false
	}
	list = param.List{}
	for !strings.HasPrefix(rest, "}") {
		var value param.Value
		if strings.HasPrefix(rest, "{") {
			value, rest, ok = pgArray(element, rest)
		} else {
			value, rest, ok = pgElement(element, rest)
		}
		if !ok {
			return nil, text, false
		}
		list = append(list, value)
		if next, more := strings.CutPrefix(rest, ","); more {
			rest = next
		} else if !strings.HasPrefix(rest, "}") {
			return nil, text, false
		}
	}
	return list, rest[1:], true
}

// pgElement reads an element of an array with which a text begins: in quotes, or up to a comma or a brace.
func pgElement(oid uint32, text string) (value param.Value, rest string, ok bool) {
	if !strings.HasPrefix(text, `"`) {
		length := strings.IndexAny(text, ",}")
		switch {
		case length <= 0:
			return nil, text, false
		case text[:length] == "NULL":
			return nil, text[length:], true
		}
		return pgValue(oid, text[:length]), text[length:], true
	}
	var plain strings.Builder
	for i := 1; i < len(text); i++ {
		switch text[i] {
		case '"':
			return pgValue(oid, plain.String()), text[i+1:], true
		case '\\':
			i++
		}
		if i < len(text) {
			plain.WriteByte(text[i])
		}
	}
	return nil, text, false
}
