package cli

import (
	"bytes"
	"context"
	"encoding/json"

	"github.com/trowel-project/trowel/internal/dig"
	"github.com/trowel-project/trowel/internal/operator"
	"github.com/trowel-project/trowel/internal/param"
	"github.com/trowel-project/trowel/internal/terminal"
)

// runSchema writes the JSON Schema of workflow files to standard output.
func runSchema(_ context.Context, c *call) error {
	var text bytes.Buffer
	if err := json.Indent(&text, []byte(param.JSON(dig.Schema(operator.DefaultCatalog("")))), "", "  "); err != nil {
		return err
	}
	terminal.Say(c.env.Stdout, "%s\n", text.String())
	return nil
}
