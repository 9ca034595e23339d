package dig

import "fmt"

// Severity says what becomes of a finding.
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

// String is the place as editors read it: file:line:column, or the file alone.
func (p Place) String() string {
	if p.Line == 0 {
		return p.File
	}
	return fmt.Sprintf("%s:%d:%d", p.File, p.Line, p.Column)
}

// Finding is one thing that is wrong in a project, for people.
type Finding struct {
	Place
	Severity Severity
	Rule     string // one of Rules: what programs tell findings apart by
	Message  string // for people; what Digdag says is in the error itself
	Source   string // the line itself
	Hint     string // how to mend it; may be empty
	ID       string // of a finding about what Trowel adds to the language (control K121); else empty
}

// Tells reports whether a reader of the finding knows why Load, Compile or an attempt was refused with an error.
func (f Finding) Tells(err error) bool {
	return f.Severity == SeverityError || f.Message == inOwnWords(asError(err).Message)
}
