package cli

import (
	"encoding/json"
)

// printJSON writes an answer for programs: one document, on one line.
func printJSON(c *call, answer any) error {
	encoder := json.NewEncoder(c.env.Stdout)
	encoder.SetEscapeHTML(false)
	return encoder.Encode(answer)
}
