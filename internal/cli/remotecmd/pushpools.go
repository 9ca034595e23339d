package remotecmd

import (
	"context"
	"os"

	"github.com/trowel-project/trowel/internal/cli/cmd"
	"github.com/trowel-project/trowel/internal/client"
	"github.com/trowel-project/trowel/internal/dig"
)

// warnOfPools warns about pools that a pushed project names and the server does not have (control K803).
// It asks the server only if the project names any. A server without pools, such as Digdag's, gives no answer, which
// does no harm: the push has succeeded.
func warnOfPools(ctx context.Context, c *cmd.Call, server *client.Client, dir, project string) {
	var known map[string]bool
	var err error
	findings := dig.UnknownPools(os.DirFS(dir), dir, func(name string) bool {
		if known == nil && err == nil {
			known, err = poolsOf(ctx, server, project)
		}
		return err != nil || known[name]
	})
	if len(findings) > 0 {
		dig.Render(c.Env.Stderr, findings, c.Env.Colour())
	}
}

// poolsOf asks a server for the names of the pools that tasks of a project may use.
func poolsOf(ctx context.Context, server *client.Client, project string) (map[string]bool, error) {
	known := map[string]bool{}
	for page := (client.Cursor{Limit: largestPage}); ; {
		list, err := server.ListPools(ctx, "", page)
		if err != nil {
			return nil, err
		}
		for _, p := range list.Items {
			if p.Project == nil || p.Project.Name == project {
				known[p.Name] = true
			}
		}
		if list.Next == nil {
			return known, nil
		}
		page.Next = *list.Next
	}
}
