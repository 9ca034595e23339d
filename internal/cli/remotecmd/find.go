package remotecmd

import (
	"context"
	"errors"
	"net/http"
	"strings"

	"github.com/trowel-project/trowel/internal/api"
	"github.com/trowel-project/trowel/internal/cli/cmd"
	"github.com/trowel-project/trowel/internal/client"
)

// This file looks things up by the names that people type. If a name does not exist, one more
// request finds those that may have been meant.

// findProject returns the project with a name, or else with an id.
func findProject(ctx context.Context, server *client.Client, name string) (*api.Project, error) {
	project, err := server.FindProject(ctx, name)
	if !notFound(err) {
		return project, err
	}
	if id, errID := api.ParseID(name); errID == nil {
		if byID, errByID := server.ProjectByID(ctx, id); errByID == nil {
			return byID, nil
		}
	}
	list, errList := server.ListProjects(ctx, client.ProjectQuery{})
	if errList != nil {
		return nil, err
	}
	var names []string
	for i := range list.Projects {
		names = append(names, list.Projects[i].Name)
	}
	if len(names) <= 1 && cmd.NearWord(name, names) == "" { // a token for one project sees only that
		return nil, withinScope(ctx, server, err)
	}
	return nil, meant(err, name, names)
}

// findWorkflow returns a workflow by the names of project and workflow, in the given revision or, if that is
// empty, in the latest one.
func findWorkflow(ctx context.Context, server *client.Client, project, workflow, revision string) (*api.Workflow, error) {
	found, err := findProject(ctx, server, project)
	if err != nil {
		return nil, err
	}
	w, err := server.FindWorkflow(ctx, found.ID, revision, workflow)
	if !notFound(err) {
		return w, err
	}
	list, errList := server.ListProjectWorkflows(ctx, found.ID, revision)
	if errList != nil {
		return nil, err
	}
	var names []string
	for i := range list.Workflows {
		names = append(names, list.Workflows[i].Name)
	}
	return nil, meant(err, workflow, names)
}

// findSchedule returns a schedule by the names of project and workflow.
func findSchedule(ctx context.Context, server *client.Client, project, workflow string) (*api.Schedule, error) {
	found, err := findProject(ctx, server, project)
	if err != nil {
		return nil, err
	}
	s, err := server.FindSchedule(ctx, found.ID, workflow)
	if !notFound(err) {
		return s, err
	}
	list, errList := server.ListProjectSchedules(ctx, found.ID, 0)
	if errList != nil {
		return nil, err
	}
	var names []string
	for i := range list.Schedules {
		names = append(names, list.Schedules[i].Workflow.Name)
	}
	return nil, meant(err, workflow, names)
}

// notFound reports whether an error says that a server does not have something.
func notFound(err error) bool {
	refused, ok := errors.AsType[*client.StatusError](err)
	return ok && refused.Code == http.StatusNotFound
}

// meant adds the name that may have been meant to an error. A workflow is often called by the name of its file.
func meant(err error, name string, names []string) error {
	near := cmd.NearWord(strings.TrimSuffix(name, ".dig"), names)
	if near == "" {
		return err
	}
	return &nearMissError{err: err, near: near}
}

// nearMissError is an error about a name, with a similar one that may have been meant.
type nearMissError struct {
	err  error
	near string
}

func (e *nearMissError) Error() string { return e.err.Error() + "\n" + cmd.DidYouMean(e.near) }

// Unwrap returns the error without the similar name.
func (e *nearMissError) Unwrap() error { return e.err }
