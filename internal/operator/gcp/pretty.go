package gcp

import (
	"slices"
	"strings"

	"github.com/trowel-project/trowel/internal/param"
)

// known are the members of errors that Google's Java library knows. It writes them first, in this order, and others as they
// came.
var known = []string{"code", "debugInfo", "domain", "errors", "location", "locationType", "message", "reason"} //nolint:gochecknoglobals // a constant of a type that has none

// pretty writes a value as Jackson does, in lines, with two spaces for each level.
func pretty(value param.Value) string {
	var b strings.Builder
	writePretty(&b, value, "")
	return b.String()
}

func writePretty(b *strings.Builder, value param.Value, indent string) {
	switch value := value.(type) {
	case *param.Map:
		writeObject(b, value, indent)
	case param.List:
		if len(value) == 0 {
			b.WriteString("[ ]")
			return
		}
		b.WriteString("[ ")
		for i, element := range value {
			if i > 0 {
				b.WriteString(", ")
			}
			writePretty(b, element, indent)
		}
		b.WriteString(" ]")
	default:
		b.WriteString(param.JSON(value))
	}
}

func writeObject(b *strings.Builder, object *param.Map, indent string) {
	if object.Len() == 0 {
		b.WriteString("{ }")
		return
	}
	keys := slices.Clone(object.Keys())
	slices.SortStableFunc(keys, func(x, y string) int { return rank(x) - rank(y) })
	inner := indent + "  "
	b.WriteString("{")
	for i, key := range keys {
		if i > 0 {
			b.WriteString(",")
		}
		b.WriteString("\n" + inner + param.JSON(key) + " : ")
		member, _ := object.Get(key)
		writePretty(b, member, inner)
	}
	b.WriteString("\n" + indent + "}")
}

func rank(key string) int {
	if at := slices.Index(known, key); at >= 0 {
		return at
	}
	return len(known)
}
