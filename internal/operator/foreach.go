package operator

import (
	"context"
	"net/url"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/trowel-project/trowel/internal/param"
)

// runForEach runs _do for each combination of values of several lists (operators 2.5, language O7 to
// O11). The last list varies fastest.
func runForEach(_ context.Context, r *Request) (Outcome, error) {
	it, err := NewIterations(r.Params)
	if err != nil {
		return Outcome{}, err
	}
	axes, err := readAxes(r.Params)
	if err != nil {
		return Outcome{}, err
	}
	effective := dropEmptyAxes(axes)
	if tooManyCombinations(axes, r.TaskLimit) || tooManyCombinations(effective, r.TaskLimit) {
		return Outcome{}, param.Errorf("Too many for_each subtasks. Limit: %d", r.TaskLimit) // language O10
	}
	for combination := range combinations(effective) {
		variables := param.New()
		var name strings.Builder
		name.WriteString("+for-")
		for i, axis := range effective {
			if i > 0 {
				name.WriteByte('&')
			}
			name.WriteString(axis.tags[combination[i]])
			variables.Set(axis.key, axis.values[combination[i]])
		}
		if err := it.Add(name.String(), variables); err != nil {
			return Outcome{}, err
		}
	}
	return it.Finish(r.Params)
}

// axis is one list to combine.
type axis struct {
	key    string
	values param.List
	tags   []string // what each value adds to names
}

// readAxes reads the command: an object of lists, either of which may be JSON text (language O7).
func readAxes(params *param.Reader) ([]axis, error) {
	command, err := ParsedMap(params, "_command")
	if err != nil {
		return nil, err
	}
	lists := param.NewReader(command)
	var axes []axis
	for i, key := range command.Keys() {
		values, err := ParsedList(lists, key)
		if err != nil {
			return nil, err
		}
		axes = append(axes, axis{key: key, values: values, tags: tagsOf(i, key, values)})
	}
	return axes, nil
}

// tooManyCombinations multiplies key by key, so everything after an empty list is allowed.
func tooManyCombinations(axes []axis, limit int) bool {
	product := 1
	for _, axis := range axes {
		product *= len(axis.values)
		if product > limit {
			return true
		}
	}
	return false
}

// dropEmptyAxes removes an empty list and all lists before it, unless it is the last one (quirk, language
// O10): the product begins again when it is empty.
func dropEmptyAxes(axes []axis) []axis {
	for i := len(axes) - 2; i >= 0; i-- {
		if len(axes[i].values) == 0 {
			return axes[i+1:]
		}
	}
	return axes
}

// combinations yields, for each combination, the index of the value on each axis. It yields nothing if there is no
// axis. The slice is reused.
func combinations(axes []axis) func(yield func([]int) bool) {
	return func(yield func([]int) bool) {
		indexes := make([]int, len(axes))
		for _, axis := range axes {
			if len(axis.values) == 0 {
				return
			}
		}
		for last := len(axes) - 1; last >= 0; {
			if !yield(indexes) {
				return
			}
			i := last
			for indexes[i]++; indexes[i] == len(axes[i].values); indexes[i]++ {
				indexes[i] = 0
				if i--; i < 0 {
					return
				}
			}
		}
	}
}

// tagsOf returns what the values of a list add to the names of tasks, KEYINDEX=KEY=VALUEINDEX=VALUE
// (language O9): texts as they are, other values as JSON.
func tagsOf(index int, key string, values param.List) []string {
	prefix := strconv.Itoa(index) + "=" + tag(key) + "="
	tags := make([]string, len(values))
	for i, value := range values {
		text, isText := value.(string)
		if !isText {
			text = param.JSON(value)
		}
		tags[i] = prefix + strconv.Itoa(i) + "=" + tag(text)
	}
	return tags
}

// tagUnits is how many UTF-16 units of a text a name shows.
const tagUnits = 8

// tag shortens and encodes a text for a name (language O9): as form data, but with %20 for blanks. A
// surrogate pair that is cut becomes a question mark. A "*" is encoded, too. Digdag does not encode it,
// and then refuses the name (bug).
func tag(text string) string {
	if len(text) > tagUnits {
		text = cut(text)
	}
	text = url.QueryEscape(text)
	return strings.ReplaceAll(strings.ReplaceAll(text, "+", "%20"), "~", "%7E")
}

func cut(text string) string {
	units := 0
	for i, r := range text {
		if units += utf16.RuneLen(r); units < tagUnits {
			continue
		}
		if units > tagUnits {
			return text[:i] + "?"
		}
		return text[:i+utf8.RuneLen(r)]
	}
	return text
}
