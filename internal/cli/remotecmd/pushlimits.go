package remotecmd

import (
	"context"
	"os"

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/api"
	"github.com/trowel-project/trowel/internal/cli/cmd"
	"github.com/trowel-project/trowel/internal/client"
	"github.com/trowel-project/trowel/internal/dig"
)

// warnOfLimits warns about limits of commands in a pushed project that no agent keeps or allows (control K823). It asks the
// server only if there are any. A server that gives no answer does no harm, as for pools.
func warnOfLimits(ctx context.Context, c *cmd.Call, server *client.Client, dir string) {
	var known []trowel.KeptLimits
	asked := false
	findings := dig.LimitsWithoutAgents(os.DirFS(dir), dir, func() []trowel.KeptLimits {
		if !asked {
			asked, known = true, limitsOfAgents(ctx, server)
		}
		return known
	})
	if len(findings) > 0 {
		dig.Render(c.Env.Stderr, findings, c.Env.Colour())
	}
}

// limitsOfAgents asks a server what its agents keep; nil if it does not say so of all of them.
func limitsOfAgents(ctx context.Context, server *client.Client) (list []trowel.KeptLimits) {
	for page := (client.Cursor{Limit: largestPage}); ; {
		agents, err := server.ListAgents(ctx, page)
		if err != nil {
			return nil
		}
		for i := range agents.Items {
			list = append(list, keptLimits(&agents.Items[i].Limits))
		}
		if agents.Next == nil {
			return list
		}
		page.Next = *agents.Next
	}
}

// keptLimits are the limits that an agent keeps, as a server tells.
func keptLimits(l *api.KeptLimits) trowel.KeptLimits {
	return trowel.KeptLimits{Names: l.Names, Container: l.Container, Max: trowel.CommandLimits(l.Max)}
}
