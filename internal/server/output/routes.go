package output

import (
	"slices"

	"github.com/trowel-project/trowel/internal/access"
	"github.com/trowel-project/trowel/internal/api"
	"github.com/trowel-project/trowel/internal/server/outline"
	"github.com/trowel-project/trowel/internal/server/rest"
	"github.com/trowel-project/trowel/internal/tasklog"
)

// Options are what the handlers need.
type Options struct {
	Logs *tasklog.Reader // nil if the server keeps no output
}

type handlers struct {
	logs     *tasklog.Reader
	outlines *outline.Cache
	turns    turns
}

// Routes are the paths of the output of tasks as text. outlines has the trees of attempts.
func Routes(o Options, outlines *outline.Cache) []rest.Route {
	h := &handlers{logs: o.Logs, outlines: outlines, turns: newTurns()}
	return []rest.Route{
		{
			Method: "GET", Path: "/api/attempts/{id:64}/log", Name: "getLog", Verb: access.GetLogFiles, Handle: h.get, Long: true,
			ContentTypes: []string{textType},
			About:        "A piece of the output of tasks, as whole lines. Headers that begin with Trowel-Log say which piece of how much.",
			Query:        slices.Concat(targetParams(), placeParams(), []rest.Parameter{rest.QueryFlag("download", "All of it, as a file to save.")}),
		},
		{
			Method: "GET", Path: "/api/attempts/{id:64}/log/search", Name: "searchLog", Verb: access.GetLogFiles, Answer: api.LogSearch{}, Handle: h.search,
			About: "What matches in the output of tasks. One request searches 64 MiB or for half a second.", Query: slices.Concat(targetParams(), searchParams()),
		},
	}
}
