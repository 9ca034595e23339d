package cli

import (
	"io"

	"github.com/trowel-project/trowel/internal/logging"
)

// openLog returns the log of a command: it goes to the file of --log, or to the given writer, where
// entries name the class that logs.
func (c *call) openLog(to io.Writer, class string) (*logging.Handler, error) {
	format := &logging.Handler{To: to, Level: logging.ParseLevel(c.args.text("--log-level")), Thread: "main", Class: class}
	path := c.args.text("--log")
	if path == "-" || path == "" {
		return format, nil
	}
	file, err := logging.OpenFile(c.env.path(path))
	if err != nil {
		return nil, err
	}
	format.To, format.Millis, format.Class = file, true, ""
	return format, nil
}
