package yaml

import "fmt"

func (p *parser) blockSequence(n *Node) {
	start := p.next().start
	for p.kind() == tokenBlockEntry {
		entry := p.next()
		if p.kind().in(tokenBlockEntry, tokenBlockEnd) {
			n.Children = append(n.Children, p.empty(entry.end))
		} else {
			n.Children = append(n.Children, p.block(false))
		}
	}
	p.blockEnd("while parsing a block collection", start)
}

func (p *parser) blockEnd(context string, start Mark) {
	t := p.peekToken()
	if t.kind != tokenBlockEnd {
		p.parseFault(context, start, fmt.Sprintf("expected <block end>, but found '%s'", t.kind), t.start)
		return
	}
	p.next()
}

// sequenceWithoutIndent reads a sequence whose entries are below their key and not indented more.
func (p *parser) sequenceWithoutIndent(n *Node) {
	for p.kind() == tokenBlockEntry {
		entry := p.next()
		if p.kind().in(tokenBlockEntry, tokenKey, tokenValue, tokenBlockEnd) {
			n.Children = append(n.Children, p.empty(entry.end))
		} else {
			n.Children = append(n.Children, p.block(false))
		}
	}
}

func (p *parser) blockMapping(n *Node) {
	start := p.next().start
	for p.kind() == tokenKey {
		key := p.blockPart(p.next().end)
		n.Children = append(n.Children, key, p.blockValue())
	}
	p.blockEnd("while parsing a block mapping", start)
}

// blockPart reads the key or the value after its indicator.
func (p *parser) blockPart(end Mark) *Node {
	if p.kind().in(tokenKey, tokenValue, tokenBlockEnd) {
		return p.empty(end)
	}
	return p.block(true)
}

func (p *parser) blockValue() *Node {
	if t := p.peekToken(); t.kind != tokenValue {
		return p.empty(t.start)
	}
	return p.blockPart(p.next().end)
}
