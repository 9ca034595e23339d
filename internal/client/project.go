package client

import (
	"context"
	"io"
	"net/http"
	"time"

	"github.com/trowel-project/trowel/internal/api"
)

// ProjectQuery selects projects. Zero values select all.
type ProjectQuery struct {
	LastID api.ID // only those with a larger id
	Count  *int   // the largest number of results; nil for the server's default
	Name   string // part of the name
}

// ListProjects returns projects by ascending id.
func (c *Client) ListProjects(ctx context.Context, q ProjectQuery) (*api.ProjectCollection, error) {
	return get[api.ProjectCollection](ctx, c, "/api/projects",
		query{"last_id": idText(q.LastID), "count": number(q.Count), "name_pattern": q.Name})
}

// FindProject returns the project with a name, or a 404 that Digdag's client makes up.
func (c *Client) FindProject(ctx context.Context, name string) (*api.Project, error) {
	found, err := get[api.ProjectCollection](ctx, c, "/api/projects", query{"name": name})
	if err != nil {
		return nil, err
	}
	if name == "" || len(found.Projects) == 0 {
		return nil, missing("project not found: %s", name)
	}
	return &found.Projects[0], nil
}

// ProjectByID returns a project.
func (c *Client) ProjectByID(ctx context.Context, id api.ID) (*api.Project, error) {
	return get[api.Project](ctx, c, "/api/projects/"+id.String(), nil)
}

// ListRevisions returns revisions of a project, newest first. If name is not empty, only the one with that name.
func (c *Client) ListRevisions(ctx context.Context, project api.ID, name string) (*api.RevisionCollection, error) {
	return get[api.RevisionCollection](ctx, c, "/api/projects/"+project.String()+"/revisions", query{"name": name})
}

// Push is a revision to make.
type Push struct {
	Project, Revision string
	ScheduleFrom      time.Time // schedules start from then; zero for the server's time
	Archive           io.Reader // a tar.gz; it is read once and not closed
	Size              int64     // of the archive, in bytes
}

// PushProject makes a revision, and its project if it is the first one.
func (c *Client) PushProject(ctx context.Context, p Push) (*api.Project, error) {
	q := query{"project": p.Project, "revision": p.Revision}
	if !p.ScheduleFrom.IsZero() {
		q["schedule_from"] = api.Instant{Time: p.ScheduleFrom}.String()
	}
	res, err := c.send(ctx, request{
		method: http.MethodPut, address: c.address("/api/projects", q), accept: jsonType, own: true,
		body: io.NopCloser(p.Archive), size: p.Size, contentType: "application/gzip",
	})
	if err != nil {
		return nil, err
	}
	var project api.Project
	if err := readJSON(res, &project); err != nil {
		return nil, err
	}
	return &project, nil
}

// DeleteProject deletes a project and returns it as it was before.
func (c *Client) DeleteProject(ctx context.Context, id api.ID) (*api.Project, error) {
	return change[api.Project](ctx, c, http.MethodDelete, "/api/projects/"+id.String(), nil)
}

// FetchArchive opens the archive of a revision, or of the latest one if revision is empty. The caller closes it.
func (c *Client) FetchArchive(ctx context.Context, project api.ID, revision string) (io.ReadCloser, error) {
	q := query{"revision": revision, "direct_download": c.directDownload()}
	return c.fetch(ctx, c.address("/api/projects/"+project.String()+"/archive", q), true)
}

// directDownload returns the parameter that forbids direct downloads.
func (c *Client) directDownload() string {
	if c.options.NoDirectDownload {
		return "false"
	}
	return ""
}
