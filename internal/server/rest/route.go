package rest

import (
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
