package projectdir

import (
	"fmt"
	"slices"

	"github.com/trowel-project/trowel/internal/api"
	"github.com/trowel-project/trowel/internal/cli/cmd"
	"github.com/trowel-project/trowel/internal/dig"
	"github.com/trowel-project/trowel/internal/operator/builtin"
	"github.com/trowel-project/trowel/internal/terminal"
	"github.com/trowel-project/trowel/internal/textutil"
)

// Findings returns everything that is wrong or suspicious in a project on this machine.
func Findings(dir string) []dig.Finding { return dig.Check(dir, builtin.Catalog(dir)) }

// Refuse says why a project cannot be used. On a terminal it shows only the findings, which say in plain words what is
// wrong and where. Otherwise Digdag's line comes first (design, section 9).
func Refuse(c *cmd.Call, dir string, err error) error {
	findings := Findings(dir)
	if c.Args.Given("--json") && c.Command.Name == "check" {
		if !HasErrors(findings) {
			findings = append(findings, dig.Finding{Place: dig.Place{File: "."}, Severity: dig.SeverityError, Rule: "refused", Message: cmd.ErrorText(err)})
		}
		return FindingsJSON(c, findings)
	}
	told := slices.ContainsFunc(findings, func(f dig.Finding) bool { return f.Tells(err) })
	if !c.Env.Terminals.Stderr || !told {
		terminal.Say(c.Env.Stderr, "error: %s\n", c.ErrorWithFix(err))
		ShowFindings(c, findings)
		return &cmd.ExitError{Code: cmd.ExitFailure}
	}
	dig.Render(c.Env.Stderr, findings, c.Env.Colour())
	return &cmd.ExitError{Code: cmd.ExitFailure}
}

// HasErrors reports whether a finding is an error.
func HasErrors(findings []dig.Finding) bool {
	return slices.ContainsFunc(findings, func(f dig.Finding) bool { return f.Severity == dig.SeverityError })
}

// ShowFindings lists findings on standard error, after a blank line.
func ShowFindings(c *cmd.Call, findings []dig.Finding) {
	if len(findings) > 0 {
		terminal.Say(c.Env.Stderr, "\n")
		dig.Render(c.Env.Stderr, findings, c.Env.Colour())
	}
}

// mostWarnings is how many warnings ShowWarnings shows at most.
const mostWarnings = 50

// ShowWarnings lists some findings on standard error before a command goes on.
func ShowWarnings(c *cmd.Call, findings []dig.Finding, dir string) {
	dig.Render(c.Env.Stderr, findings[:min(len(findings), mostWarnings)], c.Env.Colour())
	if more := len(findings) - mostWarnings; more > 0 {
		terminal.Say(c.Env.Stderr, "%d more: %s check --project %s\n", more, c.Program, textutil.ShellQuote(dir))
	}
}

// FailStrictly fails for any finding if --strict is given.
func FailStrictly(c *cmd.Call, findings []dig.Finding) error {
	if c.Args.Given("--strict") && len(findings) > 0 {
		return &cmd.ExitError{Code: cmd.ExitFailure}
	}
	return nil
}

// checkReport is the document of check --json (docs/check.md).
type checkReport struct {
	Findings api.List[api.Finding] `json:"findings"`
	Errors   int                   `json:"errors"`
	Warnings int                   `json:"warnings"`
}

// FindingsJSON writes findings for programs. It fails if there are errors or, with --strict, any findings.
func FindingsJSON(c *cmd.Call, findings []dig.Finding) error {
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
	if err := cmd.PrintJSON(c, report); err != nil {
		return fmt.Errorf("write findings: %w", err)
	}
	if report.Errors > 0 {
		return &cmd.ExitError{Code: cmd.ExitFailure}
	}
	return FailStrictly(c, findings)
}
