package ops

import (
	"errors"
	"strconv"
	"strings"

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/api"
	"github.com/trowel-project/trowel/internal/server/document"
	"github.com/trowel-project/trowel/internal/server/find"
	"github.com/trowel-project/trowel/internal/server/rest"
)

// auditParameters are the query parameters of the audit.
func auditParameters() []rest.Parameter {
	return append(rest.PageParams(),
		rest.QueryText("actor", "Only what this user, token, server or agent did."),
		rest.QueryText("action", "Only this action, as in pool.create, or all below it, as in pool."),
		rest.QueryText("project", "Only what belongs to the project of that name."),
		rest.QueryText("workflow", "Only what belongs to this workflow of the project."),
		rest.QueryInt("attempt", "What belongs to this attempt, and every move of its tasks."),
		rest.QueryText("task", "Only moves of this task of the attempt, and of those below it: an id, or a full name."),
		rest.QueryText("source", "Only what came from there: rest, cli, config, scheduler, server or engine."),
		rest.QueryText("from", "Only what happened then or later: an instant, as in 2026-01-02T03:04:05Z."),
		rest.QueryText("to", "Only what happened before then."),
		rest.QueryText("order", "desc, or, with attempt, asc; desc if it is missing."),
	)
}

// auditQuery is what a request asks for.
type auditQuery struct {
	filter    trowel.RecordFilter
	task      string
	ascending bool
}

// audits has the handler of the audit.
type audits struct{ names *nameCache }

// list answers who did what.
func (h *audits) list(c *rest.Call) (any, error) {
	q, err := readAuditQuery(c)
	if err != nil {
		return nil, err
	}
	if q.filter.AttemptID != 0 {
		return h.listAttempt(c, q)
	}
	limit, key, err := c.PageNumbers(1)
	if err != nil {
		return nil, err
	}
	if key != nil {
		q.filter.Before = key[0]
	}
	q.filter.Limit = limit + 1
	var list api.AuditList
	err = c.View(func(tx trowel.Tx) error {
		if err := limitToProject(c, tx, q); err != nil {
			return err
		}
		records, err := tx.ListRecords(c.Ctx(), q.filter)
		if err != nil {
			return err
		}
		list = api.AuditList{Items: api.List[api.AuditEntry]{}}
		if len(records) > limit {
			records = records[:limit]
			list.Next = rest.NumberCursor(records[limit-1].ID)
		}
		projects := projectNames{}
		for _, r := range records {
			entry, err := recordEntry(c, tx, r, projects)
			if err != nil {
				return err
			}
			list.Items = append(list.Items, entry)
		}
		return nil
	})
	return list, err
}

// readAuditQuery reads the query parameters.
func readAuditQuery(c *rest.Call) (*auditQuery, error) {
	attempt, err := strconv.ParseInt(c.Query.Get("attempt"), 10, 64)
	if c.Query.Get("attempt") != "" && (err != nil || attempt <= 0) {
		return nil, rest.InvalidValue("attempt", "attempt must be the id of an attempt, not %q", c.Query.Get("attempt"))
	}
	q := &auditQuery{task: c.Query.Get("task"), filter: trowel.RecordFilter{
		Actor: c.Query.Get("actor"), Action: c.Query.Get("action"), Source: c.Query.Get("source"), Workflow: c.Query.Get("workflow"),
		AttemptID: trowel.AttemptID(attempt),
	}}
	switch order := c.Query.Get("order"); {
	case order == "asc" && attempt != 0:
		q.ascending = true
	case order == "asc":
		return nil, rest.InvalidValue("order", "order=asc needs an attempt")
	case order != "" && order != "desc":
		return nil, rest.InvalidValue("order", "order must be asc or desc, not %q", order)
	}
	switch {
	case q.task != "" && attempt == 0:
		return nil, rest.InvalidValue("task", "task needs an attempt")
	case q.filter.Workflow != "" && attempt == 0 && c.Query.Get("project") == "":
		return nil, rest.InvalidValue("workflow", "workflow needs a project")
	}
	if q.filter.From, err = c.InstantParam("from"); err != nil {
		return nil, err
	}
	q.filter.To, err = c.InstantParam("to")
	return q, err
}

