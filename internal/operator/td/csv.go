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

// lineEnds makes all ends of lines within a field the same.
var lineEnds = strings.NewReplacer("\r\n", "\n", "\r", "\n")

func appendField(dst []byte, text string) []byte {
	if text != "" && !strings.ContainsAny(text, "\",\r\n") {
		return append(dst, text...)
	}
	dst = append(dst, '"')
	dst = append(dst, strings.ReplaceAll(lineEnds.Replace(text), `"`, `""`)...)
	return append(dst, '"')
}
