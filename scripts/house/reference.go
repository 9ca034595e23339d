package main

import (
	"go/token"
	"go/types"
	"maps"
	"slices"
)

// references are the names that files of a package use of each other: file, then the file that declares them, then how
// often each name is used. Methods and fields count as names of the file that declares them.
type references map[string]map[string]map[string]int

func referencesOf(p *source) references {
	owners := owners(p.types)
	refs := references{}
	for _, f := range p.files {
		refs[p.fileName(f.Pos())] = map[string]map[string]int{}
	}
	for ident, object := range p.info.Uses {
		if object.Pkg() != p.types || object.Pos() == token.NoPos {
			continue
		}
		if _, isPackage := object.(*types.PkgName); isPackage {
			continue
		}
		from, to := p.fileName(ident.Pos()), p.fileName(object.Pos())
		if from == to {
			continue
		}
		if refs[from][to] == nil {
			refs[from][to] = map[string]int{}
		}
		refs[from][to][nameOf(object, owners)]++
	}
	return refs
}

// owners returns the types that the fields of the package's named structs belong to.
func owners(p *types.Package) map[types.Object]string {
	owners := map[types.Object]string{}
	for _, name := range p.Scope().Names() {
		t, isType := p.Scope().Lookup(name).(*types.TypeName)
		if !isType {
			continue
		}
		if s, isStruct := t.Type().Underlying().(*types.Struct); isStruct && !t.IsAlias() {
			for field := range s.Fields() {
				owners[field] = name
			}
		}
	}
	return owners
}

// nameOf returns the name of an object as its package calls it: Type.method, Type.field, function.
func nameOf(object types.Object, owners map[types.Object]string) string {
	switch o := object.(type) {
	case *types.Func:
		if receiver := o.Signature().Recv(); receiver != nil {
			t := receiver.Type()
			if pointer, isPointer := t.(*types.Pointer); isPointer {
				t = pointer.Elem()
			}
			if named, isNamed := t.(*types.Named); isNamed {
				return named.Obj().Name() + "." + o.Name()
			}
		}
	case *types.Var:
		if owner := owners[o.Origin()]; owner != "" {
			return owner + "." + o.Name()
		}
	}
	return object.Name()
}

// circle returns the largest set of files each of which refers to all others, directly or through others of them. Where
// no two files refer to each other it is empty. Of sets of one size it is the one with the first name.
func (refs references) circle() []string {
	s := search{refs: refs, order: map[string]int{}, low: map[string]int{}, open: map[string]bool{}}
	for _, file := range slices.Sorted(maps.Keys(refs)) {
		if s.order[file] == 0 {
			s.visit(file)
		}
	}
	return s.largest
}

// search is Tarjan's search for strongly connected components.
type search struct {
	refs       references
	order, low map[string]int // when a file was met, from 1; the earliest one that can be reached from it
	stack      []string
	open       map[string]bool // files on the stack
	largest    []string
}

func (s *search) visit(file string) {
	s.order[file] = len(s.order) + 1
	s.low[file] = s.order[file]
	s.stack, s.open[file] = append(s.stack, file), true
	for _, to := range slices.Sorted(maps.Keys(s.refs[file])) {
		if s.order[to] == 0 {
			s.visit(to)
			s.low[file] = min(s.low[file], s.low[to])
		} else if s.open[to] {
			s.low[file] = min(s.low[file], s.order[to])
		}
	}
	if s.low[file] < s.order[file] {
		return
	}
	at := slices.Index(s.stack, file)
	found := slices.Sorted(slices.Values(s.stack[at:]))
	s.stack = s.stack[:at]
	for _, member := range found {
		s.open[member] = false
	}
	if len(found) < 2 {
		return
	}
	if larger := len(found) - len(s.largest); larger > 0 || larger == 0 && found[0] < s.largest[0] {
		s.largest = found
	}
}
