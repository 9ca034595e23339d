package dig

import (
	"fmt"

	"github.com/trowel-project/trowel/internal/dig/yaml"
	"github.com/trowel-project/trowel/internal/param"
)

// Texts of L14 and L18.
const (
	duplicateKeys = "Duplicated keys: [%s]"
	mergeContext  = "while constructing a mapping"
	mergeScalar   = "expected a mapping or list of mappings for merging, but found %s"
	mergeElement  = "expected a mapping for merging, but found %s"
)

// entry is a key of a mapping with its value.
type entry struct {
	key     key
	keyNode *yaml.Node
	value   *yaml.Node
}

// mapping makes an object of a mapping (language L14 to L18).
func (c *conversion) mapping(n *yaml.Node) (param.Value, *Error) {
	if err := c.tolerate(c.checkDuplicates(n)); err != nil {
		return nil, err
	}
	entries, err := c.entries(n)
	if err != nil {
		return nil, err
	}
	m := param.Sized(len(entries))
	for _, e := range entries {
		value, err := c.value(e.value)
		if err != nil {
			return nil, err
		}
		if e.key.kind == 'n' {
			c.nullKey = e.keyNode
		}
		m.Set(e.key.text, value)
	}
	return m, nil
}

// checkDuplicates refuses keys that are written in the same way (language L14).
func (c *conversion) checkDuplicates(n *yaml.Node) *Error {
	var twice []string
	if len(n.Children) <= 32 {
		twice = duplicatesOfFew(n)
	} else {
		twice = duplicatesOfMany(n)
	}
	if twice == nil {
		return nil
	}
	message := fmt.Sprintf(duplicateKeys, hashOrder(keyTexts(n), twice))
	return &Error{Kind: KindDuplicateKey, Message: message, place: lastKey(n, twice[0])}
}

// lastKey returns the place of the last key with a text.
func lastKey(n *yaml.Node, text string) (place *yaml.Mark) {
	for i := 0; i+1 < len(n.Children); i += 2 {
		if key := n.Children[i]; key.Value == text && isWrittenKey(key) {
			place = &key.Start
		}
	}
	return place
}

func isWrittenKey(n *yaml.Node) bool { return n.Kind == yaml.Scalar && n.Tag != tagInclude }

func duplicatesOfFew(n *yaml.Node) (twice []string) {
	for i := 0; i+1 < len(n.Children); i += 2 {
		for j := 0; j < i; j += 2 {
			a, b := n.Children[i], n.Children[j]
			if a.Value == b.Value && isWrittenKey(a) && isWrittenKey(b) {
				twice = append(twice, a.Value)
			}
		}
	}
	return twice
}

func duplicatesOfMany(n *yaml.Node) (twice []string) {
	seen := make(map[string]bool, len(n.Children)/2)
	for i := 0; i+1 < len(n.Children); i += 2 {
		key := n.Children[i]
		if !isWrittenKey(key) {
			continue
		}
		if seen[key.Value] {
			twice = append(twice, key.Value)
		}
		seen[key.Value] = true
	}
	return twice
}

func keyTexts(n *yaml.Node) (texts []string) {
	for i := 0; i+1 < len(n.Children); i += 2 {
		if key := n.Children[i]; isWrittenKey(key) {
			texts = append(texts, key.Value)
		}
	}
	return texts
}

// entries returns the keys and values of a mapping, including those of its merge keys (language L18).
func (c *conversion) entries(n *yaml.Node) ([]entry, *Error) {
	entries := make([]entry, 0, len(n.Children)/2)
	var others map[key]bool // keys that are not texts: 1 and 0x1 are equal though written differently
	merges, alike := false, false
	for i := 0; i+1 < len(n.Children); i += 2 {
		keyNode := n.Children[i]
		if tagOf(keyNode) == tagMerge {
			merges = true
			continue
		}
		k, err := c.key(keyNode)
		if err != nil {
			return nil, err
		}
		entries = append(entries, entry{k, keyNode, n.Children[i+1]})
		if k.kind != 's' && k.kind != 'i' {
			if others == nil {
				others = map[key]bool{}
			}
			alike = alike || others[k]
			others[k] = true
		}
	}
	if alike {
		entries = lastOfAlike(entries)
	}
	if !merges {
		return entries, nil
	}
	m := &merge{conversion: c, index: map[key]int{}}
	if err := m.add(n, true); err != nil {
		return nil, err
	}
	n.Children = make([]*yaml.Node, 0, 2*len(m.entries)) // an alias of it finds it merged
	for _, e := range m.entries {
		n.Children = append(n.Children, e.keyNode, e.value)
	}
	return m.entries, nil
}

// lastOfAlike removes entries whose key a later one has.
func lastOfAlike(entries []entry) []entry {
	last := map[key]int{}
	for i, e := range entries {
		last[e.key] = i
	}
	kept := entries[:0]
	for i, e := range entries {
		if last[e.key] == i {
			kept = append(kept, e)
		}
	}
	return kept
}

// merge collects the entries of a mapping and of the mappings that its merge keys name. A key keeps its first
// place. The value of the mapping itself has priority over merged ones, and an earlier merged one over
// later ones.
type merge struct {
	*conversion
	entries []entry
	index   map[key]int
}

// add adds the entries of a mapping. As in SnakeYAML, this removes its merge keys: an
// alias of a mapping after a merge key gets it without them (quirk).
func (m *merge) add(n *yaml.Node, own bool) *Error {
	children := n.Children
	if err := m.spend(len(children)/2, n); err != nil {
		return err
	}
	kept := make([]*yaml.Node, 0, len(children))
	for i := 0; i+1 < len(children); i += 2 {
		keyNode, value := children[i], children[i+1]
		if tagOf(keyNode) == tagMerge {
			if err := m.addMerged(n, value); err != nil {
				return err
			}
			continue
		}
		kept = append(kept, keyNode, value)
		k, err := m.key(keyNode)
		if err != nil {
			return err
		}
		if at, ok := m.index[k]; !ok {
			m.index[k] = len(m.entries)
			m.entries = append(m.entries, entry{k, keyNode, value})
		} else if own {
			m.entries[at] = entry{k, keyNode, value}
		}
	}
	if len(kept) < len(children) {
		n.Children = kept
	}
	return nil
}

// addMerged adds what a merge key names: a mapping, or a list of mappings.
func (m *merge) addMerged(n, value *yaml.Node) *Error {
	switch value.Kind {
	case yaml.Mapping:
		return m.add(value, false)
	case yaml.Sequence:
		for _, element := range value.Children {
			if element.Kind != yaml.Mapping {
				problem := fmt.Sprintf(mergeElement, element.Kind)
				return yamlError(m.doc.Error(KindConstructor, mergeContext, n, problem, element))
			}
			if err := m.add(element, false); err != nil {
				return err
			}
		}
		return nil
	case yaml.Scalar:
	}
	problem := fmt.Sprintf(mergeScalar, value.Kind)
	return yamlError(m.doc.Error(KindConstructor, mergeContext, n, problem, value))
}

// set makes a list of the keys of a mapping with the tag !!set (language L19).
func (c *conversion) set(n *yaml.Node) (param.Value, *Error) {
	entries, err := c.entries(n)
	if err != nil {
		return nil, err
	}
	list := make(param.List, 0, len(entries))
	for _, e := range entries {
		value, err := c.value(e.keyNode)
		if err != nil {
			return nil, err
		}
		list = append(list, value)
	}
	return list, nil
}
