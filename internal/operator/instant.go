package operator

import (
	"strings"
	"time"

	"github.com/trowel-project/trowel/internal/param"
	"github.com/trowel-project/trowel/internal/schedule"
)

// readInstant reads a moment: an ISO date and time with an offset, which is Z or has a
// colon, and optionally a region in brackets (language O19, operators 1.5).
func readInstant(params *param.Reader, key string) (time.Time, error) {
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
