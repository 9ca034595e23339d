package schedule

import (
	"testing"
	"time"
)

// The functions of a schedule by their names in the vectors of language 10.4.
func call(t *testing.T, s *Schedule, function string, input time.Time) Time {
	t.Helper()
	switch function {
	case "first":
		return s.First(input)
	case "next":
		return s.Next(input)
	case "last":
		return s.Last(input)
	default:
		t.Fatalf("no function %q", function)
		return Time{}
	}
}

func TestScheduleTimes(t *testing.T) {
	t.Parallel()
	const (
		losAngeles = "America/Los_Angeles"
		march      = `{"daily>":"10:00:00","start":"2016-03-01","end":"2016-03-31"}`
		workdays   = `{"cron>":"0 9 * * mon-fri"}`
		over       = "9999-01-01T00:00:00+00:00"
	)
	tests := []struct{ name, block, zone, function, input, session, run string }{
		// language 10.4
		{"run time of now", `{"daily>":"10:00:00"}`, "UTC", "first", "2016-02-03T10:00:00Z", "2016-02-03T00:00:00+00:00", "2016-02-03T10:00:00+00:00"},
		{"run time has passed", `{"daily>":"10:00:00"}`, "UTC", "first", "2016-02-03T10:00:01Z", "2016-02-04T00:00:00+00:00", "2016-02-04T10:00:00+00:00"},
		{"delay is elapsed time", `{"daily>":"10:00:00"}`, losAngeles, "first", "2016-03-13T09:00:00-07:00", "2016-03-13T00:00:00-08:00", "2016-03-13T11:00:00-07:00"},
		{"before start", march, "UTC", "first", "2016-02-03T09:59:59Z", "2016-03-01T00:00:00+00:00", "2016-03-01T10:00:00+00:00"},
		{"end is inclusive", march, "UTC", "first", "2016-03-31T10:00:00Z", "2016-03-31T00:00:00+00:00", "2016-03-31T10:00:00+00:00"},
		{"after end", march, "UTC", "first", "2016-03-31T10:00:01Z", over, over},
		{"weekly", `{"weekly>":"Wed,17:15:00"}`, "UTC", "first", "2016-02-03T17:15:01Z", "2016-02-10T00:00:00+00:00", "2016-02-10T17:15:00+00:00"},
		{"hourly in spring", `{"hourly>":"15:00"}`, losAngeles, "next", "2016-03-13T01:00:00-08:00", "2016-03-13T03:00:00-07:00", "2016-03-13T03:15:00-07:00"},
		{"hourly in autumn", `{"hourly>":"15:00"}`, losAngeles, "next", "2016-11-06T00:00:00-07:00", "2016-11-06T01:00:00-08:00", "2016-11-06T01:15:00-08:00"},
		{"last ignores start", `{"hourly>":"15:00","start":"2016-03-01"}`, "Asia/Tokyo", "last", "2016-03-01T00:00:00+09:00", "2016-02-29T23:00:00+09:00", "2016-02-29T23:15:00+09:00"},
		{"last on a Monday", workdays, "UTC", "last", "2016-02-01T09:00:00Z", "2016-01-30T09:00:00+00:00", "2016-01-30T09:00:00+00:00"},
		{"last on a Friday", workdays, "UTC", "last", "2016-02-05T09:00:00Z", "2016-02-04T09:00:00+00:00", "2016-02-04T09:00:00+00:00"},
		{"last day of month", `{"cron>":"0 0 L * *"}`, "UTC", "next", "2016-01-31T00:00:00Z", "2016-02-29T00:00:00+00:00", "2016-02-29T00:00:00+00:00"},
		{"seconds", `{"seconds_interval>":3,"delay":2}`, "UTC", "first", "1970-01-01T00:00:04Z", "1970-01-01T00:00:06+00:00", "1970-01-01T00:00:08+00:00"},
		// S17: end tests the run time
		{"run time on the day after end", `{"daily>":"24:00:00","end":"2016-03-31"}`, "UTC", "next", "2016-03-30T00:00:00Z", over, over},
		{"end in the zone", `{"hourly>":"00:00","end":"2016-03-31"}`, "Asia/Tokyo", "next", "2016-03-31T23:00:00+09:00", "9999-01-01T09:00:00+09:00", "9999-01-01T09:00:00+09:00"},
		{"the end has no delay", `{"cron>":"0 * * * *","delay":-60,"end":"2016-03-31"}`, "UTC", "next", "2016-05-01T00:00:00Z", over, over},
		// S18: start tests the run time, then counts as session time
		{"run time on the day of start", `{"daily>":"24:00:00","start":"2016-03-02"}`, "UTC", "first", "2016-02-03T00:00:00Z", "2016-03-02T00:00:00+00:00", "2016-03-03T00:00:00+00:00"},
		{"run time at start", `{"daily>":"24:00:00","start":"2016-03-02"}`, "UTC", "next", "2016-02-29T00:00:00Z", "2016-03-01T00:00:00+00:00", "2016-03-02T00:00:00+00:00"},
		{"what start gives may be after end", `{"weekly>":"Sun,00:00:00","start":"2016-03-01","end":"2016-03-02"}`, "UTC", "first", "2016-02-03T00:00:00Z", "2016-03-06T00:00:00+00:00", "2016-03-06T00:00:00+00:00"},
		{"start does not lead back", `{"cron>":"0 * * * *","delay":-86400,"start":"2024-01-10"}`, "UTC", "next", "2024-01-10T12:00:00Z", "2024-01-10T13:00:00+00:00", "2024-01-09T13:00:00+00:00"},
		// S19
		{"fraction of a second later", `{"daily>":"10:00:00"}`, "UTC", "first", "2016-02-03T10:00:00.000000001Z", "2016-02-04T00:00:00+00:00", "2016-02-04T10:00:00+00:00"},
		{"fraction of a second earlier", `{"daily>":"10:00:00"}`, "UTC", "first", "2016-02-03T09:59:59.9Z", "2016-02-03T00:00:00+00:00", "2016-02-03T10:00:00+00:00"},
		{"morning", `{"daily>":"10:00:00"}`, "UTC", "first", "2016-02-03T09:34:12Z", "2016-02-03T00:00:00+00:00", "2016-02-03T10:00:00+00:00"},
		// S20
		{"next jumps to start", march, "UTC", "next", "2016-02-03T00:00:00Z", "2016-03-01T00:00:00+00:00", "2016-03-01T10:00:00+00:00"},
		{"next of the end", march, "UTC", "next", "9999-01-01T00:00:00Z", over, over},
		{"next of any later time", `{"daily>":"10:00:00"}`, "UTC", "next", "9999-12-31T00:00:00Z", over, over},
		// S21
		{"last in working hours", `{"cron>":"0 9-17 * * *"}`, "UTC", "last", "2016-02-01T09:00:00Z", "2016-02-01T07:00:00+00:00", "2016-02-01T07:00:00+00:00"},
		{"last within a second", `{"daily>":"00:00:00"}`, "UTC", "last", "2016-02-01T00:00:00.5Z", "2016-02-01T00:00:00+00:00", "2016-02-01T00:00:00+00:00"},
		{"last has the delay", `{"daily>":"01:30:00"}`, "UTC", "last", "2016-02-01T00:00:00Z", "2016-01-31T00:00:00+00:00", "2016-01-31T01:30:00+00:00"},
		{"last after end", march, "UTC", "last", "2017-01-01T00:00:00Z", "2016-12-31T00:00:00+00:00", "2016-12-31T10:00:00+00:00"},
		// S22
		{"spring run", `{"daily>":"10:00:00"}`, losAngeles, "next", "2016-03-12T00:00:00-08:00", "2016-03-13T00:00:00-08:00", "2016-03-13T11:00:00-07:00"},
		{"autumn run", `{"daily>":"10:00:00"}`, losAngeles, "next", "2016-11-05T00:00:00-07:00", "2016-11-06T00:00:00-07:00", "2016-11-06T09:00:00-08:00"},
		// S23
		{"seconds at a multiple", `{"seconds_interval>":3}`, "UTC", "first", "1970-01-01T00:00:06Z", "1970-01-01T00:00:06+00:00", "1970-01-01T00:00:06+00:00"},
		{"seconds past a multiple", `{"seconds_interval>":3}`, "UTC", "first", "1970-01-01T00:00:06.1Z", "1970-01-01T00:00:09+00:00", "1970-01-01T00:00:09+00:00"},
		{"seconds next", `{"seconds_interval>":3}`, "UTC", "next", "1970-01-01T00:00:06Z", "1970-01-01T00:00:09+00:00", "1970-01-01T00:00:09+00:00"},
		{"seconds last", `{"seconds_interval>":3,"delay":1}`, "UTC", "last", "1970-01-01T00:00:06Z", "1970-01-01T00:00:03+00:00", "1970-01-01T00:00:04+00:00"},
		{"seconds last off a multiple", `{"seconds_interval>":3}`, "UTC", "last", "1970-01-01T00:00:06.1Z", "1970-01-01T00:00:06+00:00", "1970-01-01T00:00:06+00:00"},
		{"seconds before 1970", `{"seconds_interval>":60}`, "UTC", "next", "1969-12-31T23:58:30Z", "1969-12-31T23:59:00+00:00", "1969-12-31T23:59:00+00:00"},
		// the far ends of the calendar
		{"long before", `{"daily>":"00:00:00"}`, "UTC", "next", "0001-01-01T00:00:00Z", "0001-01-02T00:00:00+00:00", "0001-01-02T00:00:00+00:00"},
		{"last before the end", `{"daily>":"01:00:00"}`, "UTC", "last", "9999-01-01T00:00:00Z", "9998-12-31T00:00:00+00:00", "9998-12-31T01:00:00+00:00"},
		{"run time is never later than the end", `{"daily>":"999999999:00:00"}`, "UTC", "next", "2016-01-01T00:00:00Z", "2016-01-02T00:00:00+00:00", over},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			got := call(t, parse(t, test.block, test.zone), test.function, at(t, test.input))
			if text(got.Session) != test.session || text(got.Run) != test.run {
				t.Errorf("%s(%s) = %s, run %s; want %s, run %s", test.function, test.input,
					text(got.Session), text(got.Run), test.session, test.run)
			}
			if over := got.Session.Unix() == endOfSchedule; got.Finished() != over {
				t.Errorf("Finished of %s = %v, want %v", text(got.Session), got.Finished(), over)
			}
		})
	}
}

