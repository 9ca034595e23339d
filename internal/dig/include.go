package dig

import (
	"fmt"
	"io/fs"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/trowel-project/trowel/internal/dig/yaml"
	"github.com/trowel-project/trowel/internal/param"
)

// includePrefix begins the text of the tag !include, which becomes the key "!include:<id>" (language L24). As
// in Digdag, a key or value that is written like this includes a file, too.
const includePrefix = "!include:"

// Texts of L26, and Trowel's own.
const (
	includeOutside = "File name must not include ..: %s"
	includeCycle   = "File includes itself: %s"
	includeTooMany = "More than %d files are included"
	grownTooMuch   = "aliases and included files stand for more than %d values in all files of the project"
	readTooMuch    = "included files have more than %d MB, each counted as often as it is included"
)

// maxIncludes is how many files one file may include, with those that these include.
const maxIncludes = 10_000

// growth counts what aliases and includes add to the files of a project: a file that is included ten times counts
// ten times. Without a limit an archive of some kilobytes could fill the memory of its reader.
type growth struct {
	values int // of aliases, merge keys and included files; at most maxExpansion
	bytes  int // of included files; at most maxIncludedBytes
}

const maxIncludedBytes = 64 << 20

// add counts a file with length bytes of text. Beyond the limits no more files are read.
func (g *growth) add(d *document, length int, included bool) *Error {
	g.values += d.expanded
	if included {
		g.values += d.values - d.expanded
		g.bytes += length
	}
	switch {
	case g.values > maxExpansion:
		return &Error{Kind: KindLimit, Message: fmt.Sprintf(grownTooMuch, maxExpansion), aborts: true}
	case g.bytes > maxIncludedBytes:
		return &Error{Kind: KindLimit, Message: fmt.Sprintf(readTooMuch, maxIncludedBytes>>20), aborts: true}
	}
	return nil
}

// loader reads one file of a project with everything that it includes.
type loader struct {
	files    fs.FS
	dir      string   // absolute path of the project, as messages show it
	chain    []string // files that are being read, each of which includes the next
	included int
	lenient  bool                  // go on as if files that cannot be included were empty
	roots    map[string]*yaml.Node // roots of the files that were read; nil if they are not wanted
	growth   growth                // with that of earlier files
}

// load reads a file, which must contain an object, and expands its includes (language 1.5). The name
// is a slash path from the project's root.
func (l *loader) load(name string) (*param.Map, *Error) {
	if at := slices.Index(l.chain, name); at >= 0 {
		return nil, &Error{Kind: KindInclude, Message: cycleMessage(l.chain[at:], name)}
	}
	text, err := l.read(name)
	if err != nil {
		return nil, err
	}
	document, err := read(text, l.lenient)
	if err != nil {
		return nil, err
	}
	if l.roots != nil {
		l.roots[name] = document.root
	}
	if err := l.growth.add(&document, len(text), len(l.chain) > 0); err != nil {
		return nil, err
	}
	object, err := document.object()
	if err != nil || !document.hasIncludes {
		return object, err
	}
	l.chain = append(l.chain, name)
	object, err = l.expand(object, path.Dir(name))
	l.chain = l.chain[:len(l.chain)-1]
	return object, err
}

// cycleMessage names the files that include each other, and the one that closes the circle.
func cycleMessage(chain []string, again string) string {
	return fmt.Sprintf(includeCycle, strings.Join(chain, " includes ")+" includes "+again)
}

// expand returns the object with its includes replaced. dir is the folder of its file.
func (l *loader) expand(object *param.Map, dir string) (*param.Map, *Error) {
	built := param.Sized(object.Len())
	for key, value := range object.All() {
		text, isText := value.(string)
		switch value := value.(type) {
		case *param.Map:
			inner, err := l.expand(value, dir)
			if err != nil {
				return nil, err
			}
			built.Set(key, inner)
			continue
		case param.List:
			list, err := l.expandList(value, dir)
			if err != nil {
				return nil, err
			}
			built.Set(key, list)
			continue
		}
		switch {
		case strings.HasPrefix(key, includePrefix):
			if !isText {
				text = param.JSON(value) // L29
			}
			included, err := l.include(text, dir)
			if err != nil {
				return nil, err
			}
			built.Merge(included) // L27
		case strings.HasPrefix(text, includePrefix): // L25
			included, err := l.include(text, dir)
			if err != nil {
				return nil, err
			}
			built.Set(key, included)
		default:
			built.Set(key, value)
		}
	}
	return built, nil
}

func (l *loader) expandList(list param.List, dir string) (param.List, *Error) {
	built := make(param.List, len(list))
	for i, element := range list {
		var err *Error
		switch element := element.(type) {
		case *param.Map:
			built[i], err = l.expand(element, dir)
		case param.List:
			built[i], err = l.expandList(element, dir)
		case string:
			built[i] = element
			if strings.HasPrefix(element, includePrefix) {
				built[i], err = l.include(element, dir)
			}
		default:
			built[i] = element
		}
		if err != nil {
			return nil, err
		}
	}
	return built, nil
}

// include reads an included file.
func (l *loader) include(name, dir string) (*param.Map, *Error) {
	included, err := l.includeStrictly(name, dir)
	if err != nil && l.lenient && err.Kind != KindLimit {
		return param.New(), nil
	}
	return included, err
}

func (l *loader) includeStrictly(name, dir string) (*param.Map, *Error) {
	l.included++
	if l.included > maxIncludes {
		return nil, &Error{Kind: KindLimit, Message: fmt.Sprintf(includeTooMany, maxIncludes)}
	}
	file, ok := includePath(l.dir, dir, name)
	if !ok {
		return nil, &Error{Kind: KindFileNotFound, Message: fmt.Sprintf(includeOutside, name), aborts: true}
	}
	return l.load(file)
}

// includePath resolves the path of an include against the folder of its file, and
// reports whether it is allowed: as a text it must begin with that folder (language L26).
// So "../ab" is allowed from the folder "a" (quirk), but nothing outside of the project is.
func includePath(project, dir, name string) (file string, ok bool) {
	root := strings.TrimSuffix(filepath.ToSlash(project), "/")
	folder := path.Join(root+"/", dir)
	target := path.Join(folder, name)
	if path.IsAbs(name) {
		target = path.Clean(name)
	}
	if !strings.HasPrefix(target, folder) {
		return "", false
	}
	if target == root {
		return ".", true
	}
	file, ok = strings.CutPrefix(target, root+"/")
	return file, ok && fs.ValidPath(file)
}
