package view

import (
	"slices"
	"time"

	trowel "github.com/trowel-project/trowel"
)

// daySpan is a day, a month, an hour or a minute, as somebody has typed it. Its instants are those of UTC.
type daySpan struct{ from, to time.Time }

// in returns when the span begins and ends in a zone.
func (s *daySpan) in(zone string) (from, to time.Time) {
	location, err := time.LoadLocation(zone)
	if err != nil {
		return s.from, s.to
	}
	there := func(at time.Time) time.Time {
		return time.Date(at.Year(), at.Month(), at.Day(), at.Hour(), at.Minute(), 0, 0, location)
	}
	return there(s.from), there(s.to)
}

// spanLayouts are the ways to type a time. The one of time alone needs a day in the word before.
func spanLayouts() []spanLayout {
	minute := func(at time.Time) time.Time { return at.Add(time.Minute) }
	hour := func(at time.Time) time.Time { return at.Add(time.Hour) }
	day := func(at time.Time) time.Time { return at.AddDate(0, 0, 1) }
	month := func(at time.Time) time.Time { return at.AddDate(0, 1, 0) }
	return []spanLayout{
		{"2006-01", month}, {"2006-01-02", day}, {"2006-01-02T15", hour}, {"2006-01-02T15:04", minute}, {"2006-01-02T15:04:05", minute},
	}
}

type spanLayout struct {
	layout string
	end    func(time.Time) time.Time
}

func readSpan(text string) *daySpan {
	for _, l := range spanLayouts() {
		if at, err := time.Parse(l.layout, text); err == nil {
			at = at.Truncate(time.Minute)
			return &daySpan{at, l.end(at)}
		}
	}
	return nil
}

// cutTime takes the first time out of some words; nil if there is none. A day may be followed by an hour or a minute.
func cutTime(words []string) (left []string, span *daySpan) {
	for i, word := range words {
		if span = readSpan(word); span == nil {
			continue
		}
		count := 1
		if i+1 < len(words) {
			if exact := readSpan(word + "T" + words[i+1]); exact != nil {
				span, count = exact, 2
			}
		}
		return slices.Delete(slices.Clone(words), i, i+count), span
	}
	return words, nil
}

// sessionText is the time of a session in the zone of its attempt.
func sessionText(s *trowel.AttemptSummary) string {
	at := s.Session.Time
	if location, err := time.LoadLocation(s.Attempt.Zone); err == nil {
		at = at.In(location)
	}
	return at.Format("2006-01-02 15:04:05 -07:00")
}
