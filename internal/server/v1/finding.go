package v1

import (
	"log/slog"

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/dig"
)

// Longer texts of findings are cut, in characters.
const (
	longestFinding = 500
	longestSource  = 200
)

// findings checks the pushed workflows and returns the warnings. They are stored with the revision.
func (p *push) findings() trowel.Findings {
	var found trowel.Findings
	for _, f := range dig.CheckFS(p.upload.Files, shownDir, p.Catalog) {
		if f.Severity != dig.SeverityWarning {
			continue
		}
		if found.Total++; found.Total <= trowel.MaxFindings {
			found.List = append(found.List, trowel.Finding{
				File: f.File, Line: f.Line, Column: f.Column, Rule: f.Rule, Message: firstRunes(f.Message, longestFinding),
				Source: firstRunes(f.Source, longestSource), Hint: firstRunes(f.Hint, longestFinding),
			})
		}
	}
	return found
}

// logFindings logs that a pushed revision has warnings.
func (p *push) logFindings(found trowel.Findings) {
	if found.Total == 0 {
		return
	}
	first := found.List[0]
	p.Log().Warn("revision has warnings", slog.String("project", p.project), slog.String("revision", p.revision),
		slog.Int("warnings", found.Total), slog.String("file", first.File), slog.Int("line", first.Line), slog.String("first", first.Message))
}

// firstRunes cuts a text after so many characters.
func firstRunes(text string, most int) string {
	n := 0
	for i := range text {
		if n == most {
			return text[:i] + "..."
		}
		n++
	}
	return text
}
