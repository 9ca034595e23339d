package trowel_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"slices"
	"strconv"
	"testing"

	"github.com/google/go-cmp/cmp"

	trowel "github.com/trowel-project/trowel"
)

// WaitCodes has every constant of waitcode.go, in the order in which they stand there.
func TestWaitCodes(t *testing.T) {
	t.Parallel()
	file, err := parser.ParseFile(token.NewFileSet(), "waitcode.go", nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	var want []trowel.WaitCode
	ast.Inspect(file, func(n ast.Node) bool {
		spec, ok := n.(*ast.ValueSpec)
		if !ok {
			return true
		}
		for _, v := range spec.Values {
			if text, ok := v.(*ast.BasicLit); ok {
				code, err := strconv.Unquote(text.Value)
				if err != nil {
					t.Fatal(err)
				}
				want = append(want, trowel.WaitCode(code))
			}
		}
		return true
	})
	if diff := cmp.Diff(want, trowel.WaitCodes()); diff != "" || !slices.Contains(want, trowel.WaitPool) {
		t.Errorf("WaitCodes (-constants +list):\n%s", diff)
	}
}
