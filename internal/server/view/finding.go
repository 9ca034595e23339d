package view

import (
	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/api"
	"github.com/trowel-project/trowel/internal/dig"
	"github.com/trowel-project/trowel/internal/server/find"
	"github.com/trowel-project/trowel/internal/server/rest"
)

// getFindings answers with the warnings about a revision.
func getFindings(c *rest.Call) (any, error) {
	return find.InProject(c, func(tx trowel.Tx, p *trowel.Project) (api.FindingCollection, error) {
		name := c.Query.Get("revision")
		r, err := tx.FindRevision(c.Ctx(), p.ID, name)
		if err != nil {
			return api.FindingCollection{}, find.OrNoRevision(err, p.ID, name)
		}
		found, err := tx.FindFindings(c.Ctx(), r.ID)
		shape := api.FindingCollection{Revision: r.Name, Total: found.Total, Findings: api.List[api.Finding]{}}
		for _, f := range found.List {
			shape.Findings = append(shape.Findings, api.Finding{
				File: f.File, Line: f.Line, Column: f.Column, Severity: dig.SeverityWarning.String(), Rule: f.Rule,
				Message: f.Message, Source: f.Source, Hint: f.Hint,
			})
		}
		return shape, err
	})
}
