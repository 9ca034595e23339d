package yaml

import "fmt"

// separator reads the ',' between entries and reports whether an entry may follow.
func (p *parser) separator(first bool, context, problem string, start Mark) bool {
	if first || p.skip(tokenFlowEntry) {
		return p.failure == nil
	}
	t := p.peekToken()
	p.parseFault(context, start, fmt.Sprintf(problem, t.kind), t.start)
	return false
}

func (p *parser) flowSequence(n *Node) {
	start := p.next().start
	for first := true; p.kind() != tokenFlowSequenceEnd; first = false {
		if !p.separator(first, "while parsing a flow sequence", "expected ',' or ']', but got %s", start) {
			return
		}
		switch next := p.kind(); {
		case next == tokenKey:
			n.Children = append(n.Children, p.pair())
		case next != tokenFlowSequenceEnd:
			n.Children = append(n.Children, p.flow())
		}
	}
	p.next()
}

// pair reads a mapping of one key as an entry of a flow sequence: [a: b].
func (p *parser) pair() *Node {
	key := p.next()
	pair := p.node(Mapping, key.start)
	return p.collect(pair, func(n *Node) {
		n.Children = append(n.Children, p.flowPart(key.end, tokenValue, tokenFlowSequenceEnd))
		n.Children = append(n.Children, p.flowValue(tokenFlowSequenceEnd))
	})
}

// flowPart reads a key or a value in a flow collection. Before one of the ends it is empty.
func (p *parser) flowPart(at Mark, ends ...tokenKind) *Node {
	if next := p.kind(); next == tokenFlowEntry || next.in(ends...) {
		return p.empty(at)
	}
	return p.flow()
}

func (p *parser) flowValue(end tokenKind) *Node {
	if t := p.peekToken(); t.kind != tokenValue {
		return p.empty(t.start)
	}
	return p.flowPart(p.next().end, end)
}

func (p *parser) flowMapping(n *Node) {
	start := p.next().start
	for first := true; p.kind() != tokenFlowMappingEnd; first = false {
		if !p.separator(first, "while parsing a flow mapping", "expected ',' or '}', but got %s", start) {
			return
		}
		switch next := p.kind(); {
		case next == tokenKey:
			n.Children = append(n.Children, p.flowPart(p.next().end, tokenValue, tokenFlowMappingEnd))
			n.Children = append(n.Children, p.flowValue(tokenFlowMappingEnd))
		case next != tokenFlowMappingEnd:
			n.Children = append(n.Children, p.flow(), p.empty(p.peekToken().start))
		}
	}
	p.next()
}
