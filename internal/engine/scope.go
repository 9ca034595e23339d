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
// The parameters of a task are a walk over its ancestors and over all tasks that came before it
// (language P3, P4). Walking for each task anew would make a chain of n tasks cost n². So what
// the walk has gathered is kept where it is shared: at a parent for all its children, at a gate
// for all tasks that wait for the same upstreams. The next gate goes on from there. Maps are never
// changed once they are kept, and one that nothing is added to is passed on as it is.
type scopes struct {
	base     *param.Map // revision's and session's parameters
	builtins *param.Map // but for task_name and what last_... and next_... give
	zone     schedule.Zone
	setting  *trowel.Setting

	last struct{ before, scope *param.Map } // see scope
}

func newScopes(attempt *trowel.Attempt, setting *trowel.Setting) (*scopes, error) {
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

// Lease describes a claimed task to the agent that runs it.
func (img *Image) Lease(id trowel.TaskID) *trowel.Lease {
	t := img.tasks[id]
	scope := img.Scope(id)
	t.addDefaults(scope)
	return &trowel.Lease{
		TaskID: t.ID, AttemptID: t.AttemptID, Try: t.Try, AgentID: t.AgentID, FullName: t.FullName,
		Setting: img.scopes.setting, Zone: img.scopes.zone.Location,
		Scope: scope, Local: t.own(), StateParams: t.StateParams,
		RetryCount: t.RetryCount, StartedAt: t.StartedAt,
		AttemptName: img.Attempt.Name, AttemptCreatedAt: img.Attempt.CreatedAt,
	}
}

// Scope returns what the templates of a task see: all parameters up to its own _export, and the
// built-ins over them (language P3). It may be asked for once the task is ready, or is evaluated.
func (img *Image) Scope(id trowel.TaskID) *param.Map {
	t := img.tasks[id]
	scope := img.scopes.scope(t)
	scope.Set("task_name", t.FullName)
	return scope
}

// scope is all but the name. Most tasks have no _export and share it, so the last one is kept unless
// it is for one task alone.
func (s *scopes) scope(t *task) *param.Map {
	before := s.before(t)
	switch {
	case t.Export.Len() > 0:
		return s.complete(param.Merged(before, t.Export))
	case s.last.before == before:
	case t.gate != nil && len(t.gate.opens) == 1:
		return s.complete(before)
	default:
		s.last.before, s.last.scope = before, s.complete(before)
	}
	return s.last.scope.Clone()
}

// complete puts the built-ins over gathered parameters.
func (s *scopes) complete(gathered *param.Map) *param.Map {
	scope := gathered.Clone()
	scope.Delete("_check")
	scope.Delete("_error")
	scope.Merge(s.builtins)
	addSessionTimes(scope, s.zone.Location)
	scope.Set("task_name", nil)
	return scope
}

// before returns what the walk has gathered when it comes to t itself.
func (s *scopes) before(t *task) *param.Map {
	switch {
	case t.parent == nil:
		return s.base
	case t.gate == nil:
		return s.inside(t.parent)
	case t.gate.before == nil:
		t.gate.walk()
		t.gate.before = s.gather(t)
	}
	return t.gate.before
}

// inside returns what the walk has gathered when it goes down from an ancestor to its children.
func (s *scopes) inside(t *task) *param.Map {
	if t.inside == nil {
		g := gathering{at: s.before(t)}
		g.merge(param.Merged(t.Export, t.Result.Export))
		g.result(t)
		t.inside = g.at
	}
	return t.inside
}

// gather walks the upstreams of t (language P4). The walk begins with all that comes before the
// first of them, so it goes on from there. That of another adds no more than that one itself if what
// it waits for was walked already, as in sequences, with background tasks or without, in chunks and
// in most graphs of _after. Only if that is not plain to see the walk begins anew at the parent.
func (s *scopes) gather(t *task) *param.Map {
	if t.parent.stores == t.parent.storing() {
		return s.inside(t.parent) // nothing was stored below
	}
	ups := byID(t.gate.upstreams)
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

// walk marks the upstream closure: what is stored in it from now on makes caches stale, see storedLate.
// Even what gather need not visit is marked, as it may store something later.
func (g *gate) walk() {
	if g == nil || g.walked {
		return
	}
	g.walked = true
	for _, up := range g.upstreams {
		up.walked = true
		up.gate.walk()
	}
}

func byID(tasks []*task) []*task {
	if len(tasks) <= 1 {
		return tasks
	}
	sorted := slices.SortedFunc(slices.Values(tasks), func(a, b *task) int { return cmp.Compare(a.ID, b.ID) })
	return slices.Compact(sorted)
}

// walkedAlready reports whether the walk to each of the tasks, but the first, meets only such as come
// before it in the list, and what those wait for themselves.
func walkedAlready(tasks []*task) bool {
	alike := !slices.ContainsFunc(tasks, func(t *task) bool { return t.gate != nil && t.gate != tasks[0].gate })
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
	if t.gate == nil {
		return nil
	}
	return t.gate.upstreams
}

// gathering is a walk: the map gathered so far, which is copied before the first change.
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

// result merges what a task left behind: first its resets, then its stores (language P6).
func (g *gathering) result(t *task) {
	for _, key := range t.Result.ResetKeys {
		g.change()
		g.at.DeletePath(key)
	}
	g.merge(t.Result.Store)
}

// subtree merges the results of a task and of all below it, in tree order.
func (g *gathering) subtree(t *task) {
	if t.stores == 0 {
		return
	}
	g.result(t)
	for _, c := range t.children {
		g.subtree(c)
	}
}

// closure merges siblings in the order of their ids, each after what it depends on itself, and none
// twice (language P4).
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
func builtins(attempt *trowel.Attempt, setting *trowel.Setting, zone schedule.Zone) *param.Map {
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

// addSessionTimes derives the parts of last_session_time, next_session_time and
// last_executed_session_time from those that are there (language P14, P15).
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

// sessionTime reads the _time parameter of a family; one that is no time gives nothing.
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
