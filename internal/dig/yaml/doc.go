// Package yaml reads YAML 1.1 as SnakeYAML 1.23 does, the reader that Digdag uses. It accepts the same texts
// with the same values, and refuses others with the same messages (language L10 to L23).
//
// Parse returns a tree of nodes with positions. It does not decide what the tags mean. The parts
// are a reader that knows the place in the text, a scanner that makes tokens, and a parser
// that makes nodes. Each gets no more than it needs from the one before, so that
// the same mistake is reported as by SnakeYAML if there are several.
package yaml
