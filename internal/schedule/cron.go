package schedule

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
)

// cron is a pattern. It matches what any of its alternatives matches (language S14).
type cron []cronFields

// cronFields is one alternative. Bit n of a field says that it matches n. All five must match, including
// day of month and weekday (language S15).
type cronFields struct {
	minutes  uint64 // 0-59
	hours    uint64 // 0-23
	days     uint64 // 1-31, and lastDay
	months   uint64 // 1-12
	weekdays uint64 // 0-6 from Sunday; parsing keeps a 7 of a range, but no day has it
}

// lastDay is the value of L in the field of days, the last day of the month.
const lastDay = 32

// Names that cron accepts besides numbers, in order.
const (
	CronMonths   = "jan feb mar apr may jun jul aug sep oct nov dec"
	CronWeekdays = "sun mon tue wed thu fri sat"
)

// cronField describes how the values of one field are written: as numbers, or as names in any case.
type cronField struct {
	name      string
	min, max  int
	names     string // separated by spaces
	firstName int    // value of the first name; the others follow
	modulus   int    // if not 0, numbers count modulo this
}

// parseCron reads a pattern. Its errors are for the author of the pattern. A pattern with an alternative that
// can never match is refused, as Digdag would search for its next match for ever (language S15).
func parseCron(text string) (cron, error) {
	var pattern cron
	for _, alternative := range tokens(text, "|") {
		fields, err := parseCronFields(alternative)
		if err != nil {
			return nil, invalidCron(text, err)
		}
		if !fields.possible() {
			return nil, invalidCron(text, errNever)
		}
		pattern = append(pattern, fields)
	}
	if len(pattern) == 0 {
		return nil, invalidCron(text, errFieldCount)
	}
	return pattern, nil
}

var (
	errFieldCount = errors.New("want five fields: minute, hour, day of month, month, weekday")
	errNever      = errors.New("it never matches: none of its months has such a day")
)

func invalidCron(text string, err error) error {
	return fmt.Errorf("invalid cron pattern '%s': %w", text, err)
}

func parseCronFields(text string) (cronFields, error) {
	var fields cronFields
	columns := []struct {
		values *uint64
		cronField
	}{
		{&fields.minutes, cronField{name: "minute", max: 59}},
		{&fields.hours, cronField{name: "hour", max: 23}},
		{&fields.days, cronField{name: "day of month", min: 1, max: 31, names: "l", firstName: lastDay}},
		{&fields.months, cronField{name: "month", min: 1, max: 12, names: CronMonths, firstName: 1}},
		{&fields.weekdays, cronField{name: "weekday", max: 7, names: CronWeekdays, modulus: 7}},
	}
	words := tokens(text, " \t")
	if len(words) != len(columns) {
		return cronFields{}, errFieldCount
	}
	for i, column := range columns {
		values, err := column.set(words[i])
		if err != nil {
			return cronFields{}, fmt.Errorf("%s: %w", column.name, err)
		}
		*column.values = values
	}
	return fields, nil
}

// set reads a comma list of elements as a set of values.
func (f cronField) set(text string) (uint64, error) {
	var values uint64
	for _, element := range tokens(text, ",") {
		list, err := f.element(element)
		if err != nil {
			return 0, err
		}
		for _, v := range list {
			values |= 1 << v
		}
	}
	if values == 0 {
		return 0, fmt.Errorf("'%s' has no value", text)
	}
	return values, nil
}

// element reads a range, or every n-th value of it. The step counts values in the order of the
// range. A range that wraps around begins with its upper part (language S15).
func (f cronField) element(text string) ([]int, error) {
	parts := tokens(text, "/")
	if len(parts) < 1 || len(parts) > 2 {
		return nil, fmt.Errorf("'%s' is no range with a step", text)
	}
	values, err := f.valueRange(parts[0])
	if err != nil || len(parts) == 1 {
		return values, err
	}
	step, err := strconv.Atoi(parts[1])
	if err != nil || step < 1 {
		return nil, fmt.Errorf("'%s' is no step", parts[1])
	}
	var stepped []int
	for i := 0; i < len(values); i += step {
		stepped = append(stepped, values[i])
	}
	return stepped, nil
}

func (f cronField) valueRange(text string) ([]int, error) {
	if text == "*" {
		return between(f.min, f.max), nil
	}
	ends := tokens(text, "-")
	if len(ends) < 1 || len(ends) > 2 {
		return nil, fmt.Errorf("'%s' is no range", text)
	}
	from, err := f.value(ends[0])
	if err != nil || len(ends) == 1 {
		return []int{from}, err
	}
	to, err := f.value(ends[1])
	switch {
	case err != nil:
		return nil, err
	case from <= to:
		return between(from, to), nil
	default:
		return append(between(from, f.max), between(f.min, to)...), nil
	}
}

// value reads a name or a number. The modulus is applied to a number before it becomes part of a range:
// the weekday 7 is 0 (language S15).
func (f cronField) value(text string) (int, error) {
	if i := slices.Index(strings.Fields(f.names), strings.ToLower(text)); i >= 0 {
		return f.firstName + i, nil
	}
	n, err := strconv.Atoi(text)
	switch {
	case err != nil:
		return 0, fmt.Errorf("'%s' is no value", text)
	case n < f.min || n > f.max:
		return 0, fmt.Errorf("%d is not from %d to %d", n, f.min, f.max)
	case f.modulus > 0:
		n %= f.modulus
	}
	return n, nil
}

func between(from, to int) []int {
	var values []int
	for v := from; v <= to; v++ {
		values = append(values, v)
	}
	return values
}

// tokens splits at any of the separators and drops empty parts, so that stray separators are
// tolerated (language S15).
func tokens(text, separators string) []string {
	return strings.FieldsFunc(text, func(r rune) bool { return strings.ContainsRune(separators, r) })
}

// possible reports whether the fields ever match. Weekdays do not matter: each day of the calendar,
// even February 29, falls on every weekday at some time.
func (f cronFields) possible() bool {
	for month := time.January; month <= time.December; month++ {
		const leapYear = 2000
		if f.months&(1<<month) != 0 && f.datesOf(daysIn(leapYear, month)) != 0 {
			return true
		}
	}
	return false
}