// TestClockChanges follows schedules over the days on which clocks are set (language S16). The input
// of each Next is the session before.
func TestClockChanges(t *testing.T) {
	t.Parallel()
	const losAngeles = "America/Los_Angeles"
	tests := []struct {
		name, block, zone string
		sessions          []string
	}{
		{"hourly, spring", `{"hourly>":"00:00"}`, losAngeles, []string{
			"2016-03-13T00:00:00-08:00", "2016-03-13T01:00:00-08:00", "2016-03-13T03:00:00-07:00", "2016-03-13T04:00:00-07:00",
		}},
		{"hourly, autumn", `{"hourly>":"00:00"}`, losAngeles, []string{
			"2016-11-06T00:00:00-07:00", "2016-11-06T01:00:00-08:00", "2016-11-06T02:00:00-08:00",
		}},
		{"hourly, autumn, from the hour that is skipped", `{"hourly>":"00:00"}`, losAngeles, []string{
			"2016-11-06T01:00:00-07:00", "2016-11-06T02:00:00-08:00",
		}},
		{"every 30 minutes, spring", `{"minutes_interval>":30}`, losAngeles, []string{
			"2016-03-13T01:00:00-08:00", "2016-03-13T01:30:00-08:00", "2016-03-13T03:00:00-07:00", "2016-03-13T03:30:00-07:00",
		}},
		{"every 30 minutes, autumn", `{"minutes_interval>":30}`, losAngeles, []string{
			"2016-11-06T00:30:00-07:00", "2016-11-06T01:00:00-08:00", "2016-11-06T01:30:00-08:00", "2016-11-06T02:00:00-08:00",
		}},
		{"every minute, autumn", `{"minutes_interval>":1}`, losAngeles, []string{
			"2016-11-06T00:59:00-07:00", "2016-11-06T01:00:00-07:00", "2016-11-06T01:01:00-07:00",
		}},
		{"every minute, autumn, at the change", `{"minutes_interval>":1}`, losAngeles, []string{
			"2016-11-06T01:59:00-07:00", "2016-11-06T01:00:00-08:00", "2016-11-06T01:01:00-08:00",
		}},
		{"in the gap", `{"cron>":"30 2 * * *"}`, losAngeles, []string{
			"2016-03-12T02:30:00-08:00", "2016-03-13T03:30:00-07:00", "2016-03-14T02:30:00-07:00",
		}},
		{"in the overlap", `{"cron>":"30 1 * * *"}`, losAngeles, []string{
			"2016-11-05T01:30:00-07:00", "2016-11-06T01:30:00-08:00", "2016-11-07T01:30:00-08:00",
		}},
		{"the next minute matches in the first of two hours", `{"cron>":"30 1 * * *"}`, losAngeles, []string{
			"2016-11-06T01:29:00-07:00", "2016-11-06T01:30:00-07:00", "2016-11-07T01:30:00-08:00",
		}},
		{"of two patterns in the gap the earlier", `{"cron>":"30 2 * * *|15 3 * * *"}`, losAngeles, []string{
			"2016-03-12T03:15:00-08:00", "2016-03-13T03:15:00-07:00", "2016-03-14T02:30:00-07:00",
		}},
		{"midnight in the gap", `{"daily>":"00:00:00"}`, "America/Sao_Paulo", []string{
			"2017-10-14T00:00:00-03:00", "2017-10-15T01:00:00-02:00", "2017-10-16T00:00:00-02:00",
		}},
		{"midnight in the overlap", `{"daily>":"00:00:00"}`, "America/Havana", []string{
			"2016-11-05T00:00:00-04:00", "2016-11-06T00:00:00-05:00", "2016-11-07T00:00:00-05:00",
		}},
		// The gap of Greenland is the last hour of a day.
		{"gap up to midnight", `{"hourly>":"00:00"}`, "America/Nuuk", []string{
			"2024-03-30T21:00:00-02:00", "2024-03-30T22:00:00-02:00", "2024-03-31T00:00:00-01:00", "2024-03-31T01:00:00-01:00",
		}},
		{"half an hour", `{"hourly>":"00:00"}`, "Australia/Lord_Howe", []string{
			"2024-10-06T01:00:00+10:30", "2024-10-06T02:30:00+11:00", "2024-10-06T03:00:00+11:00",
		}},
		{"a whole day", `{"daily>":"00:00:00"}`, "Pacific/Apia", []string{
			"2011-12-29T00:00:00-10:00", "2011-12-31T00:00:00+14:00", "2012-01-01T00:00:00+14:00",
		}},
		// Offsets that are no whole minutes.
		{"local mean time", `{"daily>":"00:00:00"}`, "Africa/Monrovia", []string{
			"1971-12-31T00:44:30Z", "1972-01-01T00:00:00-00:44", "1972-01-02T00:00:00-00:44",
		}},
		// Far from what the database lists, where the rules of the zone go on.
		{"spring of 2100", `{"hourly>":"00:00"}`, losAngeles, []string{
			"2100-03-14T01:00:00-08:00", "2100-03-14T03:00:00-07:00",
		}},
		{"end of a leap year", `{"daily>":"00:00:00"}`, "Europe/London", []string{
			"2040-12-30T00:00:00+00:00", "2040-12-31T00:00:00+00:00", "2041-01-01T00:00:00+00:00",
		}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			s := parse(t, test.block, test.zone)
			session := at(t, test.sessions[0]).In(s.Zone().Location)
			for _, want := range test.sessions[1:] {
				next := s.Next(session).Session
				if text(next) != want {
					t.Errorf("Next(%s) = %s, want %s", text(session), text(next), want)
				}
				session = next
			}
		})
	}
}
