package local

import (
	"bytes"
	"context"
	"encoding/json"

	"github.com/trowel-project/trowel/internal/cli/cmd"
	"github.com/trowel-project/trowel/internal/dig"
	"github.com/trowel-project/trowel/internal/operator/builtin"
	"github.com/trowel-project/trowel/internal/param"
	"github.com/trowel-project/trowel/internal/terminal"
)

// Schema returns the row of the command schema.
func Schema() cmd.Command {
	return cmd.Command{
		Name: "schema", Section: cmd.SectionLocal, Extra: true,
		Lines: []cmd.Line{{Form: "schema", Text: "write a JSON Schema of .dig files, for editors"}},
		Run:   runSchema,
	}
}

// runSchema writes the JSON Schema of workflow files to standard output.
func runSchema(_ context.Context, c *cmd.Call) error {
	var text bytes.Buffer
	if err := json.Indent(&text, []byte(param.JSON(dig.Schema(builtin.Catalog("")))), "", "  "); err != nil {
		return err
	}
	terminal.Say(c.Env.Stdout, "%s\n", text.String())
	return nil
}
