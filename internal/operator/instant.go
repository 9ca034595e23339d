package operator

import (
	"strconv"
	"strings"
	"time"

	"github.com/trowel-project/trowel/internal/param"
	"github.com/trowel-project/trowel/internal/schedule"
)

// ReadInstant reads a moment: an ISO date and time with an offset, which is Z or has a
// colon, and optionally a region in brackets (language O19, operators 1.5).
func ReadInstant(params *param.Reader, key string) (time.Time, error) {
	raw, _ := params.Value(key)
	if raw == nil {
		_, err := params.String(key)
		return time.Time{}, err
	}
	if text, isText := raw.(string); isText {
		if at, ok := parseInstant(text); ok {
			return at, nil
		}
	}
	return time.Time{}, param.WrongType(key, "class java.time.Instant", raw)
}

func parseInstant(text string) (time.Time, bool) {
	text, region, hasRegion := strings.Cut(text, "[")
	if hasRegion {
		name, closed := strings.CutSuffix(region, "]")
		if _, err := schedule.ParseZone(name); err != nil || !closed {
			return time.Time{}, false
		}
	}
	text = strings.ToUpper(text)
	for _, layout := range []string{"2006-01-02T15:04:05Z07:00", "2006-01-02T15:04Z07:00"} {
		if at, err := time.Parse(layout, text); err == nil {
			return at, true
		}
	}
	return time.Time{}, false
}

// ReadTimestamp reads a moment of the past or the future: seconds since 1970 as a number or in digits, or an ISO date and
// time, which without an offset is of the zone (operators 1.5).
func ReadTimestamp(params *param.Reader, key string, zone *time.Location) (time.Time, error) {
	raw, _ := params.Value(key)
	switch value := raw.(type) {
	case nil:
		_, err := params.String(key)
		return time.Time{}, err
	case int64:
		return time.Unix(value, 0), nil
	case string:
		if at, ok := parseTimestamp(value, zone); ok {
			return at, nil
		}
	}
	return time.Time{}, param.WrongType(key, "class io.digdag.util.TimestampParam", raw)
}

func parseTimestamp(text string, zone *time.Location) (time.Time, bool) {
	if isDigits(text) {
		seconds, err := strconv.ParseInt(text, 10, 64)
		return time.Unix(seconds, 0), err == nil
	}
	if at, ok := parseInstant(text); ok {
		return at, true
	}
	for _, layout := range []string{"2006-01-02T15:04:05", "2006-01-02T15:04"} {
		if at, err := time.ParseInLocation(layout, strings.ToUpper(text), zone); err == nil {
			return at, true
		}
	}
	return time.Time{}, false
}

func isDigits(text string) bool {
	return text != "" && strings.Trim(text, "0123456789") == ""
}
