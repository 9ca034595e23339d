package dig

import (
	"go/ast"
	"go/parser"
	"go/token"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// A key of the language that stands in one of its tables stands in all that are about such keys.
func TestKeysStandInEveryTable(t *testing.T) {
	t.Parallel()
	docs, schemas := directiveDocs(), optionSchemas()
	limits := slices.Concat(optionKeys(), ControlKeys())
	known := slices.Concat(limits, []string{keyDefaults}, groupKeys(), directives())
	for _, key := range slices.Concat(known, constantKeys(t)) {
		if docs[key] == "" {
			t.Errorf("key %s has no sentence in Directives of directive.go", key)
		}
	}
	for key := range docs {
		if !slices.Contains(known, key) {
			t.Errorf("key %s of Directives is in none of optionKeys, ControlKeys, groupKeys and directives", key)
		}
		if isOptionKey(key) != slices.Contains(optionKeys(), key) {
			t.Errorf("isOptionKey(%s) = %v of option.go is not what optionKeys says", key, isOptionKey(key))
		}
	}
	for _, key := range limits {
		if schemas[key] == nil {
			t.Errorf("key %s has no schema in optionSchemas of schemaoption.go", key)
		}
		if optionHint(problem{path: []string{key}}) == "" {
			t.Errorf("key %s has no hint in optionHint of lintoption.go", key)
		}
	}
	if len(schemas) != len(limits) {
		t.Errorf("optionSchemas has %d keys, want %d", len(schemas), len(limits))
	}
}

// constantKeys returns the values of all constants whose names begin with key, but for those that are no keys of the language.
func constantKeys(t *testing.T) (keys []string) {
	t.Helper()
	for _, name := range []string{"option.go", "task.go"} {
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(file, func(n ast.Node) bool {
			spec, ok := n.(*ast.ValueSpec)
			if !ok || !strings.HasPrefix(spec.Names[0].Name, "key") || len(spec.Values) == 0 {
				return true
			}
			if text, ok := spec.Values[0].(*ast.BasicLit); ok {
				key, err := strconv.Unquote(text.Value)
				if err != nil {
					t.Fatal(err)
				}
				keys = append(keys, key)
			}
			return false
		})
	}
	if len(keys) < 20 {
		t.Fatalf("only %d constants for keys", len(keys))
	}
	return slices.DeleteFunc(keys, func(key string) bool {
		return key == keyRate // planned
	})
}
