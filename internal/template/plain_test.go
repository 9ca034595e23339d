package template_test

import (
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/trowel-project/trowel/internal/param"
	"github.com/trowel-project/trowel/internal/template"
)

// TestPlainReferences compares plain references, which are looked up, with the same references after
// an expression, which are interpreted. Text or error must be the same for any parameters.
func TestPlainReferences(t *testing.T) {
	t.Parallel()
	e := template.New(template.Options{})
	seed := rand.Uint64()
	random := generator{rand.New(rand.NewPCG(seed, 0))}
	outcomes := map[string]int{}
	for range 2000 {
		params := random.object(0)
		references := random.references(params)
		fast, fastErr := e.Text(t.Context(), references, params, nil)
		const before = "${'' + ''}" // everything after it is interpreted
		slow, slowErr := e.Text(t.Context(), before+references, params, nil)
		if fast != slow || reason(fastErr, references) != reason(slowErr, before+references) {
			t.Fatalf("seed %d: Text(%s) with %s = %q, %v, want %q, %v", seed, references, param.JSON(params), fast, fastErr, slow, slowErr)
		}
		switch {
		case fastErr != nil:
			kind, _, _ := strings.Cut(reason(fastErr, references), ":")
			outcomes[kind]++
		case fast == "":
			outcomes["empty"]++
		default:
			outcomes["text"]++
		}
	}
	for _, outcome := range []string{"text", "empty", "TypeError", "ReferenceError"} {
		if outcomes[outcome] < 30 {
			t.Errorf("%d references ended with %s, want at least 30 (%v)", outcomes[outcome], outcome, outcomes)
		}
	}
}

func reason(err error, text string) string {
	if err == nil {
		return ""
	}
	return strings.TrimPrefix(err.Error(), "Failed to evaluate a variable "+text+" (")
}

// generator makes parameters and references to them.
type generator struct{ *rand.Rand }

var names = []string{
	"a", "b", "cC", "_d", "$e", "f1", "length", "constructor", "toString", "hasOwnProperty", "__proto__", "0", "1", "10", "x-y", "é",
	"moment", "undefined", "this", "let", "JSON", "map", "NaN", "arguments", "class", "",
}

func (g generator) name() string { return names[g.IntN(len(names))] }

func (g generator) object(depth int) *param.Map {
	m := param.New()
	for range g.IntN(8) {
		m.Set(g.name(), g.value(depth+1))
	}
	return m
}

func (g generator) value(depth int) param.Value {
	kinds := 14
	if depth > 3 {
		kinds = 11
	}
	switch g.IntN(kinds) {
	case 0:
		return nil
	case 1:
		return g.IntN(2) == 0
	case 2:
		return int64(g.IntN(100)) - 50
	case 3:
		return int64(g.Uint64()) //nolint:gosec // any bits
	case 4:
		return new(big.Int).Lsh(big.NewInt(g.Int64()), uint(g.IntN(300)))
	case 5:
		return math.Float64frombits(g.Uint64())
	case 6:
		return []float64{0, math.Copysign(0, -1), 1, 1e21, 1e-7, 123456789.5, 1e20, 0.1, 5e-324, math.MaxFloat64, 1e-6}[g.IntN(11)]
	case 7, 8, 9, 10:
		return []string{"", "text", "é😀\u2028", "with \"quotes\" \\ and\n\t\x00\x1f\x7f", "a\xffb", "10", "$${a}"}[g.IntN(7)]
	case 11:
		list := param.List{}
		for range g.IntN(5) {
			list = append(list, g.value(depth+1))
		}
		return list
	default:
		return g.object(depth)
	}
}

// references returns a text of one to three references, mostly to existing parameters.
func (g generator) references(params *param.Map) string {
	var out strings.Builder
	for range 1 + g.IntN(3) {
		out.WriteString("${" + []string{"", " ", "\n"}[g.IntN(3)])
		value := param.Value(params)
		for i := range 1 + g.IntN(4) {
			key := g.name()
			if m, ok := value.(*param.Map); ok && m.Len() > 0 && g.IntN(4) > 0 {
				key = m.Keys()[g.IntN(m.Len())]
			}
			if list, ok := value.(param.List); ok && g.IntN(3) > 0 {
				key = fmt.Sprint(g.IntN(len(list) + 2))
			}
			out.WriteString(g.step(key, i == 0))
			switch v := value.(type) {
			case *param.Map:
				value, _ = v.Get(key)
			case param.List:
				var i int
				if _, err := fmt.Sscan(key, &i); err == nil && i < len(v) {
					value = v[i]
				}
			}
		}
		out.WriteString("}" + []string{"", "text", "$"}[g.IntN(3)])
	}
	return out.String()
}

// step writes a property in one of the forms that fit.
func (g generator) step(key string, first bool) string {
	isName := key != "" && strings.Trim(key, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_$0123456789") == "" && (key[0] < '0' || key[0] > '9')
	isNumber := strings.Trim(key, "0123456789") == "" && key != ""
	quote := []string{`"`, `'`}[g.IntN(2)]
	form := "[" + quote + key + quote + "]"
	switch {
	case isName && g.IntN(4) > 0:
		form = "." + key
	case isNumber && g.IntN(4) > 0:
		form = "[" + key + "]"
	}
	if !first {
		return form
	}
	if form[0] == '.' {
		return key
	}
	return "this" + form
}
