package find

import (
	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/server/rest"
)

// Schedule returns the schedule of the path, if the caller may do with its project what the route does.
func Schedule(c *rest.Call, tx trowel.Tx) (*trowel.ScheduledWorkflow, error) {
	id := trowel.ScheduleID(c.PathNumber(0))
	s, err := tx.FindSchedule(c.Ctx(), id)
	if err == nil {
		err = c.CheckVisible(s.Schedule.ProjectID)
	}
	if err != nil {
		return nil, rest.OrNoResource(err, "schedule id=%d", id)
	}
	return s, c.Authorize(s.Schedule.ProjectID)
}
