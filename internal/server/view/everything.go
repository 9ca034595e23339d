package view

import (
	"errors"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/api"
	"github.com/trowel-project/trowel/internal/server/rest"
)

// Bounds of a search over everything.
const (
	maxFound    = 8
	maxTyped    = 200 // bytes of q
	maxWords    = 6
	mostFlows   = 50 // workflows whose sessions are looked for by time
	mostNearby  = 200
	earlierZone = 14 * time.Hour // how far zones are ahead of UTC at most
	laterZone   = 12 * time.Hour // and behind it
)

// everything is a search over everything.
type everything struct {
	call  *rest.Call
	tx    trowel.Tx
	words []string // in small letters
	raw   []string // as they are written
	span  *daySpan // of session times; nil if no word is one
	id    int64    // the only word, if it is a number; 0 otherwise
	limit int
}

// kindsFound are the kinds of things in the order of the answer, and what finds them.
func kindsFound() []foundKind {
	return []foundKind{
		{"project", (*everything).projects},
		{"workflow", (*everything).workflows},
		{"session", (*everything).sessions},
		{"attempt", (*everything).attempts},
		{"task", (*everything).tasks},
		{"pool", (*everything).pools},
		{"agent", (*everything).agents},
		{"revision", (*everything).revisions},
	}
}

type foundKind struct {
	name string
	find func(*everything) ([]api.FoundItem, error)
}

// searchEverything answers with what people may mean by some words.
func searchEverything(c *rest.Call) (any, error) {
	if err := checkParams(c); err != nil {
		return nil, err
	}
	e, wanted, err := readEverything(c)
	if err != nil {
		return nil, err
	}
	answer := api.Found{Groups: api.List[api.FoundGroup]{}}
	err = c.View(func(tx trowel.Tx) error {
		e.tx, answer.Groups = tx, answer.Groups[:0]
		for _, kind := range kindsFound() {
			if len(wanted) > 0 && !slices.Contains(wanted, kind.name) {
				continue
			}
			items, err := kind.find(e)
			if err != nil {
				return err
			}
			if len(items) > 0 {
				answer.Groups = append(answer.Groups, api.FoundGroup{Kind: kind.name, Items: items})
			}
		}
		return nil
	})
	return answer, err
}

func readEverything(c *rest.Call) (e *everything, wanted []string, err error) {
	e = &everything{call: c, limit: maxFound}
	q := c.Query.Get("q")
	if e.raw = strings.Fields(q); len(q) > maxTyped || len(e.raw) > maxWords {
		return nil, nil, rest.InvalidValue("q", "q has at most %d bytes and %d words", maxTyped, maxWords)
	}
	if text := c.Query.Get("limit"); text != "" {
		if e.limit, err = strconv.Atoi(text); err != nil || e.limit < 1 || e.limit > maxFound {
			return nil, nil, rest.InvalidValue("limit", "limit must be a number from 1 to %d, not %.40q", maxFound, text)
		}
	}
	var known []string
	for _, kind := range kindsFound() {
		known = append(known, kind.name)
	}
	if text := c.Query.Get("kinds"); text != "" {
		wanted = strings.Split(text, ",")
		for _, kind := range wanted {
			if !slices.Contains(known, kind) {
				return nil, nil, rest.InvalidValue("kinds", "kinds must be some of %s, not %.40q", strings.Join(known, ", "), kind)
			}
		}
	}
	if len(e.raw) == 1 {
		if id, err := strconv.ParseInt(strings.TrimPrefix(e.raw[0], "#"), 10, 64); err == nil && id > 0 {
			e.id = id
		}
	}
	e.raw, e.span = cutTime(e.raw)
	for _, word := range e.raw {
		e.words = append(e.words, lowerASCII(word))
	}
	return e, wanted, nil
}

// lowerASCII makes the letters small that databases make small.
func lowerASCII(text string) string {
	return strings.Map(func(r rune) rune {
		if 'A' <= r && r <= 'Z' {
			return r + 'a' - 'A'
		}
		return r
	}, text)
}

func (e *everything) query() trowel.NameQuery {
	return trowel.NameQuery{Words: e.words, Project: e.call.Caller.Project, Limit: e.limit}
}

