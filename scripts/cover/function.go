package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"strconv"
	"strings"
)

// function is one function of a file and its statements; or what stands outside of all functions of a file, in variables.
type function struct {
	name, file         string
	line, endLine      int
	statements, missed int
	lines              []string // those that are not reached, as 12 or 12-15
}

// functionsOf returns the functions in which the blocks of profiles are. The files are below the folder root.
func functionsOf(root string, blocks []*block) ([]*function, error) {
	var all, ofFile []*function
	file := ""
	for _, b := range blocks {
		if b.file != file {
			all = append(all, ofFile...)
			var err error
			if ofFile, err = declared(root, b.file); err != nil {
				return nil, err
			}
			file = b.file
		}
		at := ofFile[0]
		for _, f := range ofFile[1:] {
			if f.line <= b.line && b.line <= f.endLine {
				at = f
			}
		}
		at.statements += b.statements
		if !b.reached {
			at.missed += b.statements
			at.lines = append(at.lines, lineRange(b.line, b.endLine))
		}
	}
	return append(all, ofFile...), nil
}

// declared returns the functions that a file declares, after one for what stands outside of them.
func declared(root, file string) ([]*function, error) {
	fset := token.NewFileSet()
	parsed, err := parser.ParseFile(fset, filepath.Join(root, filepath.FromSlash(file)), nil, parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	functions := []*function{{name: "outside of functions", file: file, line: 1}}
	for _, d := range parsed.Decls {
		f, isFunction := d.(*ast.FuncDecl)
		if !isFunction {
			continue
		}
		functions = append(functions, &function{
			name: receiver(f) + f.Name.Name, file: file, line: fset.Position(f.Pos()).Line, endLine: fset.Position(f.End()).Line,
		})
	}
	return functions, nil
}

// receiver returns the type of a method's receiver and a dot.
func receiver(f *ast.FuncDecl) string {
	if f.Recv == nil {
		return ""
	}
	e := f.Recv.List[0].Type
	for {
		switch t := e.(type) {
		case *ast.StarExpr:
			e = t.X
		case *ast.IndexExpr:
			e = t.X
		case *ast.IndexListExpr:
			e = t.X
		case *ast.Ident:
			return t.Name + "."
		default:
			return ""
		}
	}
}

func lineRange(from, to int) string {
	if from == to {
		return strconv.Itoa(from)
	}
	return strconv.Itoa(from) + "-" + strconv.Itoa(to)
}

// place returns where the function stands, as editors open it.
func (f *function) place() string { return strings.Join([]string{f.file, strconv.Itoa(f.line)}, ":") }
