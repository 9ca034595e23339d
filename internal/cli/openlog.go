package cli

import "io"

// openLog returns the log of a command: it goes to the file of --log, or to the given writer, where
// entries name the class that logs.
func (c *call) openLog(to io.Writer, class string) (*logFormat, error) {
	format := &logFormat{to: to, level: logLevel(c.args.text("--log-level")), thread: "main", class: class}
	path := c.args.text("--log")
	if path == "-" || path == "" {
		return format, nil
	}
	file, err := openLogFile(c.env.path(path))
	if err != nil {
		return nil, err
	}
	format.to, format.millis, format.class = file, true, ""
	return format, nil
}
