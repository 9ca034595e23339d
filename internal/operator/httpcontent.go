package operator

import (
	"context"
	"strings"

	"github.com/trowel-project/trowel/internal/param"
)

// Texts of operators 5.1.
const (
	httpInvalidFormat = "Invalid content format for %ss: '%s'"
	httpInvalidField  = "Invalid form content field value: %s"
)

// Media types of bodies (operators 5.1). The first one is written as in Digdag.
const (
	mediaText = "plain/text"
	mediaJSON = "application/json"
	mediaForm = "application/x-www-form-urlencoded"
)

// content is the body of a request.
type content struct {
	body        []byte
	contentType string // empty without a body
}

// httpContent returns the body that the option content describes, with its secrets.
func httpContent(ctx context.Context, r *Request, params *param.Reader) (content, error) {
	raw, _ := params.Value("content")
	if raw == nil {
		return content{}, nil
	}
	text, isScalar := param.AsString(raw)
	format := "json"
	if isScalar {
		format = "text"
	}
	asked, err := params.StringOr("content_format", format)
	if err != nil {
		return content{}, err
	}
	mediaType, hasType, err := params.OptString("content_type")
	if err != nil {
		return content{}, err
	}
	choose := func(standard string) string {
		if hasType {
			return mediaType
		}
		return standard
	}
	format = strings.ToLower(asked)
	fields, isMap := raw.(*param.Map)
	switch {
	case format == "text" && isScalar:
		text, err = r.Expand(ctx, text)
		return content{body: []byte(text), contentType: choose(mediaText)}, err
	case format == "json":
		value, err := r.ExpandAll(ctx, raw)
		return content{body: []byte(param.JSON(value)), contentType: choose(mediaJSON)}, err
	case format == "form" && isMap:
		form, err := encodeForm(ctx, r, fields, httpInvalidField)
		return content{body: []byte(form), contentType: mediaForm}, err // content_type is ignored (quirk)
	}
	return content{}, param.Errorf(httpInvalidFormat, jsonType(raw), asked)
}

// jsonType returns the name of a value's type in messages.
func jsonType(value param.Value) string {
	switch value.(type) {
	case string:
		return "string"
	case bool:
		return "boolean"
	case param.List:
		return "array"
	case *param.Map:
		return "object"
	default:
		return "number"
	}
}
