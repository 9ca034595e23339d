package schedule

import (
	"github.com/trowel-project/trowel/internal/param"
)

// ParseOptional reads the schedule of a workflow; nil without one.
func ParseOptional(config *param.Map, zone Zone) (*Schedule, error) {
	if config.Len() == 0 {
		return nil, nil
	}
	return Parse(config, zone)
}
