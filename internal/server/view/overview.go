package view

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"time"

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/access"
	"github.com/trowel-project/trowel/internal/api"
	"github.com/trowel-project/trowel/internal/server/document"
	"github.com/trowel-project/trowel/internal/server/outline"
	"github.com/trowel-project/trowel/internal/server/rest"
	"github.com/trowel-project/trowel/internal/usage"
)

const (
	overviewItems    = 20
	overviewUpcoming = 50
	// expiresSoon is how long before its end a token is told of.
	expiresSoon = 14 * 24 * time.Hour
)

// getOverview answers with what a person needs to know first.
func (h *handlers) getOverview(c *rest.Call) (any, error) {
	if err := checkParams(c); err != nil {
		return nil, err
	}
	since, err := c.InstantParam("since")
	if err != nil {
		return nil, err
	}
	if since.IsZero() {
		since = c.Now.Add(-failuresSince)
	}
	o := &overview{Call: c, handlers: h, shape: api.Overview{Health: api.OverviewHealth{HealthReport: h.Health(c)}, NeedsYou: api.List[api.Need]{}}}
	err = c.View(func(tx trowel.Tx) error {
		o.tx = tx
		failed, err := failuresByCause(c, tx, trowel.FailureFilter{
			Since: since, Until: c.Now.Add(time.Minute), Project: c.Caller.Project, Limit: failureRows,
		}, overviewItems, nil)
		if err != nil {
			return err
		}
		o.shape.Failures = failed.Items
		for _, add := range []func() error{o.addLive, o.addRunning, o.addUpcoming, o.addNeeds} {
			if err := add(); err != nil {
				return err
			}
		}
		return nil
	})
	return o.shape, err
}

// overview collects what one caller sees.
type overview struct {
	*rest.Call
	*handlers

	tx    trowel.Tx
	shape api.Overview
}

// addLive adds the agents, what runs and waits, and how fast tasks go to agents.
func (o *overview) addLive() error {
	agents, err := o.tx.ListAgents(o.Ctx())
	if err != nil {
		return err
	}
	o.shape.Health.Agents = o.CountAgents(agents, o.Now)
	live, waiting, err := o.live.read(o.Call, o.tx, o.Waiting)
	if err != nil {
		return err
	}
	var oldest time.Time
	for i := range live {
		l := &live[i]
		switch {
		case o.Caller.Project != 0 && l.ProjectID != o.Caller.Project:
		case l.State == trowel.TaskRunning:
			o.shape.Counts.RunningTasks += l.Count
		default:
			o.shape.Counts.ReadyTasks += l.Count
			if oldest.IsZero() || l.Oldest.Before(oldest) {
				oldest = l.Oldest
			}
		}
	}
	if !oldest.IsZero() {
		ms := max(0, o.Now.Sub(oldest).Milliseconds())
		o.shape.Health.Lag.OldestReadyMS = &ms
	}
	if o.Caller.Project != 0 {
		if waiting, err = o.Waiting(o.Call, o.tx, readyOf(live, o.Caller.Project)); err != nil {
			return err
		}
	}
	o.shape.Waiting = slices.Clone(waiting)
	if err := o.addWaitingAttempts(); err != nil {
		return err
	}
	return o.addLag()
}

// addWaitingAttempts counts the attempts that have not begun.
func (o *overview) addWaitingAttempts() error {
	waiting, err := o.tx.CountWaiting(o.Ctx())
	counts := map[trowel.WaitCode]int{}
	for _, w := range waiting {
		if o.Caller.Project == 0 || w.ProjectID == o.Caller.Project {
			counts[w.Reason] += w.Count
			o.shape.Counts.WaitingAttempts += w.Count
		}
	}
	for code, n := range counts {
		o.shape.Waiting = append(o.shape.Waiting, api.WaitingCount{Code: string(code), Count: n})
	}
	slices.SortStableFunc(o.shape.Waiting, func(a, b api.WaitingCount) int {
		return cmp.Or(cmp.Compare(b.Count, a.Count), cmp.Compare(a.Code, b.Code))
	})
	return err
}

