package cmd

import (
	"io"
	"time"

	"github.com/trowel-project/trowel/internal/terminal"
	"github.com/trowel-project/trowel/internal/version"
)

// ClockFormat is how Digdag prints a time of the system's zone (server 1.8).
const ClockFormat = "2006-01-02 15:04:05 -0700"

// writeBanner writes the first line on standard error (server 1.1).
func writeBanner(w io.Writer, now time.Time) {
	terminal.Say(w, "%s: Trowel v%s\n", now.Format(ClockFormat), version.Number)
}
