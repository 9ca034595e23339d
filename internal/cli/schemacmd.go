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

// schemaRow is the row of the command schema.
func schemaRow() command {
	return command{
		name: "schema", section: sectionLocal, extra: true,
		lines: []line{{"schema", "write a JSON Schema of .dig files, for editors"}},
		usage: []string{"schema"},
		run:   runSchema,
	}
}

// runSchema writes the JSON Schema of workflow files to standard output.
func runSchema(_ context.Context, c *call) error {
	var text bytes.Buffer
	if err := json.Indent(&text, []byte(param.JSON(dig.Schema(operator.DefaultCatalog("")))), "", "  "); err != nil {
		return err
	}
	terminal.Say(c.env.Stdout, "%s\n", text.String())
	return nil
}
