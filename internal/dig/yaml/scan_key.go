package yaml

import "slices"

// The functions here decide what is a key: a scalar, alias, tag, anchor or flow collection
// that a ':' follows on the same line. Before that it is a possible key. There is at most one for each level of
// flow collections.

// dropStaleKeys removes the keys that no ':' followed in time. The oldest come first.
func (s *scanner) dropStaleKeys() {
	stale := 0
	for _, key := range s.keys {
		if int(key.mark.Line) == s.line && s.index-key.index <= keyLength {
			break
		}
		if key.required {
			s.missingColon(key)
			return
		}
		stale++
	}
	if stale > 0 {
		s.keys = append(s.keys[:0], s.keys[stale:]...)
	}
}

func (s *scanner) missingColon(key possibleKey) {
	s.scanFault("while scanning a simple key", key.mark, "could not find expected ':'")
}

// savePossibleKey notes that a key may begin here.
func (s *scanner) savePossibleKey() {
	required := s.flowLevel == 0 && s.indent == s.column
	if !s.keyAllowed {
		if required {
			const problem = "A simple key is required only if it is the first token in the current line"
			s.fail(&Error{Kind: KindYAML, Problem: problem, Place: s.mark(), message: problem})
		}
		return
	}
	s.dropPossibleKey()
	s.keys = append(s.keys, possibleKey{
		flowLevel: s.flowLevel, token: s.taken + len(s.tokens) - s.head, required: required,
		index: s.index, mark: s.mark(),
	})
}

// takePossibleKey removes and returns the possible key of this level of flow collections.
func (s *scanner) takePossibleKey() (possibleKey, bool) {
	for i, key := range slices.Backward(s.keys) {
		if key.flowLevel == s.flowLevel {
			s.keys = append(s.keys[:i], s.keys[i+1:]...)
			return key, true
		}
	}
	return possibleKey{}, false
}

// dropPossibleKey removes the possible key of this level. It is an error if a key was required.
func (s *scanner) dropPossibleKey() {
	if key, ok := s.takePossibleKey(); ok && key.required {
		s.missingColon(key)
	}
}

// unwind ends the block collections that are indented more than column.
func (s *scanner) unwind(column int) {
	if s.flowLevel != 0 {
		return
	}
	for s.indent > column {
		last := len(s.indents) - 1
		s.indent, s.indents = s.indents[last], s.indents[:last]
		s.push(tokenBlockEnd, s.mark())
	}
}

// addIndent reports whether a block collection begins at this column.
func (s *scanner) addIndent(column int) bool {
	if s.indent >= column {
		return false
	}
	s.indents = append(s.indents, s.indent)
	s.indent = column
	return true
}
