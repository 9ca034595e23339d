package remotecmd

import (
	"context"

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/api"
	"github.com/trowel-project/trowel/internal/client"
)

// agentNames holds the names of the present agents by their ids. The audit has only ids, as names may be
// used again.
type agentNames struct {
	server *client.Client
	asked  bool
	byID   map[string]string
}

// look asks the server once, when the first entry is about an agent. Callers who may not see agents see ids.
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

// name returns the name of an agent, or the beginning of the id if the agent is gone. Logs of servers have both.
func (n *agentNames) name(id string) string {
	if name := n.byID[id]; name != "" {
		return name
	}
	return "agent " + id[:min(len(id), shownID)]
}
