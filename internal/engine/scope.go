package engine

import (
	"cmp"
	"slices"
	"strings"
	"time"

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/param"
	"github.com/trowel-project/trowel/internal/schedule"
)

// scopes is what all tasks of an attempt share as parameters.
//
// The parameters of a task are gathered by a walk over its ancestors and over all tasks that came before it (language
// P3, P4). A separate walk for each task would cost n² for a chain of n tasks. So results are cached where they are
// shared: at a parent for all its children, and at a barrier for all tasks that wait for the same upstreams. The next
// barrier continues from there. Cached maps are never changed, and a step that adds nothing passes on the same map.
type scopes struct {
	base     *param.Map // parameters of revision and session
	builtins *param.Map // without task_name and the parts of last_... and next_...
	zone     schedule.Zone
	setting  *trowel.AttemptContext

	last struct{ before, scope *param.Map } // see scope
}

func newScopes(attempt *trowel.Attempt, setting *trowel.AttemptContext) (*scopes, error) {
	zone, err := schedule.ParseZone(attempt.Zone)
	if err != nil {
		return nil, err
	}
	return &scopes{
		base:     param.Merged(param.Merged(param.Merged(param.New(), setting.Defaults), setting.Revision.Params), attempt.Params),
		builtins: builtins(attempt, setting, zone),
		zone:     zone,
		setting:  setting,
	}, nil
}

// Lease returns what an agent needs to run a claimed task.
func (img *TaskTree) Lease(id trowel.TaskID) *trowel.Lease {
	t := img.tasks[id]
	scope := img.Scope(id)
	t.addDefaults(scope)
	lease := &trowel.Lease{
		TaskID: t.ID, AttemptID: t.AttemptID, Try: t.Try, AgentID: t.AgentID, FullName: t.FullName,
		Context: img.scopes.setting, Zone: img.scopes.zone.Location,
		Scope: scope, Local: t.own(), StateParams: t.StateParams,
		RetryCount: t.RetryCount, StartedAt: t.StartedAt, Job: t.hasJob(), Cancel: t.canceling(),
		AttemptName: img.Attempt.Name, AttemptCreatedAt: img.Attempt.CreatedAt,
	}
	if t.Requirements != nil {
		lease.Limits = t.Requirements.Limits
	}
	return lease
}

// Scope returns what the templates of a task see: all parameters including its own _export, overlaid with the built-ins
// (language P3). The task must be ready, or be evaluated.
func (img *TaskTree) Scope(id trowel.TaskID) *param.Map {
	t := img.tasks[id]
	scope := img.scopes.scope(t)
	scope.Set("task_name", t.FullName)
	return scope
}

// scope is Scope without task_name. Most tasks have no _export and share it, so the last one is cached unless it is for
// one task only.
func (s *scopes) scope(t *task) *param.Map {
	before := s.before(t)
	switch {
	case t.Export.Len() > 0:
		return s.complete(param.Merged(before, t.Export))
	case s.last.before == before:
	case t.barrier != nil && len(t.barrier.waiters) == 1:
		return s.complete(before)
	default:
		s.last.before, s.last.scope = before, s.complete(before)
	}
	return s.last.scope.Clone()
}

// complete overlays gathered parameters with the built-ins.
func (s *scopes) complete(gathered *param.Map) *param.Map {
	scope := gathered.Clone()
	scope.Delete("_check")
	scope.Delete("_error")
	scope.Merge(s.builtins)
	addSessionTimes(scope, s.zone.Location)
	scope.Set("task_name", nil)
	return scope
}

// before returns what the walk has gathered when it reaches t.
func (s *scopes) before(t *task) *param.Map {
	switch {
	case t.parent == nil:
		return s.base
	case t.barrier == nil:
		return s.inside(t.parent)
	case t.barrier.before == nil:
		t.barrier.walk()
		t.barrier.before = s.gather(t)
	}
	return t.barrier.before
}

// inside returns what the walk has gathered when it goes from an ancestor down to its children.
func (s *scopes) inside(t *task) *param.Map {
	if t.inside == nil {
		g := gathering{at: s.before(t)}
		g.merge(param.Merged(t.Export, t.Result.Export))
		g.result(t)
		t.inside = g.at
	}
	return t.inside
}

// gather walks the upstreams of t (language P4). The walk begins with all that comes before the first upstream, so the
// cache of that one is used. Another upstream adds only itself if the walk has already visited everything that it waits
// for: so it is in sequences, with or without background tasks, in chunks, and in most graphs of _after. Where that is
// not easy to see, the walk starts again at the parent.
func (s *scopes) gather(t *task) *param.Map {
	if t.parent.stores == t.parent.storing() {
		return s.inside(t.parent) // no result of the subtree stores anything
	}
	ups := byID(t.barrier.upstreams)
	g := gathering{at: s.before(ups[0])}
	if !walkedAlready(ups) {
		g = gathering{at: s.inside(t.parent), seen: map[*task]bool{}}
		g.closure(ups)
		return g.at
	}
	for _, up := range ups {
		g.subtree(up)
	}
	return g.at
}

// walk marks the upstream closure. If a marked task stores something later, caches become stale, see storedLate. Tasks
// that gather need not visit are marked too, as they may store something later.
func (g *barrier) walk() {
	if g == nil || g.walked {
		return
	}
	g.walked = true
	for _, up := range g.upstreams {
		up.walked = true
		up.barrier.walk()
	}
}