// named reports whether things are looked for by their names: there are words, and none of them is a time.
func (e *everything) named() bool { return len(e.words) > 0 && e.span == nil }

func (e *everything) projects() (items []api.FoundItem, err error) {
	if !e.named() {
		return nil, nil
	}
	list, err := e.tx.MatchProjects(e.call.Ctx(), e.query())
	for i := range list {
		id := strconv.Itoa(int(list[i].ID))
		items = append(items, api.FoundItem{ID: id, Title: list[i].Name, Detail: "project " + id, Path: "/projects/" + id})
	}
	return items, err
}

func (e *everything) workflows() (items []api.FoundItem, err error) {
	if !e.named() {
		return nil, nil
	}
	list, err := e.tx.MatchWorkflows(e.call.Ctx(), e.query())
	for i := range list {
		w := &list[i]
		items = append(items, api.FoundItem{
			ID: strconv.Itoa(int(w.Project.ID)) + "/" + w.Name, Title: w.Name, Detail: w.Project.Name,
			Path: "/projects/" + strconv.Itoa(int(w.Project.ID)) + "/workflows/" + url.PathEscape(w.Name),
		})
	}
	return items, err
}

// sessions finds sessions by time: those of the workflows that the other words name, or of all that the caller may see.
func (e *everything) sessions() (items []api.FoundItem, err error) {
	var found []*trowel.AttemptSummary
	switch {
	case e.id != 0:
		s, err := e.tx.FindSession(e.call.Ctx(), trowel.SessionID(e.id))
		if err != nil && !errors.Is(err, trowel.ErrNotFound) {
			return nil, err
		}
		if err == nil && e.sees(s) {
			found = append(found, s)
		}
	case e.span != nil && (len(e.words) > 0 || e.call.Caller.Project != 0):
		if found, err = e.sessionsOfWorkflows(); err != nil {
			return nil, err
		}
	case e.span != nil:
		near, err := e.tx.MatchSessions(e.call.Ctx(), trowel.SessionSpan{From: e.span.from.Add(-earlierZone), To: e.span.to.Add(laterZone), Limit: mostNearby})
		if err != nil {
			return nil, err
		}
		for _, s := range near {
			if from, to := e.span.in(s.Attempt.Zone); !s.Session.Time.Before(from) && s.Session.Time.Before(to) {
				found = append(found, s)
			}
		}
	}
	for _, s := range found[:min(e.limit, len(found))] {
		id := strconv.FormatInt(int64(s.Session.ID), 10)
		items = append(items, api.FoundItem{
			ID: id, Title: s.Session.Workflow + " " + sessionText(s), Detail: s.Project.Name + ", " + s.Attempt.Flags.Status(), Path: "/sessions/" + id,
		})
	}
	return items, nil
}

func (e *everything) sessionsOfWorkflows() (found []*trowel.AttemptSummary, err error) {
	q := e.query()
	q.Limit = mostFlows
	flows, err := e.tx.MatchWorkflows(e.call.Ctx(), q)
	if err != nil {
		return nil, err
	}
	for i := range flows {
		from, to := e.span.in(flows[i].Zone)
		list, err := e.tx.MatchSessions(e.call.Ctx(), trowel.SessionSpan{
			Project: flows[i].Project.ID, Workflow: flows[i].Name, From: from, To: to, Limit: e.limit,
		})
		if err != nil {
			return nil, err
		}
		if found = append(found, list...); len(found) >= e.limit && len(e.words) > 0 {
			break // the best workflows come first
		}
	}
	if len(e.words) == 0 {
		slices.SortStableFunc(found, func(a, b *trowel.AttemptSummary) int { return b.Session.Time.Compare(a.Session.Time) })
	}
	return found, nil
}

// sees reports whether the caller may see an attempt. Those of deleted projects are not found.
func (e *everything) sees(s *trowel.AttemptSummary) bool {
	return s.Project.DeletedAt.IsZero() && e.call.Caller.Sees(s.Project.ID)
}

