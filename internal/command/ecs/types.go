package ecs

import (
	"context"
	"time"
)

// Requests and answers of the services, as far as they are used.

type taskDefinition struct {
	ARN        string                `json:"taskDefinitionArn"`
	Containers []containerDefinition `json:"containerDefinitions"`
}

type containerDefinition struct {
	Name    string `json:"name"`
	Logging *struct {
		Driver  string            `json:"logDriver"`
		Options map[string]string `json:"options"`
	} `json:"logConfiguration"`
}

type runTask struct {
	Cluster             string         `json:"cluster"`
	Count               int            `json:"count"`
	TaskDefinition      string         `json:"taskDefinition"`
	LaunchType          string         `json:"launchType,omitempty"`
	ClientToken         string         `json:"clientToken"`
	StartedBy           string         `json:"startedBy,omitempty"`
	Overrides           taskOverride   `json:"overrides"`
	Network             *network       `json:"networkConfiguration,omitempty"`
	CapacityProviders   []capacityItem `json:"capacityProviderStrategy,omitempty"`
	PlacementStrategies []placement    `json:"placementStrategy,omitempty"`
}

type taskOverride struct {
	Containers []containerOverride `json:"containerOverrides"`
	CPU        string              `json:"cpu,omitempty"`
	Memory     string              `json:"memory,omitempty"`
}

type containerOverride struct {
	Name             string            `json:"name"`
	Command          []string          `json:"command"`
	Environment      []variable        `json:"environment,omitzero"` // an empty list is sent, nil is not
	EnvironmentFiles []environmentFile `json:"environmentFiles,omitempty"`
	CPU              int               `json:"cpu,omitempty"`
	Memory           int64             `json:"memory,omitempty"` // MiB
}

type variable struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

type environmentFile struct {
	Type  string `json:"type"`
	Value string `json:"value"`
}

type network struct {
	VPC struct {
		Subnets  []string `json:"subnets"`
		PublicIP string   `json:"assignPublicIp"`
	} `json:"awsvpcConfiguration"`
}

type capacityItem struct {
	Provider string `json:"capacityProvider"`
}

type placement struct {
	Type  string `json:"type"`
	Field string `json:"field,omitempty"`
}

// tasks is the answer to RunTask and DescribeTasks.
type tasks struct {
	Tasks    []task    `json:"tasks"`
	Failures []failure `json:"failures"`
}

type task struct {
	ARN           string       `json:"taskArn"`
	LastStatus    string       `json:"lastStatus"`
	CreatedAt     float64      `json:"createdAt"` // Unix time
	StopCode      string       `json:"stopCode"`
	StoppedReason string       `json:"stoppedReason"`
	Containers    []container  `json:"containers"`
	Overrides     taskOverride `json:"overrides"`
}

type container struct {
	ExitCode *int   `json:"exitCode"`
	Reason   string `json:"reason"`
}

type failure struct {
	ARN    string `json:"arn"`
	Reason string `json:"reason"`
	Detail string `json:"detail"`
}

type logEvents struct {
	Events []struct {
		Message string `json:"message"`
	} `json:"events"`
	Next string `json:"nextForwardToken"`
}

// describe returns a task, or nil if ECS does not know it.
func (c *client) describe(ctx context.Context, cluster, arn string) (*task, error) {
	var out tasks
	in := map[string]any{"cluster": cluster, "tasks": []string{arn}}
	if err := c.call(ctx, serviceECS(), "DescribeTasks", in, &out); err != nil || len(out.Tasks) == 0 {
		return nil, err
	}
	return &out.Tasks[0], nil
}

// created returns when a task was created, as Unix time.
func (t *task) created(otherwise time.Time) int64 {
	if t.CreatedAt > 0 {
		return int64(t.CreatedAt)
	}
	return otherwise.Unix()
}
