package yaml

import "slices"

// tokenKind is a kind of token. Its text is its name in messages.
type tokenKind uint8

const (
	tokenNone tokenKind = iota
	tokenAlias
	tokenAnchor
	tokenBlockEnd
	tokenBlockEntry
	tokenBlockMappingStart
	tokenBlockSequenceStart
	tokenDirective
	tokenDocumentEnd
	tokenDocumentStart
	tokenFlowEntry
	tokenFlowMappingEnd
	tokenFlowMappingStart
	tokenFlowSequenceEnd
	tokenFlowSequenceStart
	tokenKey
	tokenScalar
	tokenStreamEnd
	tokenTag
	tokenValue
)

//nolint:gochecknoglobals // a table that never changes
var tokenNames = [...]string{
	tokenNone:               "",
	tokenAlias:              "<alias>",
	tokenAnchor:             "<anchor>",
	tokenBlockEnd:           "<block end>",
	tokenBlockEntry:         "-",
	tokenBlockMappingStart:  "<block mapping start>",
	tokenBlockSequenceStart: "<block sequence start>",
	tokenDirective:          "<directive>",
	tokenDocumentEnd:        "<document end>",
	tokenDocumentStart:      "<document start>",
	tokenFlowEntry:          ",",
	tokenFlowMappingEnd:     "}",
	tokenFlowMappingStart:   "{",
	tokenFlowSequenceEnd:    "]",
	tokenFlowSequenceStart:  "[",
	tokenKey:                "?",
	tokenScalar:             "<scalar>",
	tokenStreamEnd:          "<stream end>",
	tokenTag:                "<tag>",
	tokenValue:              ":",
}

func (k tokenKind) String() string { return tokenNames[k] }

func (k tokenKind) in(kinds ...tokenKind) bool { return slices.Contains(kinds, k) }

// token is a token of the text.
type token struct {
	kind  tokenKind
	plain bool // of a scalar: without quotes and not a block scalar
	start Mark
	end   Mark
	value string // text of a scalar, name of an anchor or directive, suffix of a tag
	// handle is the beginning of a tag, such as "!!", or empty for a verbatim tag. A %TAG directive gives
	// the handle a prefix. The prefix of a %YAML directive is the version.
	handle, prefix string
}
