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

// sizeError is what people read of a page size that the server does not take; other errors stay as they are.
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
	command     []string // that lists it, without the program
	shown, size int      // how many there are, and how many were asked for
	last        api.ID   // of the last one
	bytes       int      // of parameters in it
	// next reports whether there is one after the last.
	next func() (bool, error)
}

// A server ends a page early when it has 4 MiB, by its own count: each entry is some hundred bytes beside its parameters.
const (
	earlyEnd   = 2 << 20 // well below, as secrets in parameters are shown as ***
	entryBytes = 500
)

// older says how to go on after a page; empty if it is the last one. A page that is not full is the last one, but for a
// large one, which the server may have ended early: then it is asked once more.
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

// paramsBytes is the size of parameters as a server stores them.
func paramsBytes(params *param.Map) int { return len(param.JSON(params)) }

// localTimes writes all moments in a text in the zone of this system. The zone is said once, by timesHint.
func (v *listView) localTimes(text string) string {
	return instants.ReplaceAllStringFunc(text, func(found string) string {
		at, err := time.Parse(cmd.ClockFormat, found)
		if err != nil {
			return found
		}
		return v.clock(at)
	})
}

// instants matches moments as clockFormat writes them.
var instants = regexp.MustCompile(`\b\d{4}-\d\d-\d\d \d\d:\d\d:\d\d [+-]\d{4}`)

// inLocalTimes makes all moments in what a command prints on a terminal those of this system's zone, and says at the
// end, once, which that is. The command calls done when it has printed all.
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
