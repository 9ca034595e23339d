package yaml

// The functions here make the tokens of single characters.

func (s *scanner) fetchEnd() {
	s.unwind(-1)
	s.dropPossibleKey()
	s.keyAllowed = false
	s.keys = nil
	s.push(tokenStreamEnd, s.mark())
	s.done = true
}

func (s *scanner) fetchDocumentIndicator(kind tokenKind) {
	s.unwind(-1)
	s.dropPossibleKey()
	s.keyAllowed = false
	s.fetchCharacters(kind, 3)
}

// fetchCharacters makes a token of the next n characters.
func (s *scanner) fetchCharacters(kind tokenKind, n int) {
	start := s.mark()
	s.forward(n)
	s.push(kind, start)
}

func (s *scanner) fetchFlowStart(kind tokenKind) {
	s.savePossibleKey()
	s.flowLevel++
	s.keyAllowed = true
	s.fetchCharacters(kind, 1)
}

func (s *scanner) fetchFlowEnd(kind tokenKind) {
	s.dropPossibleKey()
	s.flowLevel--
	s.keyAllowed = false
	s.fetchCharacters(kind, 1)
}

func (s *scanner) fetchFlowEntry() {
	s.keyAllowed = true
	s.dropPossibleKey()
	s.fetchCharacters(tokenFlowEntry, 1)
}

// allowed reports an indicator at a place where no block collection or key may begin.
func (s *scanner) allowed(problem string) bool {
	if s.flowLevel == 0 && !s.keyAllowed {
		s.scanFaultHere("", problem)
		return false
	}
	return true
}

func (s *scanner) fetchBlockEntry() {
	if !s.allowed("sequence entries are not allowed here") {
		return
	}
	if s.flowLevel == 0 && s.addIndent(s.column) {
		s.push(tokenBlockSequenceStart, s.mark())
	}
	s.keyAllowed = true
	s.dropPossibleKey()
	s.fetchCharacters(tokenBlockEntry, 1)
}

func (s *scanner) fetchKey() {
	if !s.allowed("mapping keys are not allowed here") {
		return
	}
	if s.flowLevel == 0 && s.addIndent(s.column) {
		s.push(tokenBlockMappingStart, s.mark())
	}
	s.keyAllowed = s.flowLevel == 0
	s.dropPossibleKey()
	s.fetchCharacters(tokenKey, 1)
}

func (s *scanner) fetchValue() {
	if key, ok := s.takePossibleKey(); ok {
		s.insert(key.token, tokenKey, key.mark)
		if s.flowLevel == 0 && s.addIndent(int(key.mark.Column)) {
			s.insert(key.token, tokenBlockMappingStart, key.mark)
		}
		s.keyAllowed = false
	} else {
		if !s.allowed("mapping values are not allowed here") {
			return
		}
		if s.flowLevel == 0 && s.addIndent(s.column) {
			s.push(tokenBlockMappingStart, s.mark())
		}
		s.keyAllowed = s.flowLevel == 0
		s.dropPossibleKey()
	}
	s.fetchCharacters(tokenValue, 1)
}
