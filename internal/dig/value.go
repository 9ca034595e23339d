package dig

import (
	"fmt"
	"math/big"
	"strings"

	"github.com/trowel-project/trowel/internal/dig/yaml"
	"github.com/trowel-project/trowel/internal/param"
)

// Texts of L12, L16 and L19.
const (
	notObject  = "Expected object to load Config but got %s"
	nullKey    = "Null key for a Map not allowed in JSON (use a converting NullKeySerializer?)"
	unknownTag = "could not determine a constructor for the tag %s"
)

// maxExpansion is how many values the aliases and merge keys of one file may add to the written ones.
// Digdag has no limit, so a file of ten lines can fill its memory.
const maxExpansion = 1_000_000

// conversion makes values from the nodes of one document.
type conversion struct {
	doc      *yaml.Document
	shared   map[*yaml.Node]sharedValue // of nodes with an anchor
	count    int                        // values so far
	expanded int                        // those among them that aliases and merges added
	included int                        // keys and values with the tag !include
	// nullKey is a key that is null. It is refused if everything else is right.
	nullKey *yaml.Node
	// lenient keeps errors and goes on. Wrong values become null.
	lenient bool
	errors  []*Error
}

type sharedValue struct {
	value param.Value
	count int
}

// document is the content of a text.
type document struct {
	value param.Value
	// hasIncludes is set if a key or a value begins with "!include:", which the tag !include becomes.
	hasIncludes bool
	root        *yaml.Node // nil without one
	values      int        // how many it holds
	expanded    int        // those among them that aliases and merge keys added
}

// readYAML reads a text with one document. A text without one is null. Values have the types of
// param. The error is an *Error with SnakeYAML's or Jackson's text.
func readYAML(text string) (document, *Error) {
	return read(text, false)
}

// read is readYAML. If lenient is set, wrong values are null.
func read(text string, lenient bool) (document, *Error) {
	doc, err := yaml.Parse(text)
	if err != nil {
		return document{}, yamlError(err)
	}
	c := newConversion(doc)
	c.lenient = lenient
	value, failure := c.root()
	if failure != nil {
		return document{}, failure
	}
	return document{value, c.included > 0 || strings.Contains(text, includePrefix), doc.Root, c.count, c.expanded}, nil
}

func newConversion(doc *yaml.Document) *conversion {
	return &conversion{doc: doc, shared: map[*yaml.Node]sharedValue{}}
}

// root returns the value of the document.
func (c *conversion) root() (param.Value, *Error) {
	if c.doc.Root == nil || tagOf(c.doc.Root) == tagNull {
		return nil, nil
	}
	value, err := c.value(c.doc.Root)
	if err == nil && c.nullKey != nil {
		err = c.tolerate(&Error{Kind: KindJSON, Message: nullKey, place: &c.nullKey.Start, aborts: true})
	}
	return value, err
}

// tolerate keeps an error and returns nil, if lenient is set.
func (c *conversion) tolerate(err *Error) *Error {
	if err == nil || !c.lenient {
		return err
	}
	c.errors = append(c.errors, err)
	return nil
}

func yamlError(err error) *Error {
	failure, ok := err.(*yaml.Error) //nolint:errorlint // Parse returns nothing else
	if !ok {
		return asError(err)
	}
	return &Error{Kind: failure.Kind, Message: failure.Error(), Err: failure, place: &failure.Place}
}

// object returns the value of a document, which must be an object (language L12).
func (d document) object() (*param.Map, *Error) {
	m, ok := d.value.(*param.Map)
	if !ok {
		return nil, &Error{Kind: KindObjectMapping, Message: fmt.Sprintf(notObject, param.JSON(d.value))}
	}
	return m, nil
}

// value returns the value of a node. A node with an anchor has one value in all places.
func (c *conversion) value(n *yaml.Node) (param.Value, *Error) {
	if !n.Anchored {
		value, err := c.fresh(n)
		return value, c.tolerate(err)
	}
	if known, ok := c.shared[n]; ok {
		c.count += known.count
		return known.value, c.spend(known.count, n)
	}
	before := c.count
	value, err := c.fresh(n)
	c.shared[n] = sharedValue{value, c.count - before}
	return value, c.tolerate(err)
}

// spend counts values that are not written in the file.
func (c *conversion) spend(values int, at *yaml.Node) *Error {
	c.expanded += values
	if c.expanded <= maxExpansion {
		return nil
	}
	problem := fmt.Sprintf("found aliases and merge keys that stand for more than %d values", maxExpansion)
	return yamlError(c.doc.Error(KindLimit, "", nil, problem, at))
}