// attempts finds an attempt by its id, or some by their names; without words the newest ones.
func (e *everything) attempts() (items []api.FoundItem, err error) {
	var found []*trowel.AttemptSummary
	switch {
	case e.id != 0:
		s, err := e.tx.FindAttemptSummary(e.call.Ctx(), trowel.AttemptID(e.id))
		if err != nil && !errors.Is(err, trowel.ErrNotFound) {
			return nil, err
		}
		if err == nil && e.sees(s) {
			found = append(found, s)
		}
	case len(e.raw) == 1 && e.span == nil:
		q := e.query()
		q.Words = e.raw
		found, err = e.tx.MatchAttempts(e.call.Ctx(), q)
	case len(e.raw) == 0 && e.span == nil:
		found, _, err = e.tx.SearchAttempts(e.call.Ctx(), trowel.AttemptSearch{Project: e.call.Caller.Project, Limit: e.limit, MaxBytes: rest.MaxPageBytes})
	}
	for _, s := range found {
		if !s.Project.DeletedAt.IsZero() {
			continue
		}
		id := strconv.FormatInt(int64(s.Attempt.ID), 10)
		title := s.Session.Workflow + " " + sessionText(s)
		if s.Attempt.Name != "" {
			title += " " + s.Attempt.Name
		}
		items = append(items, api.FoundItem{ID: id, Title: title, Detail: s.Project.Name + ", attempt " + id + ", " + s.Attempt.Flags.Status(), Path: "/attempts/" + id})
	}
	return items, err
}

// tasks finds a task of a running attempt by its id.
func (e *everything) tasks() ([]api.FoundItem, error) {
	if e.id == 0 {
		return nil, nil
	}
	s, name, err := e.tx.FindTaskAttempt(e.call.Ctx(), trowel.TaskID(e.id))
	if errors.Is(err, trowel.ErrNotFound) || err == nil && !e.sees(s) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	id, attempt := strconv.FormatInt(e.id, 10), strconv.FormatInt(int64(s.Attempt.ID), 10)
	return []api.FoundItem{{ID: id, Title: name, Detail: s.Project.Name + ", attempt " + attempt, Path: "/attempts/" + attempt + "?task=" + id}}, nil
}

// has reports whether a name has all words.
func (e *everything) has(name string) bool {
	name = lowerASCII(name)
	return e.named() && !slices.ContainsFunc(e.words, func(word string) bool { return !strings.Contains(name, word) })
}

func (e *everything) pools() (items []api.FoundItem, err error) {
	if !e.named() {
		return nil, nil
	}
	list, err := e.tx.ListPools(e.call.Ctx())
	for _, p := range list {
		if len(items) == e.limit {
			break
		}
		if !e.has(p.Name) || p.ProjectID != 0 && !e.call.Caller.Sees(p.ProjectID) {
			continue
		}
		item := api.FoundItem{ID: p.Name, Title: p.Name, Detail: "pool", Path: "/pools/" + url.PathEscape(p.Name)}
		if p.ProjectID != 0 {
			of, err := e.tx.FindProjectByID(e.call.Ctx(), p.ProjectID)
			if err != nil {
				return nil, err
			}
			item.Detail, item.Path = "pool of "+of.Name, item.Path+"?project="+url.QueryEscape(of.Name)
		}
		items = append(items, item)
	}
	return items, err
}

func (e *everything) agents() (items []api.FoundItem, err error) {
	if !e.named() {
		return nil, nil
	}
	list, err := e.tx.ListAgents(e.call.Ctx())
	for _, a := range list {
		if len(items) < e.limit && (e.has(a.Name) || e.has(a.ID)) {
			items = append(items, api.FoundItem{ID: a.ID, Title: a.Name, Detail: "agent " + a.ID, Path: "/agents/" + url.PathEscape(a.ID)})
		}
	}
	return items, err
}

func (e *everything) revisions() (items []api.FoundItem, err error) {
	if len(e.raw) != 1 || e.span != nil {
		return nil, nil
	}
	q := e.query()
	q.Words = e.raw
	list, err := e.tx.MatchRevisions(e.call.Ctx(), q)
	for i := range list {
		p, r := &list[i].Project, &list[i].Revision
		items = append(items, api.FoundItem{
			ID: strconv.Itoa(int(p.ID)) + "/" + r.Name, Title: r.Name, Detail: "revision of " + p.Name,
			Path: "/projects/" + strconv.Itoa(int(p.ID)) + "/files?revision=" + url.QueryEscape(r.Name),
		})
	}
	return items, err
}
