package ops

import (
	"cmp"
	"slices"
	"strconv"
	"time"

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/access"
	"github.com/trowel-project/trowel/internal/api"
	"github.com/trowel-project/trowel/internal/pool"
	"github.com/trowel-project/trowel/internal/queue"
	"github.com/trowel-project/trowel/internal/server/document"
	"github.com/trowel-project/trowel/internal/server/find"
	"github.com/trowel-project/trowel/internal/server/rest"
)

// poolSnapshot has all pools with their use and demand.
type poolSnapshot struct {
	limits queue.Limits
	counts map[trowel.PoolID]*poolCount
	// missing are the pools that tasks name although they do not exist (control K803).
	missing  map[missingPool]*poolCount
	projects map[trowel.ProjectID]api.IDName // with pools of their own
}

type missingPool struct {
	project trowel.ProjectID
	name    string
}

// poolCount is the use and demand of one pool.
type poolCount struct {
	running int // slots of running tasks
	waiting int // ready tasks
	oldest  time.Time
	wants   []poolWant
}

// poolWant is the demand of ready tasks of one weight that need equally many slots.
type poolWant struct {
	weight, slots, count int
	oldest               time.Time
}

// readPools reads all pools. with replaces the stored pool of its name; it may be nil.
func readPools(c *rest.Call, tx trowel.Tx, with *trowel.Pool) (*poolSnapshot, error) {
	b := &poolSnapshot{
		counts: map[trowel.PoolID]*poolCount{}, missing: map[missingPool]*poolCount{}, projects: map[trowel.ProjectID]api.IDName{},
	}
	var err error
	if b.limits.Pools, err = tx.ListPools(c.Ctx()); err != nil {
		return nil, err
	}
	if with != nil {
		b.limits.Pools = append(slices.DeleteFunc(b.limits.Pools, func(p *trowel.Pool) bool { return p.ProjectID == with.ProjectID && p.Name == with.Name }), with)
	}
	if b.limits.Counters, err = tx.ListCounters(c.Ctx()); err != nil {
		return nil, err
	}
	for _, p := range b.limits.Pools {
		b.counts[p.ID] = &poolCount{}
		if p.ProjectID == 0 {
			continue
		}
		project, err := tx.FindProjectByID(c.Ctx(), p.ProjectID)
		if err != nil {
			return nil, err
		}
		b.projects[p.ProjectID] = document.IDName(*project)
	}
	live, err := tx.CountLive(c.Ctx())
	for i := range live {
		b.count(&live[i])
	}
	return b, err
}

// count adds live tasks.
func (b *poolSnapshot) count(live *trowel.LiveCount) {
	for _, need := range live.Requirements.PoolRequirements() {
		var of *poolCount
		if p := b.limits.Pool(live.ProjectID, need.Name); p != nil {
			of = b.counts[p.ID]
		} else {
			key := missingPool{live.ProjectID, need.Name}
			if b.missing[key] == nil {
				b.missing[key] = &poolCount{}
			}
			of = b.missing[key]
		}
		if live.State == trowel.TaskRunning {
			of.running += need.Slots * live.Count
			continue
		}
		of.waiting += live.Count
		if of.oldest.IsZero() || live.Oldest.Before(of.oldest) {
			of.oldest = live.Oldest
		}
		of.wants = append(of.wants, poolWant{live.Requirements.PriorityWeight(), need.Slots, live.Count, live.Oldest})
	}
}

// used returns the number of used slots of a pool. Only the site's default pool without a limit has no counter.
func (b *poolSnapshot) used(p *trowel.Pool) int {
	if p.ProjectID == 0 && p.Name == trowel.DefaultPool && p.Slots == trowel.Unlimited {
		return b.counts[p.ID].running
	}
	return b.limits.Counters[p.Counter()]
}

// startable returns how many of the waiting tasks fit into so many open slots, by weight.
func (n *poolCount) startable(open int) (tasks int) {
	wants := slices.SortedFunc(slices.Values(n.wants), func(a, b poolWant) int {
		return cmp.Or(cmp.Compare(b.weight, a.weight), a.oldest.Compare(b.oldest))
	})
	for _, w := range wants {
		fits := min(max(open, 0)/w.slots, w.count)
		tasks, open = tasks+fits, open-fits*w.slots
	}
	return tasks
}

// poolOf returns the document of a pool.
func poolOf(c *rest.Call, b *poolSnapshot, p *trowel.Pool) api.Pool {
	n := b.counts[p.ID]
	shape := api.Pool{
		ID: api.ID(p.ID), Name: p.Name, Slots: p.Slots, IncludeDeferred: p.IncludeDeferred, Description: p.Description,
		Used: b.used(p), Waiting: n.waiting, OldestWaitMS: millisSince(c, n.oldest), UpdatedAt: document.Instant(p.UpdatedAt), UpdatedBy: p.Actor,
		Expect: poolState(p), Can: can(c, p.ProjectID, access.EditPools),
	}
	if p.Slots != trowel.Unlimited {
		open := p.Slots - shape.Used
		shape.Open = &open
	}
	if name, ok := b.projects[p.ProjectID]; ok {
		shape.Project = &name
	}
	return shape
}