func (c *conversion) fresh(n *yaml.Node) (param.Value, *Error) {
	c.count++
	tag := tagOf(n)
	switch tag {
	case tagStr, tagNull, tagBool, tagInt, tagFloat, tagBinary, tagTimestamp:
		if n.Kind != yaml.Scalar {
			return nil, c.wrongKind(n, tag)
		}
		value, err := c.scalar(n, tag)
		if err != nil {
			err.place = &n.Start
		}
		return value, err
	case tagSeq:
		if n.Kind != yaml.Sequence {
			return nil, c.wrongKind(n, tag)
		}
		return c.list(n)
	case tagMap:
		if n.Kind != yaml.Mapping {
			return nil, c.wrongKind(n, tag)
		}
		return c.mapping(n)
	case tagSet:
		if n.Kind != yaml.Mapping {
			return nil, c.wrongKind(n, tag)
		}
		return c.set(n)
	case tagOMap, tagPairs:
		return c.pairs(n, tag == tagOMap)
	case tagInclude:
		return c.includeMark(), nil
	default:
		problem := fmt.Sprintf(unknownTag, encodeTag(tag))
		return nil, yamlError(c.doc.Error(KindTag, "", nil, problem, n))
	}
}

// wrongKind refuses a YAML tag on a node of another kind. Digdag's message is the Java
// machine's, about its classes. This one is Trowel's.
func (c *conversion) wrongKind(n *yaml.Node, tag string) *Error {
	problem := fmt.Sprintf("the tag !!%s does not go with a %s", strings.TrimPrefix(tag, yaml.TagPrefix), n.Kind)
	return yamlError(c.doc.Error(KindClassCast, "", nil, problem, n))
}

// includeMark returns a text that stands for the tag !include until the file is included. Each is different.
func (c *conversion) includeMark() string {
	c.included++
	return fmt.Sprintf(includePrefix+"00000000-0000-4000-8000-%012x", c.included)
}

func (c *conversion) scalar(n *yaml.Node, tag string) (param.Value, *Error) {
	switch tag {
	case tagNull:
		return nil, nil
	case tagBool:
		return boolOf(n.Value), nil
	case tagInt:
		return intOf(n.Value)
	case tagFloat:
		return floatOf(n.Value)
	case tagBinary:
		return binaryOf(n.Value)
	case tagTimestamp:
		at, err := timestampOf(n.Value)
		return at.UnixMilli(), err
	default:
		return n.Value, nil
	}
}

func (c *conversion) list(n *yaml.Node) (param.Value, *Error) {
	list := make(param.List, len(n.Children))
	for i, child := range n.Children {
		value, err := c.value(child)
		if err != nil {
			return nil, err
		}
		list[i] = value
	}
	return list, nil
}

// key is a key of a mapping as in Java: 1 and "1" are different, though both become "1".
type key struct {
	kind byte // 's' text, 'n' null, 'i' an include, else another type
	text string
}

// key reads a key and its text (language L16).
func (c *conversion) key(n *yaml.Node) (key, *Error) {
	tag := tagOf(n)
	if tag == tagTimestamp && n.Kind == yaml.Scalar {
		at, err := timestampOf(n.Value)
		return key{'t', at.UTC().Format("2006-01-02T15:04:05.000-0700")}, err
	}
	if tag == tagInclude {
		return key{'i', c.includeMark()}, nil
	}
	nullKey := c.nullKey
	value, err := c.value(n)
	c.nullKey = nullKey // a null key within a key becomes a part of its text
	switch value := value.(type) {
	case nil:
		return key{'n', "null"}, err
	case string:
		return key{'s', value}, err
	case bool:
		return key{'b', javaText(value)}, err
	case int64, *big.Int:
		return key{'d', javaText(value)}, err
	case float64:
		return key{'f', javaText(value)}, err
	default:
		return key{'c', javaText(value)}, err
	}
}

// javaText returns the result of Java's toString for a value.
func javaText(v param.Value) string {
	switch v := v.(type) {
	case nil:
		return "null"
	case param.List:
		parts := make([]string, len(v))
		for i, element := range v {
			parts[i] = javaText(element)
		}
		return "[" + strings.Join(parts, ", ") + "]"
	case *param.Map:
		parts := make([]string, 0, v.Len())
		for k, element := range v.All() {
			parts = append(parts, k+"="+javaText(element))
		}
		return "{" + strings.Join(parts, ", ") + "}"
	default:
		text, _ := param.AsString(v)
		return text
	}
}

// encodeTag returns a tag as messages show it: characters that are unusual in a path are %-escaped.
func encodeTag(tag string) string {
	var b strings.Builder
	for i := range len(tag) {
		c := tag[i]
		switch {
		case 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z', '0' <= c && c <= '9',
			strings.IndexByte("-_.!~*'()@:$&,;=[]/", c) >= 0:
			b.WriteByte(c)
		default:
			fmt.Fprintf(&b, "%%%02X", c)
		}
	}
	return b.String()
}
