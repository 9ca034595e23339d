package view

import (
	"strconv"
	"strings"
	"time"

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/api"
	"github.com/trowel-project/trowel/internal/launch"
	"github.com/trowel-project/trowel/internal/reason"
	"github.com/trowel-project/trowel/internal/server/document"
	"github.com/trowel-project/trowel/internal/server/find"
	"github.com/trowel-project/trowel/internal/server/rest"
)

// How many of the next sessions are listed.
const (
	defaultRuns = 20
	maxRuns     = 500
)

// getDecisions answers with what became of the sessions of a schedule, newest first.
func getDecisions(c *rest.Call) (any, error) {
	limit, key, err := c.PageNumbers(1)
	if err != nil {
		return nil, err
	}
	page := api.ScheduleDecisionList{Items: api.List[api.ScheduleDecision]{}}
	err = c.View(func(tx trowel.Tx) error {
		w, err := find.Schedule(c, tx)
		if err != nil {
			return err
		}
		f := trowel.DecisionFilter{Project: w.Schedule.ProjectID, Workflow: w.Schedule.Workflow, Limit: limit + 1}
		if key != nil {
			f.Before = key[0]
		}
		list, err := tx.ListDecisions(c.Ctx(), f)
		for i := range list {
			if i == limit {
				page.Next = rest.NumberCursor(list[i-1].ID)
				break
			}
			page.Items = append(page.Items, decisionOf(&list[i]))
		}
		return err
	})
	return page, err
}

func decisionOf(d *trowel.Decision) api.ScheduleDecision {
	shape := api.ScheduleDecision{
		At: document.Instant(d.At), SessionTime: document.Instant(d.SessionAt), RunTime: document.Instant(d.RunAt), Decision: d.What, Text: d.Reason,
	}
	if d.AttemptID != 0 {
		id := api.ID(d.AttemptID)
		shape.Attempt = &id
	}
	if d.What == trowel.DecisionSkipped {
		shape.Code = document.OptText(reason.SkipCode(d.Reason))
	}
	return shape
}

// getNextRuns answers with the next sessions of a schedule.
func getNextRuns(c *rest.Call) (any, error) {
	count := defaultRuns
	if text := c.Query.Get("count"); text != "" {
		n, err := strconv.Atoi(text)
		if err != nil || n < 1 || n > maxRuns {
			return nil, rest.InvalidValue("count", "count must be a number from 1 to %d, not %q", maxRuns, text)
		}
		count = n
	}
	list := api.ScheduledRunList{Items: api.List[api.ScheduledRun]{}}
	err := c.View(func(tx trowel.Tx) error {
		w, err := find.Schedule(c, tx)
		if err != nil {
			return err
		}
		plan, err := launch.ReadSchedule(&w.Definition.Workflow)
		if err != nil || plan == nil {
			return err
		}
		list.Timezone, list.Disabled = plan.Zone().ID, !w.Schedule.DisabledAt.IsZero()
		zone := plan.Zone().Location
		session, run := w.Schedule.NextSessionAt.In(zone), w.Schedule.NextRunAt
		before := w.Schedule.LastSessionAt.In(zone)
		for range count {
			list.Items = append(list.Items, api.ScheduledRun{
				SessionTime: document.Instant(session), RunTime: document.Instant(run), Local: session.Format(trowel.SessionTimeLayout), Shift: shiftBetween(before, session),
			})
			following := plan.Next(session)
			if following.Finished() {
				break
			}
			before, session, run = session, following.Session, following.Run
		}
		return nil
	})
	return list, err
}

// shiftBetween returns how the offset from UTC changes between two times; nil if it does not.
func shiftBetween(before, after time.Time) *string {
	_, from := before.Zone()
	_, to := after.Zone()
	if from == to || before.Year() <= 1970 {
		return nil
	}
	text := (time.Duration(to-from) * time.Second).String()
	text = strings.TrimSuffix(strings.TrimSuffix(text, "0s"), "0m")
	if to > from {
		text = "+" + text
	}
	return &text
}
