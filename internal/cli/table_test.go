package cli

import (
	"go/ast"
	goparser "go/parser"
	"go/token"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/trowel-project/trowel/internal/cli/cmd"
)

// TestCommandNames checks the commands of server 1.2 in the order of server 1.1.
func TestCommandNames(t *testing.T) {
	t.Parallel()
	want := strings.Fields("init run check scheduler server push archive upload download project workflow start retry " +
		"session attempts attempt reschedule backfill log kill task schedule disable enable delete secrets version migrate selfupdate")
	var got []string
	for _, c := range table() {
		if !c.Extra {
			got = append(got, c.Name)
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
		t.Run(c.Name, func(t *testing.T) {
			t.Parallel()
			if len(c.Lines) == 0 || len(c.UsageForms()) == 0 || !slices.Contains(cmd.Sections, c.Section) {
				t.Errorf("%s lacks lines, usage or a section", c.Name)
			}
			if c.Max >= 0 && c.Min > c.Max {
				t.Errorf("%s takes %d to %d arguments", c.Name, c.Min, c.Max)
			}
			spellings := map[string]bool{}
			for _, o := range c.AllOptions() {
				if o.Help == "" || (o.Takes == cmd.TakesNothing) != (o.Value == "") {
					t.Errorf("%s %v lacks a help text or the name of its value", c.Name, o.Names)
				}
				for _, name := range o.Names {
					if spellings[name] {
						t.Errorf("%s has the option %s twice", c.Name, name)
					}
					spellings[name] = true
				}
			}
		})
		for _, name := range c.Names() {
			if commands[name] {
				t.Errorf("the command %s is there twice", name)
			}
			commands[name] = true
		}
	}
}

// TestOptionsThatHandlersAskFor finds options in the source that no command has. Asking for such an
// option would silently return nothing.
func TestOptionsThatHandlersAskFor(t *testing.T) {
	t.Parallel()
	known := map[string]bool{}
	for _, c := range table() {
		for _, o := range c.AllOptions() {
			for _, name := range o.Names {
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
	if asked < 100 {
		t.Errorf("found %d places that ask for an option, want a few hundred", asked)
	}
}

// askedOption returns the spelling in a call like args.Text("--log"); empty for any other node.
func askedOption(n ast.Node) string {
	c, ok := n.(*ast.CallExpr)
	if !ok || len(c.Args) != 1 {
		return ""
	}
	method, ok := c.Fun.(*ast.SelectorExpr)
	if !ok || !slices.Contains([]string{"Given", "Text", "Number", "List", "Pairs"}, method.Sel.Name) {
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

// sourceFiles returns the files of all commands without their tests.
func sourceFiles(t *testing.T) []string {
	t.Helper()
	var files []string
	for _, pattern := range []string{"*.go", "*/*.go"} {
		found, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, found...)
	}
	return slices.DeleteFunc(files, func(file string) bool { return strings.HasSuffix(file, "_test.go") })
}
