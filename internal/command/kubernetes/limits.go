package kubernetes

import (
	"context"
	"log/slog"
	"math"
	"strconv"
	"strings"

	"github.com/trowel-project/trowel/internal/command"
	"github.com/trowel-project/trowel/internal/param"
)

// Names of resources.
const (
	resourceMemory = "memory"
	resourceCPU    = "cpu"
	resourceDisk   = "ephemeral-storage"
)

// resources returns the resources of the container: those of the task, with the limits of the command where they are lower.
// Nil for none.
func (s *submission) resources(ctx context.Context) *param.Map {
	limits := &s.request.Limits
	if limits.PIDs > 0 {
		s.log.WarnContext(ctx, "Kubernetes has no limit of pids for one command, so it is not kept; a node may have one for all its pods",
			slog.Int("pids", limits.PIDs))
	}
	wanted := map[string]string{}
	if limits.Memory > 0 {
		wanted[resourceMemory] = strconv.FormatInt(limits.Memory, 10)
	}
	if limits.CPU > 0 {
		wanted[resourceCPU] = strconv.FormatInt(int64(math.Ceil(limits.CPU*1000)), 10) + "m"
	}
	if limits.Disk > 0 {
		wanted[resourceDisk] = strconv.FormatInt(limits.Disk, 10)
	}
	if len(wanted) == 0 {
		return s.options.resources
	}
	all := s.options.resources.Clone()
	upper, lower := mapAt(all, "limits").Clone(), mapAt(all, "requests").Clone()
	for _, name := range []string{resourceMemory, resourceCPU, resourceDisk} {
		text, asked := wanted[name]
		if !asked {
			continue
		}
		if !upper.Has(name) || isMore(textAt(upper, name), text) {
			upper.Set(name, text)
		}
		if lower.Has(name) && isMore(textAt(lower, name), text) {
			lower.Set(name, text)
		}
	}
	all.Set("limits", upper)
	if lower.Len() > 0 {
		all.Set("requests", lower)
	}
	return all
}

// isMore reports whether one amount is more than another one. One that cannot be read is.
func isMore(one, other string) bool {
	a, known := quantity(one)
	b, _ := quantity(other)
	return !known || a > b
}

// limitOf returns a limit of the pod's container in bytes; zero for none.
func limitOf(pod *param.Map, resource string) int64 {
	amount, _ := quantity(textAt(first(pod, "spec", "containers"), "resources", "limits", resource))
	return int64(amount)
}

// exceeded returns the limit that ended a pod, or nil.
func exceeded(pod, ended *param.Map) *command.LimitError {
	if limit := limitOf(pod, resourceMemory); limit > 0 && textAt(ended, "reason") == "OOMKilled" {
		return &command.LimitError{Kind: command.LimitMemory, Limit: limit}
	}
	isDisk := textAt(pod, "status", "reason") == reasonEvicted && strings.Contains(textAt(pod, "status", "message"), "ephemeral")
	if limit := limitOf(pod, resourceDisk); limit > 0 && isDisk {
		return &command.LimitError{Kind: command.LimitDisk, Limit: limit}
	}
	return nil
}
