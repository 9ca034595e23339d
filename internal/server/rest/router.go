package rest

import (
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
)

// segment is the part of a path between two slashes.
type segment struct {
	literal string // empty for a placeholder
	bits    int    // of a number; zero for a text
}

// node has the routes of a path by their methods.
type node struct {
	segments []segment
	methods  map[string]*Route
}

// allowed lists the methods of a path in Digdag's form (server 2.1).
func (n *node) allowed() string {
	methods := []string{"OPTIONS"}
	for method := range n.methods {
		methods = append(methods, method)
		if method == "GET" {
			methods = append(methods, "HEAD")
		}
	}
	slices.Sort(methods)
	return strings.Join(methods, ", ")
}

// router finds nodes by paths. Its nodes are grouped by the number of segments.
type router struct{ byLength map[int][]*node }

func newRouter(routes []Route) *router {
	r := &router{byLength: map[int][]*node{}}
	byPath := map[string]*node{}
	for i := range routes {
		n := byPath[routes[i].Path]
		if n == nil {
			n = &node{segments: parsePath(routes[i].Path), methods: map[string]*Route{}}
			byPath[routes[i].Path] = n
			r.byLength[len(n.segments)] = append(r.byLength[len(n.segments)], n)
		}
		n.methods[routes[i].Method] = &routes[i]
	}
	return r
}

func parsePath(path string) []segment {
	var segments []segment
	for part := range strings.SplitSeq(strings.TrimPrefix(path, "/"), "/") {
		inner, found := strings.CutPrefix(part, "{")
		if !found {
			segments = append(segments, segment{literal: part})
			continue
		}
		_, bits, _ := strings.Cut(strings.TrimSuffix(inner, "}"), ":")
		n, _ := strconv.Atoi(bits)
		segments = append(segments, segment{bits: n})
	}
	return segments
}

// found is a node that matches a request, with the values of its placeholders.
type found struct {
	*node
	numbers []int64
	texts   []string
}

// find returns the node of an escaped path. It ignores one final slash. A number that is out of range does not match
// (server 2.1).
func (r *router) find(escaped string) (found, bool) {
	parts := strings.Split(strings.TrimSuffix(strings.TrimPrefix(escaped, "/"), "/"), "/")
	for _, n := range r.byLength[len(parts)] {
		if f, ok := n.match(parts); ok {
			return f, true
		}
	}
	return found{}, false
}

func (n *node) match(parts []string) (found, bool) {
	f := found{node: n}
	for i, s := range n.segments {
		switch {
		case s.literal != "":
			if parts[i] != s.literal {
				return found{}, false
			}
		case s.bits > 0:
			number, err := strconv.ParseInt(parts[i], 10, s.bits)
			if err != nil {
				return found{}, false
			}
			f.numbers = append(f.numbers, number)
		default:
			text, err := url.PathUnescape(parts[i])
			if err != nil {
				return found{}, false
			}
			f.texts = append(f.texts, text)
		}
	}
	return f, true
}

// open reports whether a method of the path needs no authentication.
func (f found) open(method string) bool {
	r := f.methods[readMethod(method)]
	return r != nil && r.Open
}

// readMethod returns the method to look up: HEAD is answered by the route of GET.
func readMethod(method string) string {
	if method == http.MethodHead {
		return http.MethodGet
	}
	return method
}
