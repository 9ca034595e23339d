package cmd

import (
	"encoding/json"
)

// PrintJSON writes an answer for programs: one document, on one line.
func PrintJSON(c *Call, answer any) error {
	encoder := json.NewEncoder(c.Env.Stdout)
	encoder.SetEscapeHTML(false)
	return encoder.Encode(answer)
}
