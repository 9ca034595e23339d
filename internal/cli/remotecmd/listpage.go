package remotecmd

import (
	"errors"
	"fmt"
	"regexp"
	"strings"
	"time"

	"github.com/trowel-project/trowel/internal/api"
	"github.com/trowel-project/trowel/internal/cli/cmd"
	"github.com/trowel-project/trowel/internal/client"
	"github.com/trowel-project/trowel/internal/param"
	"github.com/trowel-project/trowel/internal/terminal"
	"github.com/trowel-project/trowel/internal/textutil"
)

// largestSize matches what Digdag and Trowel say about a page that is too large (server 2.2).
var largestSize = regexp.MustCompile(`^Your specified page_size is .*MAX_PAGE_SIZE: ([0-9]+)`)

// sizeError explains that a server refuses the size of a page; it returns other errors as they are.
func sizeError(v *listView, err error) error {
	refused, ok := errors.AsType[*client.StatusError](err)
	if v == nil || !ok || refused.Answer().Message == nil {
		return err
	}
	if m := largestSize.FindStringSubmatch(*refused.Answer().Message); m != nil {
		return &cmd.ComplaintError{Text: fmt.Sprintf("the server lists at most %s at a time", m[1]), Hint: "ask for fewer with --page-size, and go on with --last-id"}
	}
	return err
}

// listPage is a page of a list by ids, newest first.
type listPage struct {
	command     []string // lists the page, without the name of the program
	shown, size int      // how many entries it has, and how many were asked for
	last        api.ID   // of the last entry
	bytes       int      // size of the parameters in it
	// next reports whether there is an entry after the last one.
	next func() (bool, error)
}

// A server ends a page early at 4 MiB, by its own count: each entry has some hundred bytes besides its parameters.
const (
	earlyEnd   = 2 << 20 // well below 4 MiB, as secrets in parameters are shown as ***
	entryBytes = 500
)

// older says how to go on after a page; empty if it is the last one. A page that is not full is the last one, unless it
// is so large that the server may have ended it early: then the server is asked again.
func (v *listView) older(p *listPage) string {
	if p.shown < p.size {
		if p.bytes+p.shown*entryBytes < earlyEnd {
			return ""
		}
		if more, err := p.next(); err == nil && !more {
			return ""
		}
	}
	return fmt.Sprintf("Older ones: `%s`", v.hinted(textutil.ShellLine(append(p.command, "--last-id", p.last.String())...)))
}

// paramsBytes returns the size of parameters as a server stores them.
func paramsBytes(params *param.Map) int { return len(param.JSON(params)) }

// localTimes converts all times in a text to the zone of this system. timesHint names the zone once.
func (v *listView) localTimes(text string) string {
	return instants.ReplaceAllStringFunc(text, func(found string) string {
		at, err := time.Parse(cmd.ClockFormat, found)
		if err != nil {
			return found
		}
		return v.clock(at)
	})
}

// instants matches times as clockFormat writes them.
var instants = regexp.MustCompile(`\b\d{4}-\d\d-\d\d \d\d:\d\d:\d\d [+-]\d{4}`)

// inLocalTimes converts all times that a command prints on a terminal to the zone of this system, and names the zone at
// the end. The command must call done when it has printed everything.
func inLocalTimes(c *cmd.Call) (done func()) {
	v := newListView(c)
	if v == nil {
		return func() {}
	}
	text := &strings.Builder{}
	c.Env.Stdout = text
	return func() {
		c.Env.Stdout = v.out
		if text.Len() > 0 {
			terminal.Say(v.out, "%s", v.localTimes(text.String()))
			terminal.Say(v.hints, "\n%s\n", v.timesHint())
		}
	}
}
