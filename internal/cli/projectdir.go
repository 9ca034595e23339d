package cli

import (
	"errors"
	"github.com/trowel-project/trowel/internal/fix"
	"os"
)

// projectDir is the absolute folder of --project, by default the working folder.
func projectDir(c *call) (string, error) {
	name := c.args.text("--project")
	if name == "" {
		return c.env.Dir, nil
	}
	dir := c.env.path(name)
	if _, err := os.Stat(dir); err != nil {
		if errors.Is(err, os.ErrNotExist) {
			err = &fix.MissingFileError{Path: dir}
		}
		return "", fix.UseProject.Failed(err)
	}
	return dir, nil
}
