package runview

import (
	"strings"

	"github.com/trowel-project/trowel/internal/param"
)

// FailureText returns the message of an error object as Digdag's run shows it: without the text up to the name
// of an exception (server 1.9.2).
func FailureText(object *param.Map) string {
	value, _ := object.Get("message")
	message, ok := value.(string)
	if !ok {
		return param.JSON(object)
	}
	const marker = "Exception: "
	if at := strings.Index(message, marker); at > 0 {
		return message[at+len(marker):]
	}
	return message
}