// poolState returns a text that changes with the settings of a pool; "none" for no pool.
func poolState(p *trowel.Pool) string {
	if p == nil {
		return "none"
	}
	return strconv.FormatInt(int64(p.ID), 36) + "-" + strconv.FormatInt(p.UpdatedAt.UnixMicro(), 36)
}

// millisSince returns the milliseconds since a time; nil for the zero time.
func millisSince(c *rest.Call, at time.Time) *int64 {
	if at.IsZero() {
		return nil
	}
	ms := max(c.Now.Sub(at).Milliseconds(), 0)
	return &ms
}

// can returns the verbs that the caller may use in a project, or on the site for zero.
func can(c *rest.Call, project trowel.ProjectID, verbs ...access.Verb) api.List[string] {
	allowed := api.List[string]{}
	for _, verb := range verbs {
		if c.Caller.May(verb, project) {
			allowed = append(allowed, string(verb))
		}
	}
	return allowed
}

// seesPool reports whether the caller may see a pool. Everybody sees pools of the site.
func seesPool(c *rest.Call, p *trowel.Pool) bool {
	return p.ProjectID == 0 || c.Authorize(p.ProjectID) == nil
}

// getPools lists the pools of the site, then those of projects, by name.
func getPools(c *rest.Call) (any, error) {
	limit, key, err := c.PageKey(2)
	if err != nil {
		return nil, err
	}
	list := api.PoolList{}
	err = c.View(func(tx trowel.Tx) error {
		list = api.PoolList{Items: api.List[api.Pool]{}}
		project, err := find.ProjectParam(c, tx)
		if err != nil {
			return err
		}
		b, err := readPools(c, tx, nil)
		if err != nil {
			return err
		}
		pools := slices.SortedFunc(slices.Values(b.limits.Pools), comparePools)
		for _, p := range pools {
			switch {
			case !seesPool(c, p), project != nil && p.ProjectID != project.ID, key != nil && !afterPool(p, key):
				continue
			case len(list.Items) == limit:
				last := list.Items[limit-1]
				list.Next = rest.Cursor(poolProject(last.Project), last.Name)
				return nil
			}
			list.Items = append(list.Items, poolOf(c, b, p))
		}
		list.Missing = missingPools(c, b, project)
		return nil
	})
	return list, err
}

func comparePools(a, b *trowel.Pool) int {
	return cmp.Or(cmp.Compare(a.ProjectID, b.ProjectID), cmp.Compare(a.Name, b.Name))
}

// afterPool reports whether a pool comes after the one of a cursor.
func afterPool(p *trowel.Pool, key []string) bool {
	id, _ := strconv.ParseInt(key[0], 10, 64)
	return comparePools(p, &trowel.Pool{ProjectID: trowel.ProjectID(id), Name: key[1]}) > 0
}

func poolProject(project *api.IDName) string {
	if project == nil {
		return "0"
	}
	return project.ID.String()
}

// missingPools lists the pools that tasks wait for although they do not exist.
func missingPools(c *rest.Call, b *poolSnapshot, project *trowel.Project) api.List[api.MissingPool] {
	list := api.List[api.MissingPool]{}
	for key, n := range b.missing {
		if n.waiting == 0 || c.Authorize(key.project) != nil || project != nil && project.ID != key.project {
			continue
		}
		list = append(list, api.MissingPool{Name: key.name, ProjectID: api.ID(key.project), Waiting: n.waiting, OldestWaitMS: millisSince(c, n.oldest)})
	}
	slices.SortFunc(list, func(a, b api.MissingPool) int {
		return cmp.Or(cmp.Compare(a.Name, b.Name), cmp.Compare(a.ProjectID, b.ProjectID))
	})
	return list
}

// findPool returns the pool of the path.
func findPool(c *rest.Call, tx trowel.Tx) (*poolSnapshot, *trowel.Pool, error) {
	project, err := find.ProjectParam(c, tx)
	if err != nil {
		return nil, nil, err
	}
	b, err := readPools(c, tx, nil)
	if err != nil {
		return nil, nil, err
	}
	p := pool.Find(b.limits.Pools, projectID(project), c.PathText())
	if p == nil {
		return nil, nil, noPool(c, project)
	}
	return b, p, nil
}

func projectID(p *trowel.Project) trowel.ProjectID {
	if p == nil {
		return 0
	}
	return p.ID
}

func noPool(c *rest.Call, project *trowel.Project) error {
	where := ""
	if project != nil {
		where = " in project " + project.Name
	}
	return rest.NotFound("there is no pool %q%s", c.PathText(), where)
}

func getPool(c *rest.Call) (any, error) {
	var shape api.Pool
	err := c.View(func(tx trowel.Tx) error {
		b, p, err := findPool(c, tx)
		if err == nil {
			shape = poolOf(c, b, p)
		}
		return err
	})
	return shape, err
}
