package explain

import (
	"slices"
	"strconv"
	"strings"

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/api"
	"github.com/trowel-project/trowel/internal/server/outline"
	"github.com/trowel-project/trowel/internal/server/rest"
)

// maxLevels is the largest depth that a request may ask for.
const maxLevels = 100

// treeRequest is what a request for tasks of an attempt asks for.
type treeRequest struct {
	parent, around string // id, or full name; empty for none
	query          outline.Query
	limit          int
	after          *outline.Key
	tries, reasons bool
}

// getTree answers with a page of the tasks of an attempt.
func (h *handlers) getTree(c *rest.Call) (any, error) {
	q, err := readTreeRequest(c)
	if err != nil {
		return nil, err
	}
	var page api.TreePage
	err = c.View(func(tx trowel.Tx) error {
		r, err := attemptReader(c, tx, &h.lists)
		if err != nil {
			return err
		}
		t := &treeReader{asker: &asker{reader: r}, request: q}
		if err := h.outlines.Read(c.Ctx(), tx, &r.summary.Attempt, t.take); err != nil {
			return err
		}
		err = t.complete()
		page = t.page
		return err
	})
	return page, err
}

func readTreeRequest(c *rest.Call) (*treeRequest, error) {
	q := &treeRequest{
		parent: c.Query.Get("parent"), around: c.Query.Get("around"), reasons: true,
		query: outline.Query{Text: c.Query.Get("q"), Flat: c.FlagParam("flat") || c.Query.Get("flat") == "1", Sort: c.Query.Get("sort"), Depth: 1, Now: c.Now.UnixMicro()},
	}
	limit, key, err := c.PageNumbers(2)
	if err != nil {
		return nil, err
	}
	if q.limit = limit; key != nil {
		q.after = &outline.Key{Value: key[0], ID: trowel.TaskID(key[1])}
	}
	if text := c.Query.Get("depth"); text != "" {
		if q.query.Depth, err = strconv.Atoi(text); err != nil || q.query.Depth < 1 || q.query.Depth > maxLevels {
			return nil, rest.InvalidValue("depth", "depth must be a number from 1 to %d, not %q", maxLevels, text)
		}
	}
	if sorts := []string{"", outline.SortOrder, outline.SortTime, outline.SortStart}; !slices.Contains(sorts, q.query.Sort) {
		return nil, rest.InvalidValue("sort", "sort must be order, ms or start, not %q", q.query.Sort)
	}
	if q.query.Filter, err = words(c, "filter", filterWords()); err != nil {
		return nil, err
	}
	if c.Query.Has("fields") {
		fields, err := words(c, "fields", []string{"tries", "reason"})
		if err != nil {
			return nil, err
		}
		q.tries, q.reasons = slices.Contains(fields, "tries"), slices.Contains(fields, "reason")
	}
	return q, nil
}

func filterWords() []string {
	known := outline.Filters()
	for state := range trowel.TaskState(outline.States) {
		known = append(known, state.String())
	}
	return known
}

// words reads a parameter that is a list of known words. It is nil if the parameter is absent.
func words(c *rest.Call, name string, known []string) (list []string, err error) {
	text := c.Query.Get(name)
	if text == "" {
		return nil, nil
	}
	for word := range strings.SplitSeq(text, ",") {
		if !slices.Contains(known, word) {
			return nil, rest.InvalidValue(name, "%s has no word %q: there are %s", name, word, strings.Join(known, ", "))
		}
		list = append(list, word)
	}
	return list, nil
}

// find returns the task that a request names by id or full name.
func (t *treeReader) find(tree *outline.Tree, name string) (*outline.Node, error) {
	var n *outline.Node
	if id, err := strconv.ParseInt(name, 10, 64); err == nil {
		n = tree.Find(trowel.TaskID(id))
	} else {
		n = tree.FindName(name)
	}
	if n == nil {
		return nil, rest.NotFound("attempt %d has no task %s", t.summary.Attempt.ID, name)
	}
	return n, nil
}