func (o *overview) addLag() error {
	handed, err := o.tx.ListHandOffs(o.Ctx(), o.Now.Add(-usage.Lately))
	if err != nil {
		return err
	}
	var all trowel.HandOffs
	for i := range handed {
		all.Merge(&handed[i])
	}
	if all.Total() == 0 {
		return nil
	}
	within := func(part float64) *float64 {
		ms := math.Round(all.Within(part).Seconds()*1e6) / 1e3
		return &ms
	}
	o.shape.Health.Lag.P50MS, o.shape.Health.Lag.P99MS = within(0.5), within(0.99)
	return nil
}

// addRunning adds what is late and what runs.
func (o *overview) addRunning() error {
	running, err := runningOf(o.Call, o.tx, lateRunning)
	if err != nil {
		return err
	}
	if o.shape.Late, err = o.late(o.Call, o.tx, running, overviewItems); err != nil {
		return err
	}
	items := api.List[api.RunningItem]{}
	for _, s := range running {
		item := api.RunningItem{AttemptItem: itemOf(s), StartedBy: api.StartedBy{Kind: s.Attempt.Cause, Name: s.Attempt.Actor}, Counts: map[string]int{}}
		if item.Estimate, err = o.usual.estimate(o.Call, o.tx, s); err != nil {
			return err
		}
		items = append(items, item)
	}
	slices.SortStableFunc(items, func(a, b api.RunningItem) int {
		return -compareBool(a.Estimate != nil && a.Estimate.Late, b.Estimate != nil && b.Estimate.Late)
	})
	o.shape.Running = items[:min(len(items), overviewItems)]
	byID := map[api.ID]*trowel.AttemptSummary{}
	for _, s := range running {
		byID[api.ID(s.Attempt.ID)] = s
	}
	for i := range o.shape.Running {
		if err := o.count(&o.shape.Running[i], byID[o.shape.Running[i].ID]); err != nil {
			return err
		}
	}
	return nil
}

// count counts the tasks of a running attempt, if its tree is in memory or small.
func (o *overview) count(item *api.RunningItem, s *trowel.AttemptSummary) error {
	if !o.outlines.Has(s.Attempt.ID) {
		small, err := o.tx.HasFewTasks(o.Ctx(), s.Attempt.ID, smallTree)
		if err != nil || !small {
			return err
		}
	}
	return o.outlines.Read(o.Ctx(), o.tx, &s.Attempt, func(t *outline.Tree) error {
		if t.Root != nil {
			item.Counts = t.Root.Counts.ByName()
		}
		return nil
	})
}

// smallTree is how many tasks an attempt may have that are read only to be counted.
const smallTree = 200

func (o *overview) addUpcoming() error {
	f := trowel.UpcomingFilter{Before: o.Now.Add(upcomingFor), Project: o.Caller.Project}
	sessions, _, err := upcoming(o.Call, o.tx, f, o.Now, overviewUpcoming, nil)
	if err != nil {
		return err
	}
	o.shape.Upcoming, err = o.upcomingItems(o.Call, o.tx, sessions)
	return err
}

// addNeeds adds paused workflows, and tokens that end soon for those who manage them.
func (o *overview) addNeeds() error {
	pauses, err := o.tx.ListPauses(o.Ctx())
	if err != nil {
		return err
	}
	for _, p := range pauses {
		if o.Caller.May(access.EnableSchedule, p.ProjectID) {
			path := fmt.Sprintf("/api/projects/%d/workflows/%s/pause", p.ProjectID, p.Workflow)
			text := fmt.Sprintf("workflow %s is paused by %s", p.Workflow, p.Actor)
			o.shape.NeedsYou = append(o.shape.NeedsYou, api.Need{Kind: "workflow_paused", Text: text, Since: document.OptInstant(p.At), Path: &path})
		}
	}
	if !o.Caller.May(access.ManageTokens, 0) || o.Caller.Project != 0 {
		return nil
	}
	tokens, err := o.tx.ListTokens(o.Ctx())
	for _, t := range tokens {
		if t.RevokedAt.IsZero() && t.ExpiresAt.After(o.Now) && t.ExpiresAt.Before(o.Now.Add(expiresSoon)) {
			text := fmt.Sprintf("token %s expires", t.Name)
			o.shape.NeedsYou = append(o.shape.NeedsYou, api.Need{Kind: "token_expires", Text: text, Until: document.OptInstant(t.ExpiresAt)})
		}
	}
	o.shape.NeedsYou = o.shape.NeedsYou[:min(len(o.shape.NeedsYou), overviewItems)]
	return err
}
