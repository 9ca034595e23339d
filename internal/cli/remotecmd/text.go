package remotecmd

import (
	"fmt"
	"strconv"
	"time"

	"github.com/trowel-project/trowel/internal/api"
	"github.com/trowel-project/trowel/internal/cli/cmd"
	"github.com/trowel-project/trowel/internal/param"
	"github.com/trowel-project/trowel/internal/terminal"
	"github.com/trowel-project/trowel/internal/textutil"
)

// This file formats values of answers in the way that several commands share (server 1.8, 1.10).

// Lines of the records in which Digdag's client shows sessions and attempts.
const (
	recordIDs   = "  session id: %s\n  attempt id: %s\n  uuid: %s\n"
	recordPlace = "  project: %s\n  workflow: %s\n  session time: %s\n"
	recordName  = "  retry attempt name: %s\n  params: %s\n  created at: %s\n"
	recordState = "  kill requested: %t\n  status: %s\n\n"
)

// sayHowToStart is the last line where there is nothing to show.
func sayHowToStart(c *cmd.Call) {
	terminal.Say(c.Env.Stderr, "Use `%s` to start a session.\n", c.HintedToPeople("start"))
}

// localTime formats a time in the zone of this system.
func localTime(c *cmd.Call, i api.Instant) string {
	return i.In(c.Env.Now().Location()).Format(cmd.ClockFormat)
}

// optLocalTime is localTime for a time that may be missing.
func optLocalTime(c *cmd.Call, i *api.Instant) string {
	if i == nil {
		return ""
	}
	return localTime(c, *i)
}

// localTimeWithDistance formats a time, and how far it is from now; empty if there is none.
func localTimeWithDistance(c *cmd.Call, i *api.Instant) string {
	if i == nil {
		return ""
	}
	return fmt.Sprintf("%s (%s)", localTime(c, *i), textutil.Distance(i.Sub(c.Env.Now())))
}

// sessionTime formats a session time in its own offset.
func sessionTime(t api.OffsetTime) string { return t.Format(cmd.ClockFormat) }

// statusText returns the word for a state, coloured on a terminal.
func statusText(c *cmd.Call, word string) string {
	_, no := c.Env.LookupText("NO_COLOR")
	if no || !c.Env.Terminals.Stdout || !c.Env.CanDraw() {
		return word
	}
	return (&terminal.Look{Color: true}).Paint(statusInk(word), word)
}

// optText returns an optional text; empty if there is none.
func optText(text *string) string {
	if text == nil {
		return ""
	}
	return *text
}

// firstID reads the first argument, which must be an id (server 1.3).
func firstID(c *cmd.Call) (api.ID, error) {
	text := c.Args.Positional[0]
	id, err := api.ParseID(text)
	if err != nil {
		return 0, c.UsageError(fmt.Sprintf(textNotAnID, text)).Hinting("an id is a number")
	}
	return id, nil
}

// textNotAnID is Java's text about a text that is no number (server 1.3).
const textNotAnID = "For input string: \"%s\""

// lastID reads --last-id; 0 if it is not given.
func lastID(c *cmd.Call) (api.ID, error) {
	text := c.Args.Text("--last-id")
	if text == "" {
		return 0, nil
	}
	id, err := api.ParseID(text)
	if err != nil {
		return 0, c.UsageError(fmt.Sprintf(textNotAnID, text)).Hinting("--last-id takes an id, which is a number")
	}
	return id, nil
}

// optionNumber returns the value of an integer option; nil if it is not given and has no default.
func optionNumber(c *cmd.Call, name string) *int {
	if c.Args.Text(name) == "" {
		return nil
	}
	n := c.Args.Number(name)
	return &n
}

// allDigits reports whether an argument is an id rather than a name.
func allDigits(text string) bool {
	_, err := strconv.ParseUint(text, 10, 63)
	return err == nil
}

// instantOption reads an option that is a time: UNIX seconds, or yyyy-MM-dd HH:mm:ss Z (server 1.8).
// label is the name of the option in Digdag's complaint.
func instantOption(c *cmd.Call, name, label string) (time.Time, error) {
	text := c.Args.Text(name)
	if seconds, err := strconv.ParseInt(text, 10, 64); err == nil {
		return time.Unix(seconds, 0).UTC(), nil
	}
	at, err := time.Parse(cmd.ClockFormat, text)
	if err != nil {
		return time.Time{}, &cmd.ComplaintError{
			Text: fmt.Sprintf("%s option must be \"yyyy-MM-dd HH:mm:ss Z\" format or UNIX timestamp: %s\nhint: current local time is \"%s\"",
				label, text, c.Env.Now().Format(cmd.ClockFormat)),
		}
	}
	return at, nil
}

// isoLocal formats a date and time without zone as Java does: it leaves out zero seconds.
func isoLocal(clock time.Time) string {
	if clock.Second() == 0 {
		return clock.Format("2006-01-02T15:04")
	}
	return clock.Format("2006-01-02T15:04:05")
}

// isoShort formats a session time as Java does: it leaves out zero seconds, and writes Z for no offset.
func isoShort(t api.OffsetTime) string {
	if t.Second() == 0 {
		return t.Format("2006-01-02T15:04Z07:00")
	}
	return t.Format("2006-01-02T15:04:05Z07:00")
}

// paramsText returns the compact JSON of parameters.
func paramsText(params *param.Map) string { return param.JSON(params) }
