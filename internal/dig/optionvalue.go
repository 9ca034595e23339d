package dig

import (
	"fmt"
	"math/big"
	"slices"
	"strings"

	"github.com/trowel-project/trowel/internal/param"
)

// text reads a non-empty text.
func (r *optionReader) text(value param.Value, path ...string) string {
	if r.open(value) {
		return ""
	}
	text, ok := param.AsString(value)
	switch {
	case !ok:
		r.wrongType(value, param.TypeString, path)
	case strings.TrimSpace(text) == "":
		r.wrongf(path, "must not be empty")
	}
	return text
}

// integer reads an integer between two bounds.
func (r *optionReader) integer(value param.Value, least, most int, path ...string) int {
	if r.open(value) {
		return max(least, 1)
	}
	n, ok := param.AsLong(value)
	if _, huge := value.(*big.Int); !ok {
		r.wrongType(value, param.TypeInt, path)
		return max(least, 1)
	} else if huge || n < int64(least) || n > int64(most) {
		r.wrongf(path, "must be %s, but is %s", between(least, most), param.JSON(value))
		return max(least, 1)
	}
	return int(n)
}

func between(least, most int) string {
	if most == maxCount {
		return fmt.Sprintf("%d or more", least)
	}
	return fmt.Sprintf("between %d and %d", least, most)
}

func (r *optionReader) boolean(value param.Value, path ...string) bool {
	if r.open(value) {
		return true
	}
	on, ok := param.AsBool(value)
	if !ok {
		r.wrongType(value, param.TypeBool, path)
	}
	return on
}

// choice reads one of several texts. It returns the first one for a wrong value.
func (r *optionReader) choice(value param.Value, choices []string, path ...string) string {
	if r.open(value) {
		return choices[0]
	}
	text, _ := param.AsString(value)
	if slices.Contains(choices, text) {
		return text
	}
	r.wrongf(path, "must be %s, but is %s", alternatives(choices), param.JSON(value))
	return choices[0]
}

// missing is choice for a key that will have more values in a later version. A sentence says so if one of these is
// used.
func (r *optionReader) missing(path []string, value param.Value, choices ...string) string {
	text, _ := param.AsString(value)
	if slices.Contains(laterChoices(), text) {
		r.later(fmt.Sprintf("%q is to come, use %s", text, alternatives(choices)), path...)
		return choices[0]
	}
	return r.choice(value, choices, path...)
}

// later refuses a part of control.md that this version does not have.
func (r *optionReader) later(instead string, path ...string) {
	err := configErrorf("Parameter '%s' is not supported yet: %s", strings.Join(path, "."), instead)
	r.errs = append(r.errs, optionError{path: slices.Clone(path), id: findingLater, err: err})
}

// laterChoices returns values in control.md that this version does not have (control K811, K813).
func laterChoices() []string { return []string{"skip", "cancel_running", "cancel_oldest"} }

func alternatives(choices []string) string {
	if len(choices) == 1 {
		return choices[0]
	}
	return strings.Join(choices[:len(choices)-1], ", ") + " or " + choices[len(choices)-1]
}

func (r *optionReader) wrongType(value param.Value, wanted string, path []string) {
	r.wrong(asError(param.WrongType(strings.Join(path, "."), wanted, value)), path...)
}

// known refuses keys of an object other than the given ones.
func (r *optionReader) known(object *param.Map, key string, keys ...string) {
	for inner := range object.All() {
		if !slices.Contains(keys, inner) {
			r.wrongf([]string{key, inner}, "is unknown: '%s' takes %s", key, strings.Join(keys, ", "))
			r.errs[len(r.errs)-1].takes = keys
		}
	}
}
