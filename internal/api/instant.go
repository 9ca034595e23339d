package api

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"
)

// Layouts in which times are written, cut off at whole seconds (server 2.2).
const (
	instantLayout = "2006-01-02T15:04:05Z"
	offsetLayout  = "2006-01-02T15:04:05-07:00"
	localLayout   = "2006-01-02T15:04:05"
)

// Instant is a moment, written in UTC: 2024-01-02T03:04:05Z.
type Instant struct{ time.Time }

// OptInstant returns a pointer to the time, or nil for the zero time, which means none.
func OptInstant(t time.Time) *Instant {
	if t.IsZero() {
		return nil
	}
	return &Instant{Time: t}
}

// String returns the text in which the instant is written.
func (i Instant) String() string { return i.UTC().Format(instantLayout) }

// MarshalJSON writes the instant as String does.
func (i Instant) MarshalJSON() ([]byte, error) { return json.Marshal(i.String()) }

// UnmarshalJSON reads what ParseInstant reads, of any year. As usual, null changes nothing.
func (i *Instant) UnmarshalJSON(data []byte) error {
	return unmarshalTime(data, &i.Time, parseInstant)
}

// OffsetTime is a moment that shows the offset of its zone: 2024-01-01T00:00:00+09:00. Without an
// offset it ends in +00:00, never in Z.
type OffsetTime struct{ time.Time }

// String returns the text in which the time is written.
func (o OffsetTime) String() string { return o.Format(offsetLayout) }

// MarshalJSON writes the time as String does.
func (o OffsetTime) MarshalJSON() ([]byte, error) { return json.Marshal(o.String()) }

// UnmarshalJSON reads what ParseInstant reads, of any year. As usual, null changes nothing.
func (o *OffsetTime) UnmarshalJSON(data []byte) error {
	return unmarshalTime(data, &o.Time, parseInstant)
}

// LocalOrInstant is a moment, or a local time in the zone of a workflow, which only the server knows.
type LocalOrInstant struct {
	// Time is the moment. If Local is set, it is what a clock in that zone shows, and its own zone, UTC, means
	// nothing. schedule.Zone turns it into the moment.
	Time  time.Time
	Local bool
}

// String returns the text in which the time is written, without an offset if it is local.
func (l LocalOrInstant) String() string {
	if l.Local {
		return l.Time.Format(localLayout)
	}
	return l.Time.UTC().Format(instantLayout)
}

// MarshalJSON writes the time as String does.
func (l LocalOrInstant) MarshalJSON() ([]byte, error) { return json.Marshal(l.String()) }

// UnmarshalJSON reads what ParseLocalOrInstant reads. As usual, null changes nothing.
func (l *LocalOrInstant) UnmarshalJSON(data []byte) error {
	return unmarshalTime(data, l, ParseLocalOrInstant)
}

// ParseInstant reads an ISO date-time with an offset or Z, which the name of a zone in brackets may follow.
// Seconds and their fraction are optional. The result has the given offset. It is later than the first instant of
// the year 1, which means none here, and not later than the year 9999.
func ParseInstant(text string) (time.Time, error) {
	t, err := parseInstant(text)
	if err != nil {
		return time.Time{}, err
	}
	return t, checkRange(t, text)
}

func parseInstant(text string) (time.Time, error) {
	plain := text
	if at := strings.IndexByte(plain, '['); at >= 0 && strings.HasSuffix(plain, "]") {
		plain = plain[:at]
	}
	if t, ok := parseAny(plain, "2006-01-02T15:04:05Z07:00", "2006-01-02T15:04Z07:00", "2006-01-02T15:04:05Z07:00:00"); ok {
		return t, nil
	}
	return time.Time{}, fmt.Errorf("Invalid ISO time format: %s", text) //nolint:staticcheck // Digdag's text, server 2.2
}

func checkRange(t time.Time, text string) error {
	if year := t.UTC().Year(); year < 1 || year > 9999 || t.IsZero() {
		return fmt.Errorf("time %s is not between 0001-01-01T00:00:01Z and 9999-12-31T23:59:59Z", text)
	}
	return nil
}

// ParseLocalOrInstant reads what ParseInstant reads, or a date-time without an offset. A date alone
// is refused.
func ParseLocalOrInstant(text string) (LocalOrInstant, error) {
	if t, ok := parseAny(text, localLayout, "2006-01-02T15:04"); ok {
		return LocalOrInstant{Time: t, Local: true}, checkRange(t, text)
	}
	t, err := ParseInstant(text)
	if err != nil {
		return LocalOrInstant{}, err
	}
	return LocalOrInstant{Time: t}, nil
}

func parseAny(text string, layouts ...string) (time.Time, bool) {
	for _, layout := range layouts {
		if t, err := time.Parse(layout, text); err == nil {
			return t, true
		}
	}
	return time.Time{}, false
}

// unmarshalTime reads a JSON string with parse.
func unmarshalTime[T any](data []byte, into *T, parse func(string) (T, error)) error {
	if string(data) == "null" {
		return nil
	}
	var text string
	if err := json.Unmarshal(data, &text); err != nil {
		return fmt.Errorf("Invalid ISO time format: %s", data) //nolint:staticcheck // Digdag's text, server 2.2
	}
	parsed, err := parse(text)
	if err != nil {
		return err
	}
	*into = parsed
	return nil
}
