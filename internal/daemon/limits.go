package daemon

import (
	"math"

	"github.com/trowel-project/trowel/internal/config"
)

// runsTasks reports whether a server runs tasks itself. If not, it has no agent in lists and counts.
func runsTasks(s *config.Server) bool { return s.Agent.Enabled && s.Engine.Enabled }

// maxRunning returns how many tasks may run on all agents, or zero without limit.
func maxRunning(e *config.Engine) int {
	if e.MaxConcurrency < math.MaxInt32 && (e.MaxRunningTasks == 0 || e.MaxConcurrency < e.MaxRunningTasks) {
		return e.MaxConcurrency
	}
	return e.MaxRunningTasks
}

// slots returns how many tries run in a server's process at the same time, or zero without limit.
func slots(s *config.Server) int {
	slots, limit := s.Agent.Slots, s.Engine.MaxConcurrency
	if limit < math.MaxInt32 && (slots == 0 || slots > limit) {
		return limit
	}
	return slots
}
