package yaml

import (
	"fmt"
	"maps"
	"strings"
)

// MaxDepth is the largest depth of collections.
const MaxDepth = 1000

// MaxSize is the largest size of a text in bytes.
const MaxSize = 1 << 30

// Parse reads a text with one document or none. The error is an *Error.
func Parse(text string) (*Document, error) {
	if len(text) > MaxSize {
		return nil, &Error{Kind: KindLimit, Problem: "the text is too long", message: "the text is too long"}
	}
	text = validText(text)
	p := &parser{scanner: newScanner(text), handles: defaultHandles(), anchors: map[string]*Node{}}
	root := p.document()
	if p.recursion != nil {
		p.report(*p.recursion)
	}
	if p.failure != nil {
		return nil, p.failure
	}
	return &Document{Root: root, reader: p.reader}, nil
}

// parser makes nodes from tokens. After a failure its functions go on with tokens that end
// everything, and their results are useless.
type parser struct {
	*scanner
	handles map[string]string // what the handles of tags stand for
	anchors map[string]*Node
	depth   int
	// recursion is an alias within its own value. It is reported if nothing else is wrong.
	recursion *fault
	free      []Node // new nodes are taken from here
}

func defaultHandles() map[string]string { return map[string]string{"!": "!", "!!": TagPrefix} }

func (p *parser) kind() tokenKind { return p.peekToken().kind }

// skip takes the next token if it is of the kind.
func (p *parser) skip(kind tokenKind) bool {
	if p.kind() != kind {
		return false
	}
	p.next()
	return true
}

// parseFault reports a problem at the mark m, within what began at start.
func (p *parser) parseFault(context string, start Mark, problem string, m Mark) {
	p.report(fault{KindParser, context, &start, problem, &m})
}

// parseFaultAt reports a problem at the mark m.
func (p *parser) parseFaultAt(problem string, m Mark) {
	p.report(fault{KindParser, "", nil, problem, &m})
}

// document reads the whole text, which must have one document or none (language L11).
func (p *parser) document() *Node {
	var root *Node
	switch first := p.kind(); {
	case first.in(tokenDirective, tokenDocumentStart):
		root = p.explicitDocument()
	case first == tokenStreamEnd:
		return nil
	default:
		root = p.block(false)
	}
	for p.skip(tokenDocumentEnd) {
		continue
	}
	if p.kind() == tokenStreamEnd {
		return root
	}
	second := p.peekToken().start
	if p.documentStart() {
		p.report(fault{
			KindComposer, "expected a single document in the stream", &root.Start,
			"but found another document", &second,
		})
	}
	return root
}

// documentStart reads directives and "---".
func (p *parser) documentStart() bool {
	p.directives()
	if t := p.peekToken(); t.kind != tokenDocumentStart {
		p.parseFaultAt(fmt.Sprintf("expected '<document start>', but found '%s'", t.kind), t.start)
		return false
	}
	p.next()
	return p.failure == nil
}

func (p *parser) explicitDocument() *Node {
	if !p.documentStart() {
		return p.node(Scalar, p.mark())
	}
	t := p.peekToken()
	if t.kind.in(tokenDirective, tokenDocumentStart, tokenDocumentEnd, tokenStreamEnd) {
		return p.empty(t.start)
	}
	return p.block(false)
}

func (p *parser) directives() {
	var version string
	handles := map[string]string{}
	for p.kind() == tokenDirective {
		t := p.next()
		switch t.value {
		case "YAML":
			if version != "" {
				p.parseFaultAt("found duplicate YAML directive", t.start)
			}
			version = t.prefix
			if major, _, _ := strings.Cut(version, "."); strings.TrimLeft(major, "0") != "1" {
				p.parseFaultAt("found incompatible YAML document (version 1.* is required)", t.start)
			}
		case "TAG":
			if _, again := handles[t.handle]; again {
				p.parseFaultAt("duplicate tag handle "+t.handle, t.start)
			}
			handles[t.handle] = t.prefix
		}
	}
	maps.Copy(p.handles, handles)
}

// node returns a new node.
func (p *parser) node(kind Kind, start Mark) *Node {
	if len(p.free) == 0 {
		p.free = make([]Node, 256)
	}
	n := &p.free[0]
	p.free = p.free[1:]
	n.Kind, n.Start = kind, start
	return n
}

