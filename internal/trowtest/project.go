package trowtest

import (
	"context"
	"testing"
	"testing/fstest"
	"time"

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/dig"
)

// Project is a project with one revision.
type Project struct {
	trowel.Project
	Revision  trowel.Revision             // named r1 unless a test changes it
	Workflows map[string]*trowel.Workflow // by name
}

// NewProject makes a project of the texts of .dig files, by the names of their workflows. It is not stored yet.
func NewProject(tb testing.TB, name string, workflows map[string]string) *Project {
	tb.Helper()
	files := fstest.MapFS{}
	for name, text := range workflows {
		files[name+".dig"] = &fstest.MapFile{Data: []byte(text)}
	}
	loaded, err := dig.LoadFS(files, "/"+name)
	if err != nil {
		tb.Fatal(err)
	}
	now := time.Now()
	p := &Project{
		Project:   trowel.Project{Name: name, CreatedAt: now},
		Revision:  trowel.Revision{Name: "r1", CreatedAt: now, Archive: trowel.Archive{Type: "none"}},
		Workflows: map[string]*trowel.Workflow{},
	}
	for _, w := range loaded.Workflows {
		p.Workflows[w.Name] = &trowel.Workflow{Name: w.Name, Zone: w.Zone.ID, Definition: w.Definition}
	}
	return p
}

// In puts all workflows into a time zone, and returns the project.
func (p *Project) In(zone string) *Project {
	for _, w := range p.Workflows {
		w.Zone = zone
	}
	return p
}

// Push makes a project and stores it.
func Push(tb testing.TB, db trowel.Store, name string, workflows map[string]string) *Project {
	tb.Helper()
	p := NewProject(tb, name, workflows)
	Update(tb, db, func(tx trowel.Tx) error { return p.Insert(tb.Context(), tx) })
	return p
}

// Insert stores the project, its revision and its workflows, which get their ids. A project of that name that is stored
// already gets another revision.
func (p *Project) Insert(ctx context.Context, tx trowel.Tx) error {
	return tx.InsertRevision(ctx, &p.Project, &p.Revision, p.List())
}

// List returns the workflows of the project.
func (p *Project) List() []*trowel.Workflow {
	var list []*trowel.Workflow
	for _, w := range p.Workflows {
		list = append(list, w)
	}
	return list
}

// Context returns what attempts of a stored workflow belong to. Their session is that of SessionTime.
func (p *Project) Context(workflow string) trowel.AttemptContext {
	return trowel.AttemptContext{
		Project: p.Project, Revision: p.Revision, Workflow: *p.Workflows[workflow],
		Session: trowel.Session{ProjectID: p.ID, Workflow: workflow, Time: SessionTime, UUID: "u"},
	}
}

// SessionTime is the session time of attempts that name no other.
var SessionTime = time.Date(2024, 1, 15, 0, 0, 0, 0, time.UTC)
