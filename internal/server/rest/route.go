package rest

import (
	"github.com/trowel-project/trowel/internal/access"
)

// Route is one method of one path.
type Route struct {
	Method string
	// Path may have placeholders: {id:32} and {id:64} are numbers of so many bits, {name} is any text.
	Path string
	Name string      // in metrics (server 7.2), and the operation in the API document
	Verb access.Verb // the caller must be allowed this; empty for all callers
	Open bool        // needs no authentication
	// Digdag says that the path is one of Digdag's. Errors of others have a code.
	Digdag bool
	Query  []Parameter
	Body   Body
	// Answer is a value of the type that the handler returns, for the API document; nil for a File.
	Answer any
	About  string // one line for the API document
	// Long exempts the route from Options.RequestTimeout: uploads, downloads and streams.
	Long bool
	// Expects says that the route checks a precondition, see CheckPrecondition.
	Expects bool
	// Redirects says that the answer may be a Redirect.
	Redirects bool
	// ContentTypes are those that a File or a stream may have; application/gzip if there are none.
	ContentTypes []string
	// Ranges says that parts of the File may be asked for.
	Ranges bool
	// Errors has error statuses that only this route has, and error documents that are not api.Error, for the API document.
	Errors map[int]any
	Handle func(c *Call) (any, error)
}

// Parameter is a query parameter.
type Parameter struct {
	Name        string
	kind, about string // kind is "integer", "string" or "boolean"
}

// QueryInt is an integer parameter.
func QueryInt(name, about string) Parameter { return Parameter{name, "integer", about} }

// QueryText is a text parameter.
func QueryText(name, about string) Parameter { return Parameter{name, "string", about} }

// QueryFlag is a boolean parameter.
func QueryFlag(name, about string) Parameter { return Parameter{name, "boolean", about} }

// Content types of bodies.
const (
	jsonType = "application/json"
	GzipType = "application/gzip"
)

// Body is the request body of a route. The zero value means none.
type Body struct {
	types    []string // accepted content types
	optional bool     // the body may be missing
	value    any      // of the type that is read, for the API document; nil for bytes
}

// BytesBody is a body of one content type.
func BytesBody(contentType string) Body { return Body{types: []string{contentType}} }

// JSONBody is a JSON body of the type of value.
func JSONBody(value any) Body { return Body{types: []string{jsonType}, value: value} }

// OptionalJSON is JSONBody for a body that may be missing.
func OptionalJSON(value any) Body {
	return Body{types: []string{jsonType}, optional: true, value: value}
}
