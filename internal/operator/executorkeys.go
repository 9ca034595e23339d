package operator

import (
	"maps"

	"github.com/trowel-project/trowel/internal/dig"
)

// withExecutors returns the options of an operator that runs commands: its own, and those of command executors
// (operators 4.3).
func withExecutors(own map[string]dig.Value) map[string]dig.Value {
	keys := map[string]dig.Value{
		"docker": dig.Value{Kind: dig.Object, Fields: dockerKeys(), Joined: []string{"image"}}.About("the container to run the command in, see [containers](../containers.md); without it the command is a process"),
	}
	keys["ecs"] = dig.Value{Kind: dig.Object, Fields: map[string]dig.Value{
		"task_definition_arn": Text().About("the task definition; without it that of the image of `docker`"),
	}}.About("where the command runs on [ECS](../ecs-kubernetes.md)")
	keys["kubernetes"] = dig.Value{Kind: dig.Object}.About("what is added to the pod of the command on [Kubernetes](../ecs-kubernetes.md#kubernetes): `Pod`, `PersistentVolume`, `PersistentVolumeClaim`")
	maps.Copy(keys, own)
	return keys
}

// dockerKeys are the keys of the block docker.
func dockerKeys() map[string]dig.Value {
	return map[string]dig.Value{
		"image":         Text().About("the image, or what the built image begins with; required"),
		"docker":        Text().Or("`docker`").About("the client's program, such as `podman`"),
		"run_options":   ListOf(Text()).About("options of `docker run`"),
		"pull_always":   Boolean().Or("false").About("whether the image is pulled before each run"),
		"selinux":       Boolean().Or("false").About("whether the project is relabelled for SELinux"),
		"build":         ListOf(Text()).About("commands by which an image is built once for each revision"),
		"build_options": ListOf(Text()).About("options of `docker build`"),
	}
}
