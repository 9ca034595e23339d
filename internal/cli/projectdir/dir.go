package projectdir

import (
	"errors"
	"os"

	"github.com/trowel-project/trowel/internal/cli/cmd"
	"github.com/trowel-project/trowel/internal/fix"
)

// Dir returns the absolute folder of --project, by default the working folder.
func Dir(c *cmd.Call) (string, error) {
	name := c.Args.Text("--project")
	if name == "" {
		return c.Env.Dir, nil
	}
	dir := c.Env.Path(name)
	if _, err := os.Stat(dir); err != nil {
		if errors.Is(err, os.ErrNotExist) {
			err = &fix.MissingFileError{Path: dir}
		}
		return "", fix.UseProject.Failed(err)
	}
	return dir, nil
}
