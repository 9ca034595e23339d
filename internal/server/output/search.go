package output

import (
	"runtime"
	"strconv"
	"strings"
	"time"

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/api"
	"github.com/trowel-project/trowel/internal/server/outline"
	"github.com/trowel-project/trowel/internal/server/rest"
	"github.com/trowel-project/trowel/internal/tasklog"
)

// What one request searches at most.
const (
	searchBytes  = 64 << 20
	searchTime   = 500 * time.Millisecond
	maxMatches   = 500
	usualMatches = 100
)

func searchParams() []rest.Parameter {
	return []rest.Parameter{
		rest.QueryText("q", "What to search for. It may be missing beside level."),
		rest.QueryFlag("regex", "q is a regular expression of Go, which never sees more than a line."),
		rest.QueryFlag("case", "Capital letters are others than small ones."),
		rest.QueryText("level", "Only in lines of this level or above that Trowel wrote: DEBUG, INFO, WARN or ERROR."),
		rest.QueryInt("from", "Only what begins at this offset or later: next of the answer before."),
		rest.QueryInt("limit", "How many matches are listed, up to 500; 100 if it is missing."),
		rest.QueryFlag("count", "Go on when there are more than limit, to count them."),
	}
}

// turns are how many searches work at the same time. Others wait.
type turns chan struct{}

func newTurns() turns { return make(turns, runtime.GOMAXPROCS(0)) }

// search answers with what it finds in output, as far as it comes.
func (h *handlers) search(c *rest.Call) (any, error) {
	pattern, err := tasklog.NewPattern(c.Query.Get("q"), tasklog.PatternOptions{Regex: flag(c, "regex"), Case: flag(c, "case"), Level: c.Query.Get("level")})
	if err != nil {
		return nil, rest.InvalidValue("q", "%s", err.Error())
	}
	from, err := number(c, "from", 0, 0)
	if err != nil {
		return nil, err
	}
	limit, err := number(c, "limit", 1, usualMatches)
	if err == nil && limit > maxMatches {
		err = rest.InvalidValue("limit", "limit must be a number from 1 to %d, not %d", maxMatches, limit)
	}
	if err != nil {
		return nil, err
	}
	of, err := h.readTarget(c)
	if err != nil {
		return nil, err
	}
	select {
	case h.turns <- struct{}{}:
		defer func() { <-h.turns }()
	case <-c.Ctx().Done():
		return nil, c.Ctx().Err()
	}
	text, err := h.logs.Text(c.Ctx(), of.attempt.ID, of.which)
	if err != nil {
		return nil, err
	}
	found, err := text.Search(c.Ctx(), tasklog.Search{
		Pattern: pattern, From: from, Limit: int(limit), Count: flag(c, "count"), MaxBytes: searchBytes, Until: c.Clock().Add(searchTime), Now: c.Clock,
	})
	if err != nil {
		return nil, err
	}
	return h.document(c, of, text, found)
}

func (h *handlers) document(c *rest.Call, of *target, text *tasklog.Text, found *tasklog.Found) (any, error) {
	answer := api.LogSearch{ScannedTo: found.ScannedTo, Size: text.Size, Matches: found.Count, Done: of.done}
	if found.ScannedTo < text.Size {
		next := strconv.FormatInt(found.ScannedTo, 10)
		answer.Next = &next
	}
	names := map[string]*api.TaskRef{}
	for i := range found.Matches {
		m := &found.Matches[i]
		item := api.LogMatch{Offset: m.Offset, Line: m.Line, Column: m.Column, Length: m.Length, Text: m.Text, Before: m.Before, After: m.After}
		if m.Task != "" {
			names[m.Task] = nil
		}
		answer.Items = append(answer.Items, item)
	}
	if len(names) == 0 {
		return answer, nil
	}
	if err := h.identify(c, of, names); err != nil {
		return nil, err
	}
	for i := range answer.Items {
		name := found.Matches[i].Task
		if ref := names[name]; ref != nil {
			answer.Items[i].Task, answer.Items[i].TaskID = &ref.Name, &ref.ID
		} else {
			answer.Items[i].Task = &name
		}
	}
	return answer, nil
}

// identify finds the tasks whose names are in names of files. Of several, it is the newest.
func (h *handlers) identify(c *rest.Call, of *target, names map[string]*api.TaskRef) error {
	return c.View(func(tx trowel.Tx) error {
		return h.outlines.Read(c.Ctx(), tx, &of.attempt, func(t *outline.Tree) error {
			t.All(func(n *outline.Node) {
				name := n.FullName
				if strings.Contains(name, "/") {
					name = strings.ReplaceAll(name, "/", "_")
				}
				if _, wanted := names[name]; wanted {
					names[name] = &api.TaskRef{ID: api.ID(n.ID), Name: n.FullName}
				}
			})
			return nil
		})
	})
}
