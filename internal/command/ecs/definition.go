package ecs

import (
	"context"

	"github.com/trowel-project/trowel/internal/param"
)

// imageTag is the tag by which the task definition of an image is found.
const imageTag = "digdag.docker.image"

// findDefinition returns the task definition of a task (operators 4.4). It must have one container.
func (s *submission) findDefinition(ctx context.Context) (*taskDefinition, error) {
	arn, err := nested(s.request.Params, "ecs", "task_definition_arn")
	if err != nil {
		return nil, err
	}
	if arn == "" {
		image, err := nested(s.request.Params, "docker", "image")
		if err != nil {
			return nil, err
		}
		if image == "" {
			return nil, param.Errorf("Parameter ecs.task_definition_arn: or docker.image: is required but not set.") // operators 4.4
		}
		if arn, err = s.findByImage(ctx, image); err != nil {
			return nil, err
		}
	}
	var out struct {
		Definition taskDefinition `json:"taskDefinition"`
	}
	if err := s.client.call(ctx, serviceECS(), "DescribeTaskDefinition", map[string]any{"taskDefinition": arn}, &out); err != nil {
		return nil, told(err)
	}
	switch found := &out.Definition; len(found.Containers) {
	case 0:
		return nil, param.Errorf("Task definition must have a container definition: %s", arn)
	case 1:
		return found, nil
	default:
		return nil, param.Errorf("Task definition must not have multiple container definitions: %s", found.ARN) // operators 4.4
	}
}

// nested returns a text in a block of the parameters; empty if one of both is missing.
func nested(params *param.Map, block, key string) (string, error) {
	inner, err := param.NewReader(params).OptMap(block)
	if err != nil {
		return "", err
	}
	return param.NewReader(inner).StringOr(key, "")
}

// findByImage returns the first task definition that has the tag of an image.
func (s *submission) findByImage(ctx context.Context, image string) (string, error) {
	for in := map[string]any{}; ; {
		var page struct {
			ARNs []string `json:"taskDefinitionArns"`
			Next string   `json:"nextToken"`
		}
		if err := s.client.call(ctx, serviceECS(), "ListTaskDefinitions", in, &page); err != nil {
			return "", told(err)
		}
		for _, arn := range page.ARNs {
			if tagged, err := s.isTagged(ctx, arn, image); err != nil || tagged {
				return arn, err
			}
		}
		if in["nextToken"] = page.Next; page.Next == "" {
			return "", param.Errorf("Not found task definition with '%s' tag: %s", imageTag, image) // operators 4.4
		}
	}
}

func (s *submission) isTagged(ctx context.Context, arn, image string) (bool, error) {
	var out struct {
		Tags []struct {
			Key   string `json:"key"`
			Value string `json:"value"`
		} `json:"tags"`
	}
	if err := s.client.call(ctx, serviceECS(), "ListTagsForResource", map[string]any{"resourceArn": arn}, &out); err != nil {
		return false, told(err)
	}
	for _, tag := range out.Tags {
		if tag.Key == imageTag && tag.Value == image {
			return true, nil
		}
	}
	return false, nil
}

// streamOf returns where the output of a task definition's container goes, without the id of the task; nil if that is not
// CloudWatch Logs.
func (s *submission) streamOf(ctx context.Context, definition *taskDefinition) *logStream {
	one := &definition.Containers[0]
	if one.Logging == nil || one.Logging.Driver != "awslogs" {
		s.log.WarnContext(ctx, "the output of the command is not shown: the container of the task definition does not have the log driver awslogs")
		return nil
	}
	group, prefix := one.Logging.Options["awslogs-group"], one.Logging.Options["awslogs-stream-prefix"]
	if group == "" || prefix == "" {
		s.log.WarnContext(ctx, "the output of the command is not shown: the log options of the task definition's container lack awslogs-group or awslogs-stream-prefix")
		return nil
	}
	return &logStream{group: group, stream: prefix + "/" + one.Name}
}
