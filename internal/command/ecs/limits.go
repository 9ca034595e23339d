package ecs

import (
	"context"
	"log/slog"
	"math"
	"strings"

	"github.com/trowel-project/trowel/internal/command"
)

const (
	mebibyte = 1 << 20
	// cpuUnits are those of one processor. leastMemory is what a container must have, in MiB.
	cpuUnits    = 1024
	leastMemory = 6
)

// setSizes hands the sizes of the settings and the limits of the command to ECS; the smaller ones count.
func (s *submission) setSizes(ctx context.Context, container *containerOverride) {
	container.Memory = s.containerMemory()
	limits, cpu := &s.request.Limits, s.cluster.containerCPU
	if limits.CPU > 0 {
		units := max(1, int(math.Ceil(limits.CPU*cpuUnits)))
		if cpu == 0 || units < cpu {
			cpu = units
		}
	}
	container.CPU = cpu
	if limits.PIDs > 0 || limits.Disk > 0 {
		s.log.WarnContext(ctx, "ECS has no limits of pids and disk for one command, so these are not kept",
			slog.Int("pids", limits.PIDs), slog.Int64("disk", limits.Disk))
	}
}

// containerMemory returns the memory of the container in MiB; zero for what the task definition says.
func (s *submission) containerMemory() int64 {
	memory := int64(s.cluster.containerMemory)
	if limit := s.request.Limits.Memory; limit > 0 {
		mib := max(leastMemory, limit/mebibyte)
		if memory == 0 || mib < memory {
			memory = mib
		}
	}
	return memory
}

// memoryLimit returns the limit in bytes that ECS keeps; zero for an unknown one.
func (s *submission) memoryLimit() int64 { return s.containerMemory() * mebibyte }

// exceeded returns the limit that ended the container, or nil.
func (s *state) exceeded(reason string) *command.LimitError {
	if s.memory == 0 || !strings.Contains(reason, "OutOfMemoryError") {
		return nil
	}
	return &command.LimitError{Kind: command.LimitMemory, Limit: s.memory}
}
