// Package yaml reads YAML 1.1 as SnakeYAML 1.23 does, the reader that Digdag uses: the same texts
// are accepted, with the same values, and refused with the same messages (language L10 to L23).
//
// Parse makes a tree of nodes with positions. What the tags mean is not decided here. The parts
// are a reader that knows the place in the text, a scanner that makes tokens of it, and a parser
// that makes nodes of them; each fetches from the one before no more than it needs, so that of
// several mistakes the one is told that SnakeYAML would tell.
package yaml
