package template

import (
	"fmt"
	"math"
	"time"

	"github.com/dop251/goja"
)

// Forms of dates as text. The first three are Digdag's (language T22a), the others American English.
const (
	formDateTime       = iota // Sun Jan 14 2024 19:00:00 GMT-0500 (EST)
	formDate                  // Sun Jan 14 2024
	formTime                  // 19:00:00 GMT-0500 (EST)
	formLocaleDateTime        // 1/14/2024, 7:00:00 PM
	formLocaleDate            // 1/14/2024
	formLocaleTime            // 7:00:00 PM
)

// dateTexts replaces the methods that write local times.
func (env *environment) dateTexts(prototype *goja.Object) {
	writer := func(name string, form int) {
		env.method(prototype, name, 0, func(c goja.FunctionCall) goja.Value {
			return env.rt.ToValue(dateText(env.zone, env.thisDate(c), form))
		})
	}
	writer("toString", formDateTime)
	writer("toDateString", formDate)
	writer("toTimeString", formTime)
	writer("toLocaleString", formLocaleDateTime)
	writer("toLocaleDateString", formLocaleDate)
	writer("toLocaleTimeString", formLocaleTime)
}

// dateText writes an instant in a zone.
func dateText(zone *time.Location, instant float64, form int) string {
	if math.IsNaN(instant) {
		return "Invalid Date"
	}
	local := toLocal(zone, instant)
	f := split(local)
	date := fmt.Sprintf("%s %s %02.0f %s", dayNames[int(weekday(local))], monthNames[int(f.month)], f.day, yearText(f.year))
	clock := fmt.Sprintf("%02.0f:%02.0f:%02.0f GMT%s (%s)", f.hours, f.minutes, f.seconds, offsetText(local-instant), zoneName(zone, instant))
	american := fmt.Sprintf("%.0f/%.0f/%.0f", f.month+1, f.day, f.year)
	twelve := fmt.Sprintf("%.0f:%02.0f:%02.0f %s", math.Mod(f.hours+11, 12)+1, f.minutes, f.seconds, halfDay(f.hours))
	switch form {
	case formDate:
		return date
	case formTime:
		return clock
	case formLocaleDateTime:
		return american + ", " + twelve
	case formLocaleDate:
		return american
	case formLocaleTime:
		return twelve
	default:
		return date + " " + clock
	}
}

//nolint:gochecknoglobals // tables
var (
	dayNames   = [...]string{"Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"}
	monthNames = [...]string{"Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"}
)

func yearText(year float64) string {
	if year < 0 {
		return fmt.Sprintf("-%06.0f", -year)
	}
	return fmt.Sprintf("%04.0f", year)
}

// offsetText writes an offset in milliseconds in the form +0900.
func offsetText(offset float64) string {
	sign := '+'
	if offset < 0 {
		sign, offset = '-', -offset
	}
	minutes := int(offset / msPerMinute)
	return fmt.Sprintf("%c%02d%02d", sign, minutes/60, minutes%60)
}

func halfDay(hours float64) string {
	if hours < 12 {
		return "AM"
	}
	return "PM"
}

// zoneName returns the short name of a zone at an instant. The time zone database has plain offsets where
// English has no common abbreviation. For the better known ones of these zones it returns Java's name,
// and for zones that are an offset themselves, the offset in the form of their id.
func zoneName(zone *time.Location, instant float64) string {
	at := instantIn(zone, instant)
	name, offset := at.Zone()
	if name != "" && name[0] != '+' && name[0] != '-' {
		return name
	}
	if standard, summer := javaZoneNames(zone.String()); standard != "" {
		if at.IsDST() && summer != "" {
			return summer
		}
		return standard
	}
	if offset == 0 {
		return "Z"
	}
	sign := '+'
	if offset < 0 {
		sign, offset = '-', -offset
	}
	return fmt.Sprintf("%c%02d:%02d", sign, offset/3600, offset/60%60)
}
