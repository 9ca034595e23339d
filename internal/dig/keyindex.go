package dig

import (
	"iter"
	"slices"

	"github.com/trowel-project/trowel/internal/dig/yaml"
)

// indexedFrom is the number of keys from which a mapping gets an index.
const indexedFrom = 32

// keyIndex finds the keys of a mapping by their texts, since each of 100,000 tasks of a group may be
// looked up. Places are indexes among the mapping's children.
type keyIndex struct {
	byText  map[string][]int // in the order of the file
	through []int            // keys that lead to other mappings: merges and includes
}

// candidates returns the places of a mapping's keys that have a text or may lead to it, last first.
func (s *source) candidates(n *yaml.Node, text string) iter.Seq[int] {
	if len(n.Children) < 2*indexedFrom {
		return func(yield func(int) bool) {
			for i := len(n.Children) - 2; i >= 0; i -= 2 {
				if !yield(i) {
					return
				}
			}
		}
	}
	index := s.index(n)
	places := slices.Concat(index.byText[text], index.through)
	slices.Sort(places)
	return func(yield func(int) bool) {
		for _, place := range slices.Backward(places) {
			if !yield(place) {
				return
			}
		}
	}
}

// index returns the index of a mapping, and makes it at the first call.
func (s *source) index(n *yaml.Node) *keyIndex {
	if index, ok := s.keys[n]; ok {
		return index
	}
	index := &keyIndex{byText: make(map[string][]int, len(n.Children)/2)}
	for i := 0; i+1 < len(n.Children); i += 2 {
		switch key := n.Children[i]; tagOf(key) {
		case tagMerge, tagInclude:
			index.through = append(index.through, i)
		default:
			text := s.keyText(key)
			index.byText[text] = append(index.byText[text], i)
		}
	}
	if s.keys == nil {
		s.keys = map[*yaml.Node]*keyIndex{}
	}
	s.keys[n] = index
	return index
}
