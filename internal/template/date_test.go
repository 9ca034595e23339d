package template_test

import (
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/trowel-project/trowel/internal/param"
	"github.com/trowel-project/trowel/internal/template"
)

// TestDates checks T22 and T22a, and the legacy forms of dates.
func TestDates(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ zone, expression, want string }{
		{"America/New_York", "new Date('2024-01-15').toISOString()", "2024-01-15T00:00:00.000Z"},
		{"America/New_York", "new Date('2024-01-15T00:00:00').toISOString()", "2024-01-15T00:00:00.000Z"},
		{"America/New_York", "new Date('2024-01-15 00:00:00').toISOString()", "2024-01-15T05:00:00.000Z"},
		{"America/New_York", "new Date('Jan 15, 2024').toISOString()", "2024-01-15T05:00:00.000Z"},
		{"America/New_York", "new Date(2024, 0, 15).toISOString()", "2024-01-15T05:00:00.000Z"},
		{"America/New_York", "new Date(2024, 2, 10, 2, 30)", `"2024-03-10T06:30:00.000Z"`}, // skipped
		{"America/New_York", "new Date(2024, 2, 10, 2, 30).getHours()", "1"},
		{"America/New_York", "new Date(2024, 2, 10, 1, 59, 59, 999)", `"2024-03-10T06:59:59.999Z"`},
		{"America/New_York", "new Date(2024, 2, 10, 3)", `"2024-03-10T07:00:00.000Z"`},
		{"America/New_York", "new Date(2024, 10, 3, 1, 30)", `"2024-11-03T06:30:00.000Z"`}, // repeated
		{"America/New_York", "new Date(2024, 10, 3, 0, 59)", `"2024-11-03T04:59:00.000Z"`},
		{"America/New_York", "new Date(2024, 10, 3, 2)", `"2024-11-03T07:00:00.000Z"`},
		{"America/Sao_Paulo", "new Date(2018, 10, 4)", `"2018-11-04T02:00:00.000Z"`}, // begins at one
		{"America/Sao_Paulo", "moment('2018-11-04').format()", "2018-11-03T23:00:00-03:00"},
		{"Australia/Lord_Howe", "new Date(2024, 9, 6, 2, 15)", `"2024-10-05T15:15:00.000Z"`}, // half an hour is skipped
		{"Pacific/Apia", "new Date(2011, 11, 30, 12)", `"2011-12-29T22:00:00.000Z"`},         // a day is skipped
		{"Asia/Kolkata", "new Date(0).getTimezoneOffset()", "-330"},
		{"America/New_York", "new Date(2024, 6, 1).getTimezoneOffset()", "240"},
		{"America/New_York", "new Date(1705276800000).toString()", "Sun Jan 14 2024 19:00:00 GMT-0500 (EST)"},
		{"America/New_York", "new Date(1720000000000).toString()", "Wed Jul 03 2024 05:46:40 GMT-0400 (EDT)"},
		{"UTC", "'' + new Date(0)", "Thu Jan 01 1970 00:00:00 GMT+0000 (UTC)"},
		{"Asia/Tokyo", "new Date(0).toDateString() + '/' + new Date(0).toTimeString()", "Thu Jan 01 1970/09:00:00 GMT+0900 (JST)"},
		{"America/Sao_Paulo", "new Date(1541300400000).toTimeString()", "01:00:00 GMT-0200 (BRST)"},
		{"Asia/Singapore", "new Date(0).toTimeString().slice(-5)", "(SGT)"},
		{"Asia/Urumqi", "new Date(0).toTimeString()", "06:00:00 GMT+0600 (+06:00)"}, // has no name here
		{"America/New_York", "new Date(1705276800000).toLocaleString()", "1/14/2024, 7:00:00 PM"},
		{"America/New_York", "new Date(1705276800000).toLocaleDateString() + new Date(1705294800000).toLocaleTimeString()", "1/14/202412:00:00 AM"},
		{"America/New_York", "new Date(1705276800000).toUTCString()", "Mon, 15 Jan 2024 00:00:00 GMT"},
		{"Asia/Tokyo", "[2024, 0, 15, 10, 20, 30, 40].reduce(function(d, n, i) { return d }, new Date(2024, 0, 15, 10, 20, 30, 40)).toISOString()", "2024-01-15T01:20:30.040Z"},
		{"Asia/Tokyo", "(function() { var d = new Date(2024, 0, 31); d.setMonth(1); d.setHours(25, 61, 61, 1001); return d })()", `"2024-03-02T17:02:02.001Z"`},
		{"Asia/Tokyo", "(function() { var d = new Date(NaN); d.setDate(1); return [d.setFullYear(2024, 1, 29), isNaN(d)] })()", "[1709132400000,false]"},
		{"Asia/Tokyo", "new Date(99, 0).getFullYear() + new Date(0, 0).getYear()", "1999"},
		{"Asia/Tokyo", "[new Date(8.64e15).getTime(), new Date(8.64e15 + 1).getTime(), new Date(275760, 8, 14).getTime()]", "[8640000000000000,null,null]"},
		{"Asia/Tokyo", "[new Date(NaN).getHours(), new Date(2024, NaN).getTime(), new Date('x').getTimezoneOffset()]", "[null,null,null]"},
		{"Asia/Tokyo", "[Date.parse('2024-02-30'), Date.parse('2024-13-01'), Date.parse('2024-01-01T25:00'), Date.parse('2024-01-01T24:00Z')]", "[1709251200000,null,null,1704153600000]"},
		{"Asia/Tokyo", "Date.UTC(2024, 0) + Date.parse('2024-01-01')", "3408134400000"},
		{"Asia/Tokyo", "[typeof Date(), Date().length > 30, typeof Date.now(), new Date() - Date.now() < 1000]", `["string",true,"number",true]`},
		{"Asia/Tokyo", "[new Date(0) instanceof Date, new Date(0).constructor === Date, Date.name, Date.length, Object.prototype.toString.call(new Date(0))]", `[true,true,"Date",7,"[object Date]"]`},
		{"Asia/Tokyo", "new (class extends Date { twice() { return this.getHours() * 2 } })(0).twice()", "18"},
		{"Asia/Tokyo", "new Date(new Date(2024, 5, 1)).getDate() + new Date(new Date(2024, 5, 1).toString()).getHours()", "1"},
		{"Asia/Tokyo", "Date.prototype.getHours.call({})", "ERR"},
		// Forms that other programs write.
		{"Asia/Tokyo", "new Date('15 Jan 2024 10:00').toISOString()", "2024-01-15T01:00:00.000Z"},
		{"Asia/Tokyo", "new Date('15-Jan-2024').toISOString()", "2024-01-14T15:00:00.000Z"},
		{"Asia/Tokyo", "new Date('1/15/2024 3:04:05 PM').toISOString()", "2024-01-15T06:04:05.000Z"},
		{"Asia/Tokyo", "new Date('2024/1/5').toISOString()", "2024-01-04T15:00:00.000Z"},
		{"Asia/Tokyo", "new Date('Mon, 15 Jan 2024 10:00:00 GMT').toISOString()", "2024-01-15T10:00:00.000Z"},
		{"Asia/Tokyo", "new Date('Mon Jan 15 2024 10:00:00 GMT-0500 (EST)').toISOString()", "2024-01-15T15:00:00.000Z"},
		{"Asia/Tokyo", "new Date('January 15, 2024 10:00:00 PST').toISOString()", "2024-01-15T18:00:00.000Z"},
		{"Asia/Tokyo", "new Date('2024-01-15 10:00:00 +0900').toISOString()", "2024-01-15T01:00:00.000Z"},
		{"Asia/Tokyo", "new Date('2024-01-15T10:00:00.123456+09:00').toISOString()", "2024-01-15T01:00:00.123Z"},
		{"Asia/Tokyo", "new Date('+002024-01-15').toISOString() + new Date('-000001-01-01').getUTCFullYear()", "2024-01-15T00:00:00.000Z-1"},
		{"Asia/Tokyo", "['', 'x', '1', '2024-01-15x', '32 Jan 2024', '13/13/2024', '2024-01-15 25:00', 'Jan Feb 2024', '1:00', '2024-01-15T10'].map(function(s) { return Date.parse(s) })", "[null,null,null,null,null,null,null,null,null,null]"},
		// An object is the number or text that it turns into.
		{"Asia/Tokyo", "new Date({valueOf: function() { return 5 }}).getTime()", "5"},
		{"Asia/Tokyo", "new Date({valueOf: null, toString: function() { return '2024-01-15' }})", `"2024-01-15T00:00:00.000Z"`},
		{"Asia/Tokyo", "new Date({valueOf: function() { return {} }, toString: function() { return {} }})", "ERR"},
		// Names of zones that the database has none for are those of Java.
		{"Asia/Dubai", "new Date(0).toTimeString().slice(-5)", "(GST)"},
		{"Asia/Kathmandu", "new Date(0).toTimeString().slice(-5)", "(NPT)"},
		{"America/Bogota", "new Date(0).toTimeString().slice(-5)", "(COT)"},
		{"Atlantic/Azores", "new Date(1720000000000).toTimeString()", "09:46:40 GMT+0000 (AZOST)"},
		{"Asia/Tehran", "new Date(1657000000000).toTimeString()", "10:16:40 GMT+0430 (IRDT)"},
		{"America/Anchorage", "new Date(0).toTimeString()", "14:00:00 GMT-1000 (AHST)"},
		// Times of day, and zones behind them.
		{"Asia/Tokyo", "new Date('Jan 15 2024 10:20:30.5')", `"2024-01-15T01:20:30.500Z"`},
		{"Asia/Tokyo", "new Date('Jan 15 2024 10:20:30 PST')", `"2024-01-15T18:20:30.000Z"`},
		{"Asia/Tokyo", "new Date('Mon, 15 Jan 2024 10:20 EDT')", `"2024-01-15T14:20:00.000Z"`},
		{"Asia/Tokyo", "new Date('Mon, 15 Jan 2024 10:20 CST')", `"2024-01-15T16:20:00.000Z"`},
		{"Asia/Tokyo", "new Date('Mon, 15 Jan 2024 10:20 CDT')", `"2024-01-15T15:20:00.000Z"`},
		{"Asia/Tokyo", "new Date('Mon, 15 Jan 2024 10:20 MST')", `"2024-01-15T17:20:00.000Z"`},
		{"Asia/Tokyo", "new Date('Jan 15 2024 10:20:30 GMT-03:30')", `"2024-01-15T13:50:30.000Z"`},
		{"Asia/Tokyo", "new Date('Jan 15 2024 10:20 +0530')", `"2024-01-15T04:50:00.000Z"`},
		{"Asia/Tokyo", "new Date('Jan 15 2024 10:20 +05:30')", `"2024-01-15T04:50:00.000Z"`},
		{"Asia/Tokyo", "new Date('Jan 15 2024 10:20 +5')", `"2024-01-15T05:20:00.000Z"`},
		{"Asia/Tokyo", "new Date('1/15/24 12:05 am')", `"2024-01-14T15:05:00.000Z"`},
		{"Asia/Tokyo", "new Date('1/15/99 1:05 PM')", `"1999-01-15T04:05:00.000Z"`},
		{"Asia/Tokyo", "new Date('Jan 2024')", `"2023-12-31T15:00:00.000Z"`},
		{"Asia/Tokyo", "new Date('2024 Jan 15')", `"2024-01-14T15:00:00.000Z"`},
		{
			"Asia/Tokyo", "['Jan 15 2024 10:', 'Jan 15 2024 10:123', 'Jan 15 2024 10:20:', 'Jan 15 2024 10:20:30.x', 'Jan 15 2024 10:20 +05:3', 'Jan 15 2024 10:20 +12345', 'Jan 15 2024 10:20 +'].map(Date.parse)",
			"[null,null,null,null,null,null,null]",
		},
		{
			"Asia/Tokyo", "['Jan 15 2024 am', 'Jan 15 2024 13:00 pm', 'Jan 15 2024 10:60', 'Jan Feb 15 2024', 'xx 15 2024', 'T 2024'].map(Date.parse)",
			"[null,null,null,null,null,null]",
		},
	} {
		t.Run(c.zone+" "+c.expression, func(t *testing.T) {
			t.Parallel()
			got, err := template.New(template.Options{}).Text(t.Context(), "${"+c.expression+"}", param.New(), zone(t, c.zone))
			if err != nil {
				got = "ERR"
			}
			if got != c.want {
				t.Errorf("Text(${%s}) in %s = %q, %v, want %q", c.expression, c.zone, got, err, c.want)
			}
		})
	}
}

