package digdag

import (
	"time"

	"github.com/trowel-project/trowel/internal/param"
)

// Report is what became of a migration.
type Report struct {
	Site   int64
	Counts []Count
	// Tasks is how many tasks the copied attempts have.
	Tasks int64
	// ComparedArchives is how many archives were read again from the target and compared.
	ComparedArchives int
	// Elsewhere counts the archives that stay in the store they are in, by its type.
	Elsewhere map[string]int64
	// Running are the attempts that had not ended, which are not copied.
	Running []Running
	// OtherSites are those that nothing was copied of.
	OtherSites []Site
	// Warnings are sentences about what a person should look at.
	Warnings []string
}

// Count compares a table in both databases.
type Count struct {
	Name           string // in words
	Source, Target int64
}

// Site is a tenant of a Digdag server.
type Site struct{ ID, Projects, Attempts int64 }

// Running is an attempt that had not ended.
type Running struct {
	Attempt, Session int64
	Project          string // empty if it is deleted
	Revision         string // empty if the workflow was not stored
	Workflow         string
	SessionTime      time.Time
	Zone             string
	Name             string // of the attempt
	Params           *param.Map
	Killed           bool
	Waiting          bool // of a backfill that has not come to it
}

// Progress tells how far a migration is.
type Progress struct {
	Name        string // what is copied, in words
	Done, Total int64
}
