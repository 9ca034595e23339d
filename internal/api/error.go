package api

// Error is the body of an answer that is an error (server 2.5).
type Error struct {
	Message *string `json:"message"` // null if the cause has none
	Status  int     `json:"status"`
	// Findings is all that is wrong in a refused project. It is ours: Digdag tells the first thing.
	Findings []Finding `json:"findings,omitempty"`
	// What Trowel's own paths say besides (ui.md, section 4): a word for programs, which part of the
	// request is wrong, and how to go on.
	Code  string `json:"code,omitempty"`
	Where string `json:"where,omitempty"`
	Hint  string `json:"hint,omitempty"`
}

// Finding is one thing that is wrong in a project.
type Finding struct {
	File     string `json:"file"`     // slash path from the project's root
	Line     int    `json:"line"`     // from 1; 0 if it is about the file or folder as a whole
	Column   int    `json:"column"`   // from 1, in characters
	Severity string `json:"severity"` // error or warning
	Rule     string `json:"rule"`     // what kind of mistake it is, for programs
	Message  string `json:"message"`
	Source   string `json:"source"`         // the line itself
	Hint     string `json:"hint,omitempty"` // how to mend it
	ID       string `json:"id,omitempty"`   // of a finding about what Trowel adds to the language
}
