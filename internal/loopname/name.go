// Package loopname has the names of tasks as people see them: iterations of for_each> are told apart by the values of their loops.
package loopname

import (
	"net/url"
	"slices"
	"strings"

	"github.com/trowel-project/trowel/internal/param"
	"github.com/trowel-project/trowel/internal/terminal"
	"github.com/trowel-project/trowel/internal/textutil"
)

// Part is a part of a name as people see it: a text, or the values of one iteration of a loop.
type Part struct {
	Text   string
	Values []Value // if there are some, text is not used
}

// Value is a variable of a loop in one of its iterations.
type Value struct{ key, value string }

// PartOf describes what the name of a task adds to that of the task above it: of an iteration of
// for_each>, whose name has but the beginnings of them, the values.
func PartOf(name string, exported *param.Map) Part {
	axes, ok := strings.CutPrefix(name, "+for-")
	if !ok || exported.Len() == 0 {
		return Part{Text: name}
	}
	var values []Value
	left := exported.Clone() // of two variables whose names begin alike the first is that of the first axis
	for axis := range strings.SplitSeq(axes, "&") {
		part := strings.SplitN(axis, "=", 4) // INDEX=KEY=INDEX=VALUE (language O9)
		if len(part) < 4 {
			return Part{Text: name}
		}
		key, value, found := exportedAs(part[1], left)
		if !found {
			return Part{Text: name}
		}
		left.Delete(key)
		values = append(values, Value{terminal.Clean(key), value})
	}
	return Part{Values: values}
}

// exportedAs finds the variable of which a name has the first characters.
func exportedAs(tag string, exported *param.Map) (key, value string, found bool) {
	start, err := url.PathUnescape(tag)
	if err != nil {
		return "", "", false
	}
	for key, value := range exported.All() {
		if key == start || strings.HasPrefix(key, strings.TrimSuffix(start, "?")) && len(start) >= 8 {
			text, ok := param.AsString(value)
			if !ok {
				text = param.JSON(value)
			}
			return key, terminal.Clean(textutil.FirstLine(text)), true
		}
	}
	return "", "", false
}

// Fit writes a name into some columns. Where it does not fit, the keys of loops go first, as all
// iterations have them in common; then each value, and at last the whole, loses its middle.
func Fit(parts []Part, columns int, ellipsis string) string {
	whole := Join(parts, true, 0, ellipsis)
	if terminal.Width(whole) <= columns {
		return whole
	}
	if !slices.ContainsFunc(parts, func(part Part) bool { return len(part.Values) > 0 }) {
		return terminal.CutMiddle(whole, columns, ellipsis)
	}
	short := Join(parts, false, 0, ellipsis)
	for each := columns; each >= leastValue; each-- {
		if cut := Join(parts, false, each, ellipsis); terminal.Width(cut) <= columns {
			return cut
		}
	}
	return terminal.CutMiddle(short, columns, ellipsis)
}

// leastValue is to how many columns a value is cut at most.
const leastValue = 5

// Join writes parts one after the other, with a blank on both sides of values. Values are cut to so
// many columns if that is not zero.
func Join(parts []Part, keys bool, columns int, ellipsis string) string {
	var name strings.Builder
	for i, part := range parts {
		if len(part.Values) == 0 {
			if i > 0 && len(parts[i-1].Values) > 0 {
				name.WriteByte(' ')
			}
			name.WriteString(part.Text)
			continue
		}
		for j, v := range part.Values {
			if i+j > 0 {
				name.WriteByte(' ')
			}
			if keys {
				name.WriteString(v.key + "=")
			}
			value := v.value
			if columns > 0 {
				value = terminal.CutMiddle(value, columns, ellipsis)
			}
			name.WriteString(value)
		}
	}
	return name.String()
}