func byID(tasks []*task) []*task {
	if len(tasks) <= 1 {
		return tasks
	}
	sorted := slices.SortedFunc(slices.Values(tasks), func(a, b *task) int { return cmp.Compare(a.ID, b.ID) })
	return slices.Compact(sorted)
}

// walkedAlready reports whether the walk to each task except the first visits only tasks that come before it in the
// list, and what those wait for.
func walkedAlready(tasks []*task) bool {
	alike := !slices.ContainsFunc(tasks, func(t *task) bool { return t.barrier != nil && t.barrier != tasks[0].barrier })
	if alike {
		return true
	}
	walked := map[*task]bool{}
	for i, t := range tasks {
		for _, up := range t.upstreams() {
			if i > 0 && !walked[up] {
				return false
			}
			walked[up] = true
		}
		walked[t] = true
	}
	return true
}

func (t *task) upstreams() []*task {
	if t.barrier == nil {
		return nil
	}
	return t.barrier.upstreams
}

// gathering is a walk with the map gathered so far, which is copied before the first change.
type gathering struct {
	at   *param.Map
	own  bool
	seen map[*task]bool
}

func (g *gathering) merge(m *param.Map) {
	if m.Len() == 0 {
		return
	}
	g.change()
	g.at.Merge(m)
}

func (g *gathering) change() {
	if !g.own {
		g.at, g.own = g.at.Clone(), true
	}
}

// result merges a task's result: first its resets, then its stores (language P6).
func (g *gathering) result(t *task) {
	for _, key := range t.Result.ResetKeys {
		g.change()
		g.at.DeletePath(key)
	}
	g.merge(t.Result.Store)
}

// subtree merges the results of a task and its whole subtree, in tree order.
func (g *gathering) subtree(t *task) {
	if t.stores == 0 {
		return
	}
	g.result(t)
	for _, c := range t.children {
		g.subtree(c)
	}
}

// closure merges siblings in the order of their ids, each after its own upstreams, and none twice (language P4).
func (g *gathering) closure(siblings []*task) {
	for _, t := range siblings {
		if g.seen[t] {
			continue
		}
		g.seen[t] = true
		g.closure(byID(t.upstreams()))
		g.subtree(t)
	}
}

// Layouts of built-in times (language P12).
const (
	layoutDate    = "2006-01-02"
	layoutCompact = "20060102"
	layoutLocal   = "2006-01-02 15:04:05"
	layoutOffset  = "-0700"
)

// builtins are the parameters that the engine sets for every task of an attempt (language P12).
func builtins(attempt *trowel.Attempt, setting *trowel.AttemptContext, zone schedule.Zone) *param.Map {
	at := setting.Session.Time.In(zone.Location)
	m := param.Of(
		"timezone", zone.ID,
		"project_id", int64(setting.Project.ID),
		"session_id", int64(setting.Session.ID),
		"session_uuid", setting.Session.UUID,
		"session_time", at.Format(trowel.SessionTimeLayout),
		"session_date", at.Format(layoutDate),
		"session_date_compact", at.Format(layoutCompact),
		"session_local_time", at.Format(layoutLocal),
		"session_tz_offset", at.Format(layoutOffset),
		"session_unixtime", at.Unix(),
		"attempt_id", int64(attempt.ID),
	)
	if attempt.Name != "" {
		m.Set("retry_attempt_name", attempt.Name)
	}
	return m
}

// addSessionTimes derives the parts of last_session_time, next_session_time and last_executed_session_time from those of
// them that exist (language P14, P15).
func addSessionTimes(scope *param.Map, zone *time.Location) {
	for _, prefix := range []string{"last_session", "next_session"} {
		if at, ok := sessionTime(scope, prefix, zone); ok {
			setTimeParts(scope, prefix, at)
		}
	}
	const executed = "last_executed_session"
	if scope.Has(executed + "_time") {
		if at, ok := sessionTime(scope, executed, zone); ok {
			setTimeParts(scope, executed, at)
		}
		return
	}
	for _, part := range []string{"_time", "_date", "_date_compact", "_local_time", "_unixtime"} {
		scope.Set(executed+part, "")
	}
	// Digdag quirk, language P15: the offset of the epoch.
	scope.Set(executed+"_tz_offset", time.Unix(0, 0).In(zone).Format(layoutOffset))
}

func setTimeParts(scope *param.Map, prefix string, at time.Time) {
	scope.Set(prefix+"_date", at.Format(layoutDate))
	scope.Set(prefix+"_date_compact", at.Format(layoutCompact))
	scope.Set(prefix+"_local_time", at.Format(layoutLocal))
	scope.Set(prefix+"_tz_offset", at.Format(layoutOffset))
	scope.Set(prefix+"_unixtime", at.Unix())
}

// sessionTime reads the _time parameter of a family; a value that is no time is ignored.
func sessionTime(scope *param.Map, prefix string, zone *time.Location) (time.Time, bool) {
	value, _ := scope.Get(prefix + "_time")
	text, ok := value.(string)
	if !ok || strings.TrimSpace(text) == "" {
		return time.Time{}, false
	}
	at, err := time.Parse(time.RFC3339, text)
	if err != nil {
		return time.Time{}, false
	}
	return at.In(zone), true
}
