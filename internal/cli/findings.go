package cli

import (
	"fmt"
	"slices"

	"github.com/trowel-project/trowel/internal/api"
	"github.com/trowel-project/trowel/internal/dig"
	"github.com/trowel-project/trowel/internal/operator"
	"github.com/trowel-project/trowel/internal/terminal"
	"github.com/trowel-project/trowel/internal/textutil"
)

// findingsOfFolder is all that is wrong or suspicious in a project of this machine.
func findingsOfFolder(dir string) []dig.Finding { return dig.Check(dir, operator.DefaultCatalog(dir)) }

// refuseProject says why a project cannot be used. On a terminal that are the findings alone, which say what is
// wrong in plain words, and where; without one Digdag's line comes before them (design, section 9).
func refuseProject(c *call, dir string, err error) error {
	findings := findingsOfFolder(dir)
	if c.args.given("--json") && c.command.name == "check" {
		if !hasErrors(findings) {
			findings = append(findings, dig.Finding{Place: dig.Place{File: "."}, Severity: dig.SeverityError, Rule: "refused", Message: errorText(err)})
		}
		return findingsJSON(c, findings)
	}
	told := slices.ContainsFunc(findings, func(f dig.Finding) bool { return f.Tells(err) })
	if !c.env.Terminals.Stderr || !told {
		terminal.Say(c.env.Stderr, "error: %s\n", c.errorWithFix(err))
		showFindings(c, findings)
		return &exitError{exitFailure}
	}
	dig.Render(c.env.Stderr, findings, c.env.colour())
	return &exitError{exitFailure}
}

func hasErrors(findings []dig.Finding) bool {
	return slices.ContainsFunc(findings, func(f dig.Finding) bool { return f.Severity == dig.SeverityError })
}

// showFindings lists findings on standard error, after what stands there.
func showFindings(c *call, findings []dig.Finding) {
	if len(findings) > 0 {
		terminal.Say(c.env.Stderr, "\n")
		dig.Render(c.env.Stderr, findings, c.env.colour())
	}
}

// mostWarnings is how many warnings are shown before something else is done.
const mostWarnings = 50

// showWarnings lists findings on standard error before a command goes on, not more than one looks at.
func showWarnings(c *call, findings []dig.Finding, dir string) {
	dig.Render(c.env.Stderr, findings[:min(len(findings), mostWarnings)], c.env.colour())
	if more := len(findings) - mostWarnings; more > 0 {
		terminal.Say(c.env.Stderr, "%d more: %s check --project %s\n", more, c.program, textutil.ShellQuote(dir))
	}
}

// failStrictly fails for any finding where --strict wants that.
func failStrictly(c *call, findings []dig.Finding) error {
	if c.args.given("--strict") && len(findings) > 0 {
		return &exitError{exitFailure}
	}
	return nil
}

// checkReport is the document of check --json (docs/check.md).
type checkReport struct {
	Findings api.List[api.Finding] `json:"findings"`
	Errors   int                   `json:"errors"`
	Warnings int                   `json:"warnings"`
}

// findingsJSON writes findings for programs, and fails for errors, or with --strict for all.
func findingsJSON(c *call, findings []dig.Finding) error {
	var report checkReport
	for _, f := range findings {
		report.Findings = append(report.Findings, api.Finding{
			File: f.File, Line: f.Line, Column: f.Column, Severity: f.Severity.String(), Rule: f.Rule, Message: f.Message,
			Source: f.Source, Hint: f.Hint, ID: f.ID,
		})
		if f.Severity == dig.SeverityError {
			report.Errors++
		} else {
			report.Warnings++
		}
	}
	if err := printJSON(c, report); err != nil {
		return fmt.Errorf("write findings: %w", err)
	}
	if report.Errors > 0 {
		return &exitError{exitFailure}
	}
	return failStrictly(c, findings)
}
