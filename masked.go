package trowel

import (
	"slices"
	"strconv"
	"strings"

	"github.com/trowel-project/trowel/internal/param"
)

// Masked are the places in a task's own parameters that contain a secret which the task was given. People see
// HiddenText there. Nothing else depends on Masked.
//
// Each place is an Area constant followed by a JSON Pointer (RFC 6901, with ~2 for a line feed), such as "store/db/0".
// The area alone means all of it. A pointer that ends in "~k" means the key at that place, not its value.
type Masked []string

// The areas of a task's own parameters.
const (
	AreaExport = "export" // Export of the task and of its Result
	AreaStore  = "store"  // Store of its Result
	AreaState  = "state"  // StateParams
)

// HiddenText is shown in place of a secret.
const HiddenText = "********"

const (
	keyMark = "~k"
	// maxMasked is how many places of an area are kept. If there are more, the whole area is hidden.
	maxMasked = 1000
)

// escaped returns a key as a part of a pointer, and unescaped reverses that. Places are stored one a line, so line
// feeds are escaped as well.
func escaped(key string) string {
	if !strings.ContainsAny(key, "~/\n") {
		return key
	}
	return strings.ReplaceAll(strings.ReplaceAll(strings.ReplaceAll(key, "~", "~0"), "/", "~1"), "\n", "~2")
}

func unescaped(part string) string {
	if !strings.Contains(part, "~") {
		return part
	}
	return strings.ReplaceAll(strings.ReplaceAll(strings.ReplaceAll(part, "~2", "\n"), "~1", "/"), "~0", "~")
}

// FindMasked returns the places of an area whose text is or contains a secret, as secret reports. Numbers are
// tested as texts.
func FindMasked(area string, params *param.Map, secret func(text string) bool) Masked {
	var found Masked
	var walk func(at string, value param.Value)
	walk = func(at string, value param.Value) {
		switch value := value.(type) {
		case *param.Map:
			for key, item := range value.All() {
				below := at + "/" + escaped(key)
				if secret(key) {
					found = append(found, below+keyMark)
				}
				walk(below, item)
			}
		case param.List:
			for i, item := range value {
				walk(at+"/"+strconv.Itoa(i), item)
			}
		case nil, bool:
		default:
			if secret(leafText(value)) {
				found = append(found, at)
			}
		}
	}
	if params != nil {
		walk(area, params)
	}
	if len(found) > maxMasked {
		return Masked{area}
	}
	return found
}

func leafText(value param.Value) string {
	if text, ok := value.(string); ok {
		return text
	}
	return param.JSON(value)
}

// In returns the places in an area.
func (m Masked) In(area string) Masked {
	var in Masked
	for _, place := range m {
		if place == area || strings.HasPrefix(place, area+"/") {
			in = append(in, place)
		}
	}
	return in
}

// With returns these places and others, each once. If there are very many, it returns all areas as a whole.
func (m Masked) With(others ...string) Masked {
	if len(others) == 0 {
		return m
	}
	all := slices.Clone(m)
	for _, place := range others {
		if !slices.Contains(all, place) {
			all = append(all, place)
		}
		if len(all) > 3*maxMasked {
			return Masked{AreaExport, AreaStore, AreaState}
		}
	}
	return all
}

// Moved returns the places in one area as places in another one.
func (m Masked) Moved(from, to string) Masked {
	var moved Masked
	for _, place := range m.In(from) {
		moved = append(moved, to+strings.TrimPrefix(place, from))
	}
	return moved
}

// Still returns the places in an area of was that still hold in the map is: those whose value, or key, is there
// unchanged.
func (m Masked) Still(area string, was, is *param.Map) Masked {
	var still Masked
	for _, place := range m.In(area) {
		before, had := valueAt(area, was, place)
		now, has := valueAt(area, is, place)
		if had && has && (place == area || strings.HasSuffix(place, keyMark) || param.JSON(before) == param.JSON(now)) {
			still = append(still, place)
		}
	}
	return still
}

// Known returns those of the claimed places that exist in the report.
func (r *Report) Known(claimed []string) Masked {
	if len(claimed) > 3*maxMasked {
		return Masked{AreaExport, AreaStore, AreaState}
	}
	var known Masked
	for area, params := range map[string]*param.Map{AreaExport: r.Result.Export, AreaStore: r.Result.Store, AreaState: r.StateParams} {
		for _, place := range Masked(claimed).In(area) {
			if _, found := valueAt(area, params, place); found {
				known = append(known, place)
			}
		}
	}
	slices.Sort(known)
	return slices.Compact(known)
}

// valueAt returns the value at a place. For the place of a key it is the value of that key.
func valueAt(area string, params *param.Map, place string) (value param.Value, found bool) {
	value, found = params, params != nil
	rest, more := strings.CutPrefix(strings.TrimSuffix(place, keyMark), area+"/")
	for part := range strings.SplitSeq(rest, "/") {
		if !more || !found {
			break
		}
		switch in := value.(type) {
		case *param.Map:
			value, found = in.Get(unescaped(part))
		case param.List:
			i, err := strconv.Atoi(part)
			if found = err == nil && i >= 0 && i < len(in); found {
				value = in[i]
			}
		default:
			found = false
		}
	}
	return value, found
}

// Hide returns a copy of the parameters of an area as people see them.
func (m Masked) Hide(area string, params *param.Map) *param.Map {
	places := m.In(area)
	if len(places) == 0 || params == nil {
		return params
	}
	hidden := make(map[string]bool, len(places))
	for _, place := range places {
		hidden[place] = true
	}
	shown, _ := hide(hidden, area, params, hidden[area]).(*param.Map)
	return shown
}

func hide(hidden map[string]bool, at string, value param.Value, all bool) param.Value {
	all = all || hidden[at]
	switch value := value.(type) {
	case *param.Map:
		shown := param.Sized(value.Len())
		for key, item := range value.All() {
			below := at + "/" + escaped(key)
			if hidden[below+keyMark] {
				key = HiddenText
			}
			shown.Set(key, hide(hidden, below, item, all))
		}
		return shown
	case param.List:
		shown := make(param.List, len(value))
		for i, item := range value {
			shown[i] = hide(hidden, at+"/"+strconv.Itoa(i), item, all)
		}
		return shown
	default:
		if all {
			return HiddenText
		}
		return value
	}
}
