package dig

import "fmt"

// Severity says how serious a finding is.
type Severity uint8

// Severities.
const (
	SeverityError   Severity = iota + 1 // Digdag refuses the project, and so does Trowel
	SeverityWarning                     // the project is accepted; a task will probably fail
)

func (s Severity) String() string {
	switch s {
	case SeverityError:
		return "error"
	case SeverityWarning:
		return "warning"
	default:
		return fmt.Sprintf("severity(%d)", uint8(s))
	}
}

// Place is where something stands in a project.
type Place struct {
	File   string // slash path from the project's root
	Line   int    // from 1; 0 if it is about the file, or the folder ".", as a whole
	Column int    // from 1, in characters
}

// String returns the place as editors read it: file:line:column, or the file alone.
func (p Place) String() string {
	if p.Line == 0 {
		return p.File
	}
	return fmt.Sprintf("%s:%d:%d", p.File, p.Line, p.Column)
}

// Finding is one mistake in a project, described for people.
type Finding struct {
	Place
	Severity Severity // error or warning
	Rule     string   // one of Rules, by which programs distinguish findings
	Message  string   // for people; Digdag's text is in the error itself
	Source   string   // the line itself
	Hint     string   // how to mend it; may be empty
	ID       string   // of a finding about what Trowel adds to the language (control K121); else empty
}

// Tells reports whether the finding explains the error with which Load, Compile or an attempt was refused.
func (f Finding) Tells(err error) bool {
	return f.Severity == SeverityError || f.Message == inOwnWords(asError(err).Message)
}