// TestMoment checks what people write most (T22). Each text has its own zone, and texts do not share
// anything.
func TestMoment(t *testing.T) {
	t.Parallel()
	params := param.Of("session_time", "2024-03-09T15:30:00+09:00", "n", 2, "hour", param.Of("of", "day"))
	checkTexts(t, params, zone(t, "America/Los_Angeles"), template.Options{}, []textCase{
		{text: "${moment(session_time).format('YYYY-MM-DD HH:mm:ss Z dddd')}", want: "2024-03-08 22:30:00 -08:00 Friday"},
		{text: "${moment(session_time).add(n, 'days').format()}", want: "2024-03-10T22:30:00-07:00"},
		{text: "${moment(session_time).add({days: n}).format()}", want: "2024-03-10T22:30:00-07:00"},
		{text: "${moment(session_time).subtract(1, 'month').endOf('month').format()}", want: "2024-02-29T23:59:59-08:00"},
		{text: "${moment(session_time).utc().format()}", want: "2024-03-09T06:30:00Z"},
		{text: "${moment(session_time).utcOffset(9).format()}", want: "2024-03-09T15:30:00+09:00"},
		{text: "${moment(session_time).startOf(hour.of).unix()}", want: "1709884800"},
		{text: "${moment(session_time)}", want: `"2024-03-09T06:30:00.000Z"`},
		{text: "${moment('2024-03-01').diff(moment('2024-02-01'), 'days')}", want: "29"},
		{text: "${moment('2024-03-01').isBefore('2024-03-02') && moment(session_time).isAfter('2024-03-01')}", want: "true"},
		{text: "${moment('20240301', 'YYYYMMDD').format('L')}", want: "03/01/2024"},
		{text: "${moment.duration(90, 'minutes').humanize()} ${moment.duration(90, 'minutes')}", want: `2 hours "PT1H30M"`},
		{text: "${moment.unix(0).utc().format('LLLL')} ${moment.utc('2024-01-01').week()}", want: "Thursday, January 1, 1970 12:00 AM 1"},
		{text: "${moment(session_time).add(1, 'days').nope()}", err: "TypeError: (intermediate value).nope is not a function"},
		{text: "${moment().isValid()} ${moment().diff(moment(), 'hours')} ${typeof moment.tz} ${moment.locale()}", want: "true 0 undefined en"},
		{text: "${moment(session_time).format('[${'+'}]')}", want: "${}"},
		{text: "${globalThis['mom' + 'ent'].version}", want: "2.21.0"},
		{text: "${typeof globalThis.moment} ${moment = 5}", want: "function 5"},
	})
}

