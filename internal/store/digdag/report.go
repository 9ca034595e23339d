package digdag

import (
	"time"

	"github.com/trowel-project/trowel/internal/param"
)

// Report is the result of a migration.
type Report struct {
	Site   int64
	Counts []Count
	// Tasks is how many tasks the copied attempts have.
	Tasks int64
	// ComparedArchives is how many archives were read again from the target and compared.
	ComparedArchives int
	// Elsewhere counts the archives that stay where they are, by the type of their store.
	Elsewhere map[string]int64
	// Running are the attempts that had not ended. They are not copied.
	Running []Running
	// OtherSites are the sites that were not copied.
	OtherSites []Site
	// Warnings are sentences about what somebody should look at.
	Warnings []string
}

// Count compares the number of rows of a table in both databases.
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
	Waiting          bool // an attempt of a backfill whose turn had not come
}

// Progress says how far a migration is.
type Progress struct {
	Name        string // what is copied, in words
	Done, Total int64
}
