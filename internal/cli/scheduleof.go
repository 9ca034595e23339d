package cli

import (
	"github.com/trowel-project/trowel/internal/param"
	"github.com/trowel-project/trowel/internal/schedule"
)

// scheduleOf reads the schedule of a workflow; nil without one.
func scheduleOf(config *param.Map, zone schedule.Zone) (*schedule.Schedule, error) {
	if config.Len() == 0 {
		return nil, nil
	}
	return schedule.Parse(config, zone)
}