// limitToProject limits the records to the project of the request, or else to the only one that the caller sees.
func limitToProject(c *rest.Call, tx trowel.Tx, q *auditQuery) error {
	project, err := find.ProjectParam(c, tx)
	if err != nil {
		return err
	}
	switch {
	case project != nil:
		q.filter.ProjectID = project.ID
	case c.Caller.Project != 0:
		q.filter.ProjectID = c.Caller.Project
	}
	return c.Authorize(q.filter.ProjectID)
}

// projectNames caches names of projects.
type projectNames map[trowel.ProjectID]*api.IDName

// name returns the name of a project. It is nil for zero, and for a project that does not exist any more.
func (n projectNames) name(c *rest.Call, tx trowel.Tx, id trowel.ProjectID) (*api.IDName, error) {
	if known, ok := n[id]; ok || id == 0 {
		return known, nil
	}
	p, err := tx.FindProjectByID(c.Ctx(), id)
	switch {
	case errors.Is(err, trowel.ErrNotFound):
		n[id] = nil
		return nil, nil //nolint:nilnil // it does not exist any more
	case err != nil:
		return nil, err
	}
	name := document.IDName(*p)
	n[id] = &name
	return &name, nil
}

// recordEntry returns the document of a record.
func recordEntry(c *rest.Call, tx trowel.Tx, r *trowel.AuditRecord, projects projectNames) (api.AuditEntry, error) {
	project, err := projects.name(c, tx, r.ProjectID)
	entry := api.AuditEntry{
		ID: "r" + strconv.FormatInt(r.ID, 10), At: document.Instant(r.At), Actor: api.AuditActor{Kind: r.ActorKind, Name: r.Actor},
		Action: r.Action, Text: recordText(r), Before: r.Before, After: r.After, Note: r.Note, Source: r.Source,
		Object: api.AuditObject{Kind: r.ObjectKind, ID: r.ObjectID, Path: r.Object, Project: project, Workflow: r.Workflow},
	}
	if r.AttemptID != 0 {
		id := api.ID(r.AttemptID)
		entry.Object.AttemptID = &id
	}
	return entry, err
}

// attemptOfAudit returns the attempt of the request.
func attemptOfAudit(c *rest.Call, tx trowel.Tx, id trowel.AttemptID) (*trowel.AttemptSummary, error) {
	s, err := find.AttemptByID(c, tx, id)
	if errors.Is(err, trowel.ErrNotFound) {
		return nil, rest.NotFound("there is no attempt with id %d", id)
	}
	if err != nil {
		return nil, err
	}
	return s, c.Authorize(s.Project.ID)
}

// taskMatcher returns a filter for a task and those below it. task is an id or a full name; empty means all tasks.
func taskMatcher(task string, names map[trowel.TaskID]string) (func(trowel.TaskID) bool, error) {
	if task == "" {
		return func(trowel.TaskID) bool { return true }, nil
	}
	if id, err := strconv.ParseInt(task, 10, 64); err == nil {
		if full, ok := names[trowel.TaskID(id)]; ok {
			task = full
		}
	}
	ids := map[trowel.TaskID]bool{}
	for id, name := range names {
		if rest, ok := strings.CutPrefix(name, task); ok && (rest == "" || strings.ContainsAny(rest[:1], "+^")) {
			ids[id] = true
		}
	}
	if len(ids) == 0 {
		return nil, rest.NotFound("the attempt has no task %q", task).WithHint("full names begin with the name of the workflow, as in +load+fetch")
	}
	return func(id trowel.TaskID) bool { return ids[id] }, nil
}
