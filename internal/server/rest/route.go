package rest

import (
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/trowel-project/trowel/internal/access"
)

// Route is one method of one path.
type Route struct {
	Method string
	// path has segments in braces: {id:32} and {id:64} are numbers that fit so many bits, {name} is
	// any text.
	Path  string
	Name  string      // of its metric (server 7.2)
	Verb  access.Verb // what the caller must be allowed; empty for everybody
	Open  bool        // nobody is asked who they are
	Query []Parameter
	Body  Body
	// answer is a value of the type that the handler returns, for the API document; nil for bytes.
	Answer any
	About  string // one line for the API document
	// long tells that it may take longer than a request that only touches the database: uploads,
	// downloads, streams.
	Long bool
	// expects tells that it is refused with 412 if what it is about is not as the caller expects.
	Expects bool
	// redirects tells that the answer may be the address of a file in another place.
	Redirects bool
	// contentType is that of the bytes of the answer; application/gzip if it is empty.
	ContentType string
	// errors has documents of errors that are not those of all, and statuses that the route alone has, for the API document.
	Errors map[int]any
	Handle func(c *Call) (any, error)
}

// Parameter is a query parameter.
type Parameter struct {
	Name  string
	kind  string // "integer", "string" or "boolean"
	about string
}

// QueryInt is a parameter that is a number.
func QueryInt(name, about string) Parameter { return Parameter{name, "integer", about} }

// QueryText is a parameter that is any text.
func QueryText(name, about string) Parameter { return Parameter{name, "string", about} }

// QueryFlag is a parameter that is true or false.
func QueryFlag(name, about string) Parameter { return Parameter{name, "boolean", about} }

// Body says which request body a route reads.
type Body struct {
	// types are the content types that are taken; none if no body is read.
	Types []string
	// optional tells that a request without a content type and body is fine, too.
	optional bool
	// value is a value of the type that is read, for the API document; nil for bytes.
	value any
}

// JSONBody is a body with a document like value.
func JSONBody(value any) Body { return Body{Types: []string{jsonType}, value: value} }

// MaybeJSON is JSONBody for a body that may be missing.
func MaybeJSON(value any) Body { return Body{Types: []string{jsonType}, optional: true, value: value} }

// segment is a part of a path between slashes.
type segment struct {
	literal string // empty for a placeholder
	bits    int    // of a placeholder for a number; zero for a text
}

// node is a path with the routes of its methods.
type node struct {
	segments []segment
	methods  map[string]*Route
}

// allowed lists the methods of a path as Digdag does (server 2.1).
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

// router finds the node of a path.
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

// found is a node with the values of its placeholders.
type found struct {
	*node
	numbers []int64
	texts   []string
}

// find returns the node of an escaped path. One slash at its end makes no difference. A number that
// is none, or does not fit, is a path that does not exist (server 2.1).
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

// open reports whether a method of a path needs no authentication.
func (f found) open(method string) bool {
	r := f.methods[readMethod(method)]
	return r != nil && r.Open
}

// readMethod is the method under which the routes have a request: HEAD works wherever GET does.
func readMethod(method string) string {
	if method == http.MethodHead {
		return http.MethodGet
	}
	return method
}

// routeName names the route of a request for metrics.
func (s *Server) routeName(r *http.Request) string {
	path := r.URL.EscapedPath()
	if path == "/metrics" {
		return "metrics"
	}
	if path != "/api" && !strings.HasPrefix(path, "/api/") {
		return "ui"
	}
	if f, known := s.router.find(path); known {
		if found := f.methods[readMethod(r.Method)]; found != nil {
			return found.Name
		}
	}
	return "none"
}
