package view

import (
	"cmp"
	"slices"
	"time"

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/api"
	"github.com/trowel-project/trowel/internal/launch"
	"github.com/trowel-project/trowel/internal/server/document"
	"github.com/trowel-project/trowel/internal/server/rest"
)

// upcomingFor is how far ahead upcoming sessions are listed unless a request says so.
const upcomingFor = 2 * time.Hour

// getUpcoming answers with the sessions that schedules will start, the earliest first.
func (h *handlers) getUpcoming(c *rest.Call) (any, error) {
	if err := checkParams(c); err != nil {
		return nil, err
	}
	from, err := c.InstantParam("from")
	if err != nil {
		return nil, err
	}
	to, err := c.InstantParam("to")
	if err != nil {
		return nil, err
	}
	if from.IsZero() {
		from = c.Now
	}
	if to.IsZero() {
		to = from.Add(upcomingFor)
	}
	limit, key, err := c.PageNumbers(2)
	if err != nil {
		return nil, err
	}
	f := trowel.UpcomingFilter{Before: to, Workflow: c.Query.Get("workflow")}
	if f.Workflow != "" && c.Query.Get("project") == "" {
		return nil, rest.InvalidValue("workflow", "workflow needs a project")
	}
	list := api.UpcomingList{Items: api.List[api.Upcoming]{}}
	err = c.View(func(tx trowel.Tx) error {
		if f.Project, err = projectOf(c, tx); err != nil {
			return err
		}
		sessions, more, err := upcoming(c, tx, f, from, limit, key)
		if err != nil {
			return err
		}
		if more {
			last := &sessions[len(sessions)-1]
			list.Next = rest.NumberCursor(last.run.UnixMicro(), int64(last.of.Schedule.ID))
		}
		list.Items, err = h.upcomingItems(c, tx, sessions)
		return err
	})
	return list, err
}

// coming is a session that a schedule will start.
type coming struct {
	of           *trowel.UpcomingSchedule
	session, run time.Time
}

func compareComing(a, b coming) int {
	return cmp.Or(a.run.Compare(b.run), cmp.Compare(a.of.Schedule.ID, b.of.Schedule.ID))
}

// upcomingSchedules is how many schedules are looked at, those with the earliest next runs.
const upcomingSchedules = 2000

// upcoming returns the sessions of a time after a key, the earliest first. A schedule whose next run is later than limit
// others has no session among the first.
func upcoming(c *rest.Call, tx trowel.Tx, f trowel.UpcomingFilter, from time.Time, limit int, key []int64) (list []coming, more bool, err error) {
	f.Limit = limit + 1
	if key != nil || from.After(c.Now) {
		f.Limit = upcomingSchedules
	}
	schedules, err := tx.ListUpcoming(c.Ctx(), f)
	if err != nil {
		return nil, false, err
	}
	after := coming{run: from.Add(-time.Microsecond), of: &trowel.UpcomingSchedule{}}
	after.of.Schedule.ID = 1<<63 - 1
	if from.Equal(c.Now) {
		after.run = time.Time{} // what is due already comes too
	}
	if key != nil {
		after.run = time.UnixMicro(key[0])
		after.of.Schedule.ID = trowel.ScheduleID(key[1])
	}
	for i := range schedules {
		list = append(list, sessionsOf(&schedules[i], f.Before, after, limit+1)...)
	}
	slices.SortFunc(list, compareComing)
	if more = len(list) > limit; more {
		list = list[:limit]
	}
	return list, more, nil
}

// sessionsOf returns up to limit sessions of a schedule before an instant and after a place in the list.
func sessionsOf(u *trowel.UpcomingSchedule, before time.Time, after coming, limit int) (list []coming) {
	next := coming{u, u.Schedule.NextSessionAt, u.Schedule.NextRunAt}
	times, err := launch.ReadSchedule(&u.Workflow)
	for range maxSessions {
		if !next.run.Before(before) || len(list) == limit {
			break
		}
		if compareComing(next, after) > 0 {
			list = append(list, next)
		}
		if err != nil || times == nil {
			break // the scheduler says what is wrong with it when it is due
		}
		following := times.Next(next.session)
		if following.Finished() || !following.Session.After(next.session) {
			break
		}
		next.session, next.run = following.Session, following.Run
	}
	return list
}

// maxSessions is how many sessions of a schedule are worked out: those of each minute of a week.
const maxSessions = 7 * 24 * 60

func (h *handlers) upcomingItems(c *rest.Call, tx trowel.Tx, sessions []coming) (api.List[api.Upcoming], error) {
	list := api.List[api.Upcoming]{}
	for i := range sessions {
		s := &sessions[i]
		item := api.Upcoming{
			ScheduleID: api.ID(s.of.Schedule.ID), Project: api.IDName{ID: api.ID(s.of.Schedule.ProjectID), Name: s.of.Project}, Workflow: s.of.Schedule.Workflow,
			SessionTime: document.OffsetTime(s.session, s.of.Workflow.Zone), RunTime: document.Instant(s.run),
		}
		sorted, err := h.usual.times(c, tx, s.of.Schedule.ProjectID, s.of.Schedule.Workflow, s.of.Schedule.WorkflowID)
		if err != nil {
			return nil, err
		}
		if sorted != nil {
			ms := quantile(sorted, 0.5).Milliseconds()
			item.ExpectedMS = &ms
		}
		list = append(list, item)
	}
	return list, nil
}
