package revision

import (
	"github.com/trowel-project/trowel/internal/access"
	"github.com/trowel-project/trowel/internal/api"
	"github.com/trowel-project/trowel/internal/server/download"
	"github.com/trowel-project/trowel/internal/server/find"
	"github.com/trowel-project/trowel/internal/server/rest"
)

// Options are what the handlers need.
type Options struct {
	Archives *download.Archives
}

// Routes are the paths about revisions.
func Routes(o Options) []rest.Route {
	h := &files{archives: o.Archives, known: listings{}}
	return []rest.Route{
		{
			Method: "GET", Path: "/api/projects/{id:32}/files", Name: "getFiles", Verb: access.GetProjectArchive, Answer: api.ProjectFileList{},
			Handle: h.list, About: "The files and links of a revision, those of a folder in a row.", Query: append(rest.PageParams(), find.QueryRevision()),
		},
		{
			Method: "GET", Path: "/api/projects/{id:32}/files/content", Name: "getFileContent", Verb: access.GetProjectArchive, Handle: h.content,
			ContentTypes: []string{textType, binaryType}, Ranges: true, Long: true, About: "The content of a file of a revision.",
			Query: []rest.Parameter{find.QueryRevision(), rest.QueryText("path", "Path of the file from the project's folder.")},
		},
		{
			Method: "GET", Path: "/api/projects/{id:32}/diff", Name: "getRevisionDiff", Verb: access.GetProjectArchive, Answer: api.RevisionDiff{},
			Handle: h.diff, About: "How two revisions differ: files, and what that means for workflows and tasks.",
			Query: []rest.Parameter{
				rest.QueryText("from", "Name of the earlier revision."), rest.QueryText("to", "Name of the later revision; the newest one if it is missing."),
			},
		},
	}
}