// empty returns the node for a value that is left out.
func (p *parser) empty(at Mark) *Node {
	n := p.node(Scalar, at)
	n.Plain = true
	return n
}

// block reads a node in a block collection. withoutIndent allows a sequence that is not indented
// more than its key.
func (p *parser) block(withoutIndent bool) *Node { return p.value("block", withoutIndent) }

func (p *parser) flow() *Node { return p.value("flow", false) }

// value reads a node with its anchor and tag.
func (p *parser) value(context string, withoutIndent bool) *Node {
	if t := p.peekToken(); t.kind == tokenAlias {
		p.next()
		return p.alias(t)
	}
	props := p.properties()
	start := p.peekToken().start
	if props.any {
		start = props.start
	}
	n := p.content(context, start, props, withoutIndent)
	return n
}

// properties are the anchor and the tag before a node.
type properties struct {
	any    bool
	anchor string
	tag    string
	start  Mark
}

func (p *parser) properties() (props properties) {
	var tag *token
	for range 2 {
		t := p.peekToken()
		switch {
		case t.kind == tokenAnchor && props.anchor == "":
			props.anchor = t.value
		case t.kind == tokenTag && tag == nil:
			tag = &token{value: t.value, handle: t.handle, start: t.start}
		default:
			continue
		}
		if !props.any {
			props.any, props.start = true, t.start
		}
		p.next()
	}
	if tag == nil {
		return props
	}
	if tag.handle == "" {
		props.tag = tag.value
		return props
	}
	prefix, ok := p.handles[tag.handle]
	if !ok {
		p.parseFault("while parsing a node", props.start, "found undefined tag handle "+tag.handle, tag.start)
	}
	props.tag = prefix + tag.value
	return props
}

func (p *parser) alias(t *token) *Node {
	n, ok := p.anchors[t.value]
	switch {
	case p.failure != nil:
	case !ok:
		start := t.start
		p.report(fault{KindComposer, "", nil, "found undefined alias " + t.value, &start})
	case n.open:
		problem := "found alias " + t.value + " within the value that it stands for"
		start := t.start
		p.recursion = &fault{KindLimit, "", nil, problem, &start}
	default:
		return n
	}
	return p.empty(t.start)
}

// begin returns the node for a value that begins, and makes it known by its anchor.
func (p *parser) begin(kind Kind, start Mark, props properties) *Node {
	n := p.node(kind, start)
	n.Tag = props.tag
	if props.tag == "!" {
		n.Tag, n.Plain = "", true
	}
	if props.anchor != "" {
		n.Anchored = true
		p.anchors[props.anchor] = n
	}
	return n
}

func (p *parser) content(context string, start Mark, props properties, withoutIndent bool) *Node {
	t := p.peekToken()
	inBlock := context == "block"
	switch {
	case withoutIndent && t.kind == tokenBlockEntry:
		return p.collect(p.begin(Sequence, start, props), p.sequenceWithoutIndent)
	case t.kind == tokenScalar:
		n := p.begin(Scalar, start, props)
		n.Value = t.value
		n.Plain = n.Plain || t.plain && props.tag == ""
		p.next()
		return n
	case t.kind == tokenFlowSequenceStart:
		return p.collect(p.begin(Sequence, start, props), p.flowSequence)
	case t.kind == tokenFlowMappingStart:
		return p.collect(p.begin(Mapping, start, props), p.flowMapping)
	case inBlock && t.kind == tokenBlockSequenceStart:
		return p.collect(p.begin(Sequence, start, props), p.blockSequence)
	case inBlock && t.kind == tokenBlockMappingStart:
		return p.collect(p.begin(Mapping, start, props), p.blockMapping)
	case props.any:
		n := p.begin(Scalar, start, props)
		n.Plain = n.Plain || props.tag == ""
		return n
	default:
		p.parseFault("while parsing a "+context+" node", start,
			fmt.Sprintf("expected the node content, but found '%s'", t.kind), t.start)
		return p.empty(start)
	}
}

// collect reads the children of a collection.
func (p *parser) collect(n *Node, read func(*Node)) *Node {
	p.depth++
	if p.depth > MaxDepth {
		problem := fmt.Sprintf("found more than %d collections within each other", MaxDepth)
		p.report(fault{KindLimit, "", nil, problem, &n.Start})
		p.depth--
		return n
	}
	n.open = true
	read(n)
	n.open = false
	p.depth--
	return n
}
