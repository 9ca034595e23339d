package main

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// source is one package, parsed and type-checked. Its files are those that this system compiles.
type source struct {
	path   string // within the module; its name for the package at the top
	folder string // within the module; empty for the one at the top
	fset   *token.FileSet
	files  []*ast.File
	info   *types.Info
	types  *types.Package
	others []string // paths of files for other systems
	tests  []string // paths of test files
}

// fileName returns the base name of the file in which the position is.
func (s *source) fileName(pos token.Pos) string {
	return filepath.Base(s.fset.Position(pos).Filename)
}

// listed is what `go list` says of a package.
type listed struct {
	ImportPath, Name, Dir, Export string
	GoFiles, IgnoredGoFiles       []string
	TestGoFiles, XTestGoFiles     []string
	DepOnly                       bool
	Module                        *struct{ Path string }
}

// load reads the packages that the patterns name, in the module of the folder dir. Imported packages are not parsed:
// their types come from the build cache, which `go list` fills.
func load(ctx context.Context, dir string, patterns []string) ([]*source, error) {
	all, err := list(ctx, dir, patterns)
	if err != nil {
		return nil, err
	}
	exports := map[string]string{}
	for _, l := range all {
		exports[l.ImportPath] = l.Export
	}
	fset := token.NewFileSet()
	imports := importer.ForCompiler(fset, "gc", func(path string) (io.ReadCloser, error) {
		return os.Open(exports[path])
	})
	var packages []*source
	for _, l := range all {
		if l.DepOnly {
			continue
		}
		p, err := check(fset, imports, l)
		if err != nil {
			return nil, err
		}
		packages = append(packages, p)
	}
	return packages, nil
}

// list returns the packages that the patterns name, and all that they import.
func list(ctx context.Context, dir string, patterns []string) ([]*listed, error) {
	args := []string{"list", "-export", "-deps", "-json=ImportPath,Name,Dir,Export,GoFiles,IgnoredGoFiles,TestGoFiles,XTestGoFiles,DepOnly,Module", "--"}
	cmd := exec.CommandContext(ctx, "go", append(args, patterns...)...)
	var complaints bytes.Buffer
	cmd.Dir, cmd.Stderr = dir, &complaints
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("go list: %w\n%s", err, bytes.TrimSpace(complaints.Bytes()))
	}
	var all []*listed
	for decoder := json.NewDecoder(bytes.NewReader(out)); ; {
		var l listed
		if err := decoder.Decode(&l); errors.Is(err, io.EOF) {
			return all, nil
		} else if err != nil {
			return nil, fmt.Errorf("read what go list says: %w", err)
		}
		all = append(all, &l)
	}
}

// check parses the files of a package and resolves all their names.
func check(fset *token.FileSet, imports types.Importer, l *listed) (*source, error) {
	p := &source{path: cmp.Or(folder(l), l.Name), folder: folder(l), fset: fset, info: &types.Info{
		Defs: map[*ast.Ident]types.Object{},
		Uses: map[*ast.Ident]types.Object{},
	}}
	for _, name := range l.GoFiles {
		file, err := parser.ParseFile(fset, filepath.Join(l.Dir, name), nil, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			return nil, err
		}
		p.files = append(p.files, file)
	}
	var err error
	if p.types, err = (&types.Config{Importer: imports}).Check(l.ImportPath, fset, p.files, p.info); err != nil {
		return nil, err
	}
	for _, name := range l.IgnoredGoFiles {
		if strings.HasSuffix(name, "_test.go") {
			p.tests = append(p.tests, filepath.Join(l.Dir, name))
		} else {
			p.others = append(p.others, filepath.Join(l.Dir, name))
		}
	}
	for _, name := range append(l.TestGoFiles, l.XTestGoFiles...) {
		p.tests = append(p.tests, filepath.Join(l.Dir, name))
	}
	return p, nil
}

// folder returns the folder of a package within its module, empty for the one at the top.
func folder(l *listed) string {
	if l.Module == nil {
		return l.ImportPath
	}
	return strings.TrimPrefix(strings.TrimPrefix(l.ImportPath, l.Module.Path), "/")
}
