package yaml

// Kind is what a node is.
type Kind uint8

// Kinds of nodes.
const (
	Scalar Kind = iota
	Sequence
	Mapping
)

// String returns how messages name the kind.
func (k Kind) String() string {
	switch k {
	case Scalar:
		return "scalar"
	case Sequence:
		return "sequence"
	case Mapping:
		return "mapping"
	default:
		return "node"
	}
}

// Node is a value with its place. An alias is not a node. The node of its anchor is there as well,
// so a tree may have several paths to one node, but none from a node to itself.
type Node struct {
	Kind     Kind
	Plain    bool // a scalar whose text decides its type, if it has no tag
	Anchored bool // other places may refer to it
	open     bool // its children are being read
	Start    Mark
	Tag      string // as "tag:yaml.org,2002:int" or "!include"; empty if there is none
	Value    string // text of a scalar
	// Children are the items of a sequence, or in turn the keys and values of a mapping.
	Children []*Node
}

// TagPrefix is what "!!" stands for.
const TagPrefix = "tag:yaml.org,2002:"

// Document is the one document of a text.
type Document struct {
	Root   *Node // nil if the text has no document
	reader *reader
}

// Error returns an error about nodes of the document, in the form of the others.
func (d *Document) Error(kind, context string, contextNode *Node, problem string, problemNode *Node) *Error {
	f := fault{kind: kind, context: context, problem: problem, problemMark: &problemNode.Start}
	if contextNode != nil {
		f.contextMark = &contextNode.Start
	}
	return f.error(d.reader)
}
