package remotecmd

import (
	"context"

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/api"
	"github.com/trowel-project/trowel/internal/client"
)

// agentNames are the names of the agents that are there, by their ids. The audit has ids alone, as names may
// come again.
type agentNames struct {
	server *client.Client
	asked  bool
	byID   map[string]string
}

// look asks the server once, as soon as an agent is among the entries. Callers that may not see agents see ids.
func (n *agentNames) look(ctx context.Context, entries []api.AuditEntry) {
	for i := range entries {
		if n.asked || entries[i].Actor.Kind != trowel.ActorAgent {
			continue
		}
		n.asked = true
		all, err := listAgents(ctx, n.server)
		if err != nil {
			return
		}
		n.byID = map[string]string{}
		for j := range all.Items {
			n.byID[all.Items[j].ID] = all.Items[j].Name
		}
	}
}

// shownID is how much of the id of an agent is shown.
const shownID = 8

// name is that of an agent, or the beginning of the id of one that is gone; logs of servers have both.
func (n *agentNames) name(id string) string {
	if name := n.byID[id]; name != "" {
		return name
	}
	return "agent " + id[:min(len(id), shownID)]
}
