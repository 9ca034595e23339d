package client

import (
	"context"
	"net/http"

	"github.com/trowel-project/trowel/internal/api"
)

// ListAgents returns a page of agents.
func (c *Client) ListAgents(ctx context.Context, page Cursor) (*api.AgentList, error) {
	return get[api.AgentList](ctx, c, "/api/agents", page.query(query{}))
}

// FindAgent returns an agent.
func (c *Client) FindAgent(ctx context.Context, id string) (*api.Agent, error) {
	return get[api.Agent](ctx, c, "/api/agents/"+segment(id), nil)
}

// ListAgentTasks returns a page of the tasks that an agent runs.
func (c *Client) ListAgentTasks(ctx context.Context, id string, page Cursor) (*api.AgentTaskList, error) {
	return get[api.AgentTaskList](ctx, c, "/api/agents/"+segment(id)+"/tasks", page.query(query{}))
}

// DrainAgent tells an agent to take no new tasks, or, with undo, to take them again.
func (c *Client) DrainAgent(ctx context.Context, id string, undo bool, r api.NoteRequest) (*api.Agent, error) {
	verb := "/drain"
	if undo {
		verb = "/undrain"
	}
	return change[api.Agent](ctx, c, http.MethodPost, "/api/agents/"+segment(id)+verb, r)
}

// PauseWorkflow pauses a workflow, so that none of its attempts begins, or, with undo, ends that.
func (c *Client) PauseWorkflow(ctx context.Context, project api.ID, workflow string, undo bool, r api.NoteRequest) (*api.WorkflowState, error) {
	verb := "/pause"
	if undo {
		verb = "/resume"
	}
	return change[api.WorkflowState](ctx, c, http.MethodPost, "/api/projects/"+project.String()+"/workflows/"+segment(workflow)+verb, r)
}
