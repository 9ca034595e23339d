package td

import (
	"strings"

	"github.com/trowel-project/trowel/internal/param"
)

// appendCSV appends a row (operators 7.1, 8.2): null is nothing, an empty text is quoted, and what is no text is JSON.
func appendCSV(dst []byte, row param.List) []byte {
	for i, value := range row {
		if i > 0 {
			dst = append(dst, ',')
		}
		switch value := value.(type) {
		case nil:
		case string:
			dst = appendField(dst, value)
		default:
			dst = appendField(dst, param.JSON(value))
		}
	}
	return append(dst, '\r', '\n')
}

// appendField appends a text, in quotes if it needs them. All line ends in it become the same.
func appendField(dst []byte, text string) []byte {
	if text != "" && !strings.ContainsAny(text, "\",\r\n") {
		return append(dst, text...)
	}
	dst = append(dst, '"')
	for i := range len(text) {
		switch c := text[i]; {
		case c == '\r' && i+1 < len(text) && text[i+1] == '\n': // the line end is what follows
		case c == '\r':
			dst = append(dst, '\n')
		case c == '"':
			dst = append(dst, '"', '"')
		default:
			dst = append(dst, c)
		}
	}
	return append(dst, '"')
}
