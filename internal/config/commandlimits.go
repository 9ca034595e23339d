package config

import (
	"fmt"
	"strings"

	trowel "github.com/trowel-project/trowel"
)

// limitsPrefix is what the keys of bounds of commands begin with.
const limitsPrefix = "agent.limits."

// CommandLimits reads the bounds of commands alone, for a process that does not read all settings.
func CommandLimits(settings Settings) (trowel.CommandLimits, error) {
	var s Server
	for _, k := range agentKeys() {
		if !strings.HasPrefix(k.Name, limitsPrefix) {
			continue
		}
		if text, found := settings.Get(k.Name); found {
			if err := k.set(&s, k.Name, text); err != nil {
				return s.Agent.Limits, fmt.Errorf("setting %s = %s: %w", k.Name, text, err)
			}
		}
	}
	return s.Agent.Limits, nil
}
