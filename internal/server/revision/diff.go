package revision

import (
	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/api"
	"github.com/trowel-project/trowel/internal/server/find"
	"github.com/trowel-project/trowel/internal/server/rest"
)

// diff answers how two revisions differ: their files, and what that means for their workflows.
func (h *files) diff(c *rest.Call) (any, error) {
	if c.Query.Get("from") == "" {
		return nil, rest.InvalidValue("from", "from is missing").WithHint("name the earlier revision")
	}
	var from, to *trowel.Revision
	var before, after []*trowel.Definition
	err := c.View(func(tx trowel.Tx) error {
		p, err := find.LiveProject(c, tx)
		if err != nil {
			return err
		}
		if from, before, err = workflowsOf(c, tx, p.ID, c.Query.Get("from")); err != nil {
			return err
		}
		to, after, err = workflowsOf(c, tx, p.ID, c.Query.Get("to"))
		return err
	})
	if err != nil {
		return nil, err
	}
	answer := api.RevisionDiff{From: from.Name, To: to.Name, Files: api.List[api.FileDiff]{}}
	if answer.Workflows, err = compareWorkflows(before, after); err != nil {
		return nil, err
	}
	old, err := h.known.read(c.Ctx(), h.archives, &from.Archive)
	if err != nil {
		return nil, err
	}
	fresh, err := h.known.read(c.Ctx(), h.archives, &to.Archive)
	if err != nil {
		return nil, err
	}
	changed := compareFiles(old, fresh)
	answer.FileCount = len(changed)
	changed = changed[:min(len(changed), maxFileDiffs)]
	if err := h.countLines(c.Ctx(), &from.Archive, &to.Archive, changed); err != nil {
		return nil, err
	}
	for i := range changed {
		answer.Files = append(answer.Files, changed[i].shape)
	}
	return answer, nil
}

// workflowsOf returns a revision of a project, the newest one if name is empty, and its workflows.
func workflowsOf(c *rest.Call, tx trowel.Tx, project trowel.ProjectID, name string) (*trowel.Revision, []*trowel.Definition, error) {
	r, err := tx.FindRevision(c.Ctx(), project, name)
	if err != nil {
		return nil, nil, find.OrNoRevision(err, project, name)
	}
	list, err := tx.ListWorkflows(c.Ctx(), trowel.WorkflowFilter{Revision: r.ID, Limit: -1})
	return r, list, err
}
