package dig

import (
	"path"
	"slices"
	"strings"

	"github.com/trowel-project/trowel/internal/dig/yaml"
)

// source is a file that is read again to find places in it.
type source struct {
	name string
	text string
	doc  *yaml.Document
	root *yaml.Node // nil if the text is not YAML

	lines []string                 // of the text; nil until a line is needed
	keys  map[*yaml.Node]*keyIndex // of the large mappings that were searched
}

// sources keeps the files that were read.
type sources struct {
	loader *loader
	byName map[string]*source
}

func newSources(l *loader) *sources { return &sources{loader: l, byName: map[string]*source{}} }

// get returns a file, or nil if it cannot be read.
func (s *sources) get(name string) *source {
	if known, ok := s.byName[name]; ok {
		return known
	}
	text, err := s.loader.read(name)
	if err != nil {
		s.byName[name] = nil
		return nil
	}
	src := &source{name: name, text: text}
	s.byName[name] = src
	if doc, err := yaml.Parse(text); err == nil {
		src.doc, src.root = doc, doc.Root
	}
	return src
}

// locate returns the place of the last key of a path, or of the deepest of its keys that is there.
// It follows merge keys and includes as the loader does.
func (s *sources) locate(file string, keys []string) Place {
	src := s.get(file)
	if src == nil || src.root == nil || len(keys) == 0 {
		return Place{File: file, Line: 1, Column: 1}
	}
	found := s.search(src, src.root, keys, 0)
	if found.depth == 0 {
		return Place{File: file, Line: 1, Column: 1}
	}
	return found.place
}

// hit says how far a search came.
type hit struct {
	depth int
	place Place
}

func (h hit) orDeeper(other hit) hit {
	if other.depth > h.depth {
		return other
	}
	return h
}

// maxSearch limits how many includes and merge keys a search follows in one place.
const maxSearch = 32

func (s *sources) search(src *source, n *yaml.Node, keys []string, level int) hit {
	if len(keys) == 0 || level > maxSearch {
		return hit{}
	}
	if n.Kind == yaml.Sequence { // L66: the last element counts
		best := hit{}
		for _, element := range slices.Backward(n.Children) {
			best = best.orDeeper(s.search(src, element, keys, level+1))
		}
		return best
	}
	if n.Kind != yaml.Mapping {
		return hit{}
	}
	best := hit{}
	for i := range src.candidates(n, keys[0]) {
		key, value := n.Children[i], n.Children[i+1]
		switch {
		case tagOf(key) == tagMerge:
			best = best.orDeeper(s.search(src, value, keys, level+1))
		case tagOf(key) == tagInclude:
			best = best.orDeeper(s.searchIncluded(src, value, keys, level))
		case src.keyText(key) == keys[0]:
			here := hit{1, placeIn(src.name, key.Start)}
			if inner := s.search(src, value, keys[1:], level); inner.depth > 0 {
				here = hit{inner.depth + 1, inner.place}
			}
			best = best.orDeeper(here)
		}
		if best.depth == len(keys) {
			return best
		}
	}
	return best
}

func (s *sources) searchIncluded(src *source, value *yaml.Node, keys []string, level int) hit {
	file, ok := includePath(s.loader.dir, path.Dir(src.name), value.Value)
	if !ok {
		return hit{}
	}
	included := s.get(file)
	if included == nil || included.root == nil {
		return hit{}
	}
	return s.search(included, included.root, keys, level+1)
}

// keyText returns the text that a key becomes (language L16).
func (s *source) keyText(n *yaml.Node) string {
	if n.Kind != yaml.Scalar {
		return ""
	}
	if tagOf(n) == tagStr {
		return n.Value
	}
	k, err := newConversion(s.doc).key(n)
	if err != nil {
		return n.Value
	}
	return k.text
}

func placeIn(file string, m yaml.Mark) Place {
	return Place{File: file, Line: int(m.Line) + 1, Column: int(m.Column) + 1}
}

// line returns the text of a line.
func (s *source) line(number int) string {
	if s.lines == nil {
		s.lines = slices.Collect(strings.Lines(s.text))
	}
	if number < 1 || number > len(s.lines) {
		return ""
	}
	return strings.TrimRight(s.lines[number-1], "\r\n")
}
