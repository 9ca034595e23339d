package launch

import (
	"time"

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/param"
	"github.com/trowel-project/trowel/internal/schedule"
)

// SessionParams adds the session times before and after, by the schedule, to the parameters of an attempt, whatever its
// cause (language A8, P14). at is in the workflow's zone. Without a schedule the parameters stay as they are. params
// itself is not changed.
func SessionParams(params *param.Map, s *schedule.Schedule, at time.Time) *param.Map {
	if s == nil {
		return params
	}
	params = params.Clone()
	params.Set("last_session_time", s.Last(at).Session.Format(trowel.SessionTimeLayout))
	params.Set("next_session_time", s.Next(at).Session.Format(trowel.SessionTimeLayout))
	return params
}
