package cli

import (
	"go/ast"
	goparser "go/parser"
	"go/token"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestCommandNames pins the commands of server 1.2 in the order of server 1.1.
func TestCommandNames(t *testing.T) {
	t.Parallel()
	want := strings.Fields("init run check scheduler server push archive upload download project workflow start retry " +
		"session attempts attempt reschedule backfill log kill task schedule disable enable delete secrets version migrate selfupdate")
	var got []string
	for _, c := range table() {
		if !c.extra {
			got = append(got, c.name)
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("commands (-want +got):\n%s", diff)
	}
}

// TestTable checks what must hold for every row.
func TestTable(t *testing.T) {
	t.Parallel()
	commands := map[string]bool{}
	for _, c := range table() {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			if len(c.lines) == 0 || len(c.usage) == 0 || !slices.Contains(sections, c.section) {
				t.Errorf("%s lacks lines, usage or a section", c.name)
			}
			if c.max >= 0 && c.min > c.max {
				t.Errorf("%s takes %d to %d arguments", c.name, c.min, c.max)
			}
			spellings := map[string]bool{}
			for _, o := range c.allOptions() {
				if o.help == "" || (o.takes == takesNothing) != (o.value == "") {
					t.Errorf("%s %v lacks a help text or the name of its value", c.name, o.names)
				}
				for _, name := range o.names {
					if spellings[name] {
						t.Errorf("%s has the option %s twice", c.name, name)
					}
					spellings[name] = true
				}
			}
		})
		for _, name := range c.names() {
			if commands[name] {
				t.Errorf("the command %s is there twice", name)
			}
			commands[name] = true
		}
	}
}

// TestOptionsThatHandlersAskFor finds options in the source that no command has: asking for one
// would quietly yield nothing.
func TestOptionsThatHandlersAskFor(t *testing.T) {
	t.Parallel()
	known := map[string]bool{}
	for _, c := range table() {
		for _, o := range c.allOptions() {
			for _, name := range o.names {
				known[name] = true
			}
		}
	}
	asked := 0
	for _, file := range sourceFiles(t) {
		parsed, err := goparser.ParseFile(token.NewFileSet(), file, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(parsed, func(n ast.Node) bool {
			name := askedOption(n)
			if name == "" {
				return true
			}
			asked++
			if !known[name] {
				t.Errorf("%s asks for the option %s, which no command has", file, name)
			}
			return true
		})
	}
	if asked == 0 {
		t.Error("found no place that asks for an option")
	}
}

// askedOption is the spelling in a call like args.text("--log"); empty for any other node.
func askedOption(n ast.Node) string {
	c, ok := n.(*ast.CallExpr)
	if !ok || len(c.Args) != 1 {
		return ""
	}
	method, ok := c.Fun.(*ast.SelectorExpr)
	if !ok || !slices.Contains([]string{"given", "text", "number", "list", "pairs"}, method.Sel.Name) {
		return ""
	}
	literal, ok := c.Args[0].(*ast.BasicLit)
	if !ok || literal.Kind != token.STRING {
		return ""
	}
	name, err := strconv.Unquote(literal.Value)
	if err != nil || !strings.HasPrefix(name, "-") {
		return ""
	}
	return name
}

// sourceFiles are the files of this package without its tests.
func sourceFiles(t *testing.T) []string {
	t.Helper()
	entries, err := os.ReadDir(".")
	if err != nil {
		t.Fatal(err)
	}
	var files []string
	for _, e := range entries {
		if filepath.Ext(e.Name()) == ".go" && !strings.HasSuffix(e.Name(), "_test.go") {
			files = append(files, e.Name())
		}
	}
	return files
}
