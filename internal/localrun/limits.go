package localrun

import (
	"fmt"
	"strconv"

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/command"
	"github.com/trowel-project/trowel/internal/config"
)

// Defaults of settings (server 3.1).
const (
	defaultTaskLimit    = 1000
	defaultAttemptLimit = 100
)

// limits are how much may run.
type limits struct {
	tasks    int // of one attempt
	attempts int // at a time
	slots    int // tasks at a time; 0 for no limit
	commands trowel.KeptLimits
}

// limits reads the limits of a run.
func (o *Options) limits() (l limits, err error) {
	if l.tasks, err = positiveSetting(o.Settings, "executor.task_max_run", defaultTaskLimit); err != nil {
		return l, err
	}
	if l.attempts, err = positiveSetting(o.Settings, "executor.attempt_max_run", defaultAttemptLimit); err != nil {
		return l, err
	}
	if l.slots = o.Slots; l.slots <= 0 {
		if l.slots, err = numberSetting(o.Settings, "agent.max-task-threads", 0); err != nil {
			return l, err
		}
	}
	l.commands.Names, l.commands.Container = command.Kept(nil), trowel.LimitNames()
	l.commands.Max, err = config.CommandLimits(o.Settings)
	return l, err
}

// numberSetting reads a number among the settings.
func numberSetting(settings config.Settings, key string, otherwise int) (int, error) {
	text, found := settings.Get(key)
	if !found {
		return otherwise, nil
	}
	n, err := strconv.Atoi(text)
	if err != nil {
		return 0, fmt.Errorf("setting %s = %s: want a number", key, text)
	}
	return n, nil
}

func positiveSetting(settings config.Settings, key string, otherwise int) (int, error) {
	n, err := numberSetting(settings, key, otherwise)
	if err == nil && n < 1 {
		return 0, fmt.Errorf("setting %s = %d: want a number from 1 on", key, n)
	}
	return n, err
}
