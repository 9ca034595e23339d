package cli

import (
	"context"
	"os"

	"github.com/trowel-project/trowel/internal/client"
	"github.com/trowel-project/trowel/internal/dig"
)

// warnOfPools shows the pools that a pushed project names and that the server does not have (control K803).
// A server is only asked if the project names any. One that has no pools, as Digdag's, is asked in vain,
// which is no harm: the push has succeeded.
func (c *call) warnOfPools(ctx context.Context, server *client.Client, dir, project string) {
	files := os.DirFS(dir)
	if len(dig.UnknownPools(files, dir, func(string) bool { return false })) == 0 {
		return
	}
	known := map[string]bool{}
	for page := (client.Cursor{Limit: largestPage}); ; {
		list, err := server.ListPools(ctx, "", page)
		if err != nil {
			return
		}
		for _, p := range list.Items {
			if p.Project == nil || p.Project.Name == project {
				known[p.Name] = true
			}
		}
		if list.Next == nil {
			break
		}
		page.Next = *list.Next
	}
	findings := dig.UnknownPools(files, dir, func(name string) bool { return known[name] })
	if len(findings) > 0 {
		dig.Render(c.env.Stderr, findings, c.env.colour())
	}
}
