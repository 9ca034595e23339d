package main

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/token"
	"os"
	"path"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// longText is from how many characters on a text that stands twice is worth a name.
const longText = 28

// figures are what is counted in one package, tests apart.
type figures struct {
	lines, testLines      int
	receivers             map[string]*receiver
	fields                map[string]int      // by struct; an embedded one counts as one
	places                map[string][]string // where a long text stands, file:line
	exported, withComment int                 // exported fields of structs
}

// receiver is one type with methods.
type receiver struct {
	methods int
	files   map[string]bool
}

func count(p *source) (*figures, error) {
	f := &figures{receivers: map[string]*receiver{}, fields: map[string]int{}, places: map[string][]string{}}
	for _, file := range p.files {
		f.lines += p.fset.File(file.Pos()).LineCount() - 1
		ast.Inspect(file, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.ImportSpec:
				return false
			case *ast.FuncDecl:
				f.countMethod(n, p.fileName(n.Pos()))
			case *ast.TypeSpec:
				if s, isStruct := n.Type.(*ast.StructType); isStruct {
					f.fields[n.Name.Name] = s.Fields.NumFields()
				}
			case *ast.StructType:
				f.countComments(n)
			case *ast.Field:
				n.Tag = nil // no text of the program
			case *ast.BasicLit:
				f.countText(n, p)
			}
			return true
		})
	}
	for _, path := range p.others {
		lines, err := countLines(path)
		if err != nil {
			return nil, err
		}
		f.lines += lines
	}
	for _, path := range p.tests {
		lines, err := countLines(path)
		if err != nil {
			return nil, err
		}
		f.testLines += lines
	}
	return f, nil
}

func (f *figures) countMethod(function *ast.FuncDecl, file string) {
	if function.Recv == nil {
		return
	}
	name := receiverName(function.Recv.List[0].Type)
	if f.receivers[name] == nil {
		f.receivers[name] = &receiver{files: map[string]bool{}}
	}
	f.receivers[name].methods++
	f.receivers[name].files[file] = true
}

// receiverName returns the name of a receiver's type, without pointer and type parameters.
func receiverName(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.Ident:
		return e.Name
	case *ast.StarExpr:
		return receiverName(e.X)
	case *ast.ParenExpr:
		return receiverName(e.X)
	case *ast.IndexExpr:
		return receiverName(e.X)
	case *ast.IndexListExpr:
		return receiverName(e.X)
	default:
		return fmt.Sprintf("%T", e)
	}
}

// countComments counts the exported fields of a struct, and those with a comment above or beside them.
func (f *figures) countComments(s *ast.StructType) {
	for _, field := range s.Fields.List {
		for _, name := range field.Names {
			if !name.IsExported() {
				continue
			}
			f.exported++
			if field.Doc != nil || field.Comment != nil {
				f.withComment++
			}
		}
	}
}

func (f *figures) countText(literal *ast.BasicLit, p *source) {
	if literal.Kind != token.STRING {
		return
	}
	text, err := strconv.Unquote(literal.Value)
	if err != nil || utf8.RuneCountInString(text) < longText {
		return
	}
	at := fmt.Sprintf("%s:%d", path.Join(p.folder, p.fileName(literal.Pos())), p.fset.Position(literal.Pos()).Line)
	f.places[text] = append(f.places[text], at)
}

func countLines(path string) (int, error) {
	content, err := os.ReadFile(path)
	if err != nil {
		return 0, err
	}
	return bytes.Count(content, []byte{'\n'}), nil
}

// repeated is a long text that stands in several places.
type repeated struct {
	text   string
	places []string
}

// repeatedTexts returns the long texts that stand more than once in all packages together, the most frequent ones first.
func repeatedTexts(all []*figures) []repeated {
	places := map[string][]string{}
	for _, f := range all {
		for text, at := range f.places {
			places[text] = append(places[text], at...)
		}
	}
	var found []repeated
	for text, at := range places {
		if len(at) > 1 {
			found = append(found, repeated{text, at})
		}
	}
	slices.SortFunc(found, func(a, b repeated) int {
		if d := len(b.places) - len(a.places); d != 0 {
			return d
		}
		return strings.Compare(a.text, b.text)
	})
	return found
}