// TestResultsThatAreKept checks that results belong to their parameters and zone, and that the present time is not kept.
func TestResultsThatAreKept(t *testing.T) {
	t.Parallel()
	e := template.New(template.Options{})
	tokyo, paris := zone(t, "Asia/Tokyo"), zone(t, "Europe/Paris")
	for range 2 {
		for _, c := range []struct {
			at   any
			zone *time.Location
			want string
		}{
			{"2024-01-15T00:00:00Z", tokyo, "2024-01-15T09:00:00+09:00"},
			{"2024-01-15T00:00:00Z", paris, "2024-01-15T01:00:00+01:00"},
			{"2024-07-15T00:00:00Z", paris, "2024-07-15T02:00:00+02:00"},
			{int64(0), paris, "1970-01-01T01:00:00+01:00"},
			{"0", paris, "Invalid date"},
			{param.List{int64(2024), int64(1), int64(3)}, tokyo, "2024-02-03T00:00:00+09:00"},
		} {
			got, err := e.Text(t.Context(), "${moment(at).format()}", param.Of("at", c.at), c.zone)
			if err != nil || got != c.want {
				t.Errorf("Text(${moment(at).format()}) with at = %v in %v = %q, %v, want %q", c.at, c.zone, got, err, c.want)
			}
		}
	}
	for _, text := range []string{
		"${moment().format('x')}", "${moment(missing.x).format('x')}", "${moment(null_, 'x').format('x')}${moment().valueOf()}",
		"${moment('2020-01-01').diff()}", "${moment('2020-01-01').diff(missing.x)}", "${moment(undefined).valueOf()}",
		"${moment('10:00:00.000', 'HH:mm').valueOf() + new Date().getTime()}",
	} {
		params := param.Of("missing", param.New(), "null_", nil)
		first, err := e.Text(t.Context(), text, params, paris)
		second, err2 := e.Text(t.Context(), text, params, paris)
		for start := time.Now(); first == second && time.Since(start) < time.Second; {
			second, err2 = e.Text(t.Context(), text, params, paris)
		}
		if err != nil || err2 != nil || first == second {
			t.Errorf("Text(%s) = %q, %v, again %q, %v, want another time", text, first, err, second, err2)
		}
	}
	hidden, err := e.Text(t.Context(), "${moment(at).format()}", param.Of("at", "2024-01-15T00:00:00Z", "moment", "mine"), tokyo)
	if err == nil {
		t.Errorf("Text with a parameter named moment = %q, want an error", hidden)
	}
}

// TestTwoZones evaluates in two zones at once. Each evaluation uses its own.
func TestTwoZones(t *testing.T) {
	t.Parallel()
	e := template.New(template.Options{})
	var wg sync.WaitGroup
	for _, c := range []struct{ zone, want string }{
		{"Asia/Tokyo", "2024-01-15T%02d:00:00+09:00 %d -540"}, {"America/New_York", "2024-01-15T%02d:00:00-05:00 %d 300"},
	} {
		location := zone(t, c.zone)
		for worker := range 4 {
			wg.Go(func() {
				for i := range 10 {
					hour := worker*5 + i%5
					text := fmt.Sprintf("${moment('2024-01-15 %02d:00').format()} ${new Date(2024, 0, 15, %d).getHours()} ${new Date(2024, 0, 15).getTimezoneOffset()}", hour, hour)
					want := fmt.Sprintf(c.want, hour, hour)
					if got, err := e.Text(t.Context(), text, nil, location); err != nil || got != want {
						t.Errorf("Text(%s) in %s = %q, %v, want %q", text, c.zone, got, err, want)
					}
				}
			})
		}
	}
	wg.Wait()
}
