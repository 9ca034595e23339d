package cmd

import (
	"io"

	"github.com/trowel-project/trowel/internal/logging"
)

// OpenLog returns the log of a command. It is written to the file of --log, or else to the given writer, where
// entries name the class that logs.
func (c *Call) OpenLog(to io.Writer, class string) (*logging.Handler, error) {
	format := &logging.Handler{To: to, Level: logging.ParseLevel(c.Args.Text("--log-level")), Thread: "main", Class: class}
	path := c.Args.Text("--log")
	if path == "-" || path == "" {
		return format, nil
	}
	file, err := logging.OpenFile(c.Env.Path(path))
	if err != nil {
		return nil, err
	}
	format.To, format.Millis, format.Class = file, true, ""
	return format, nil
}
