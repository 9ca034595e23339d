package engine

import (
	"math"

	"github.com/trowel-project/trowel/internal/dig"
)

// weights caches the sums that weight rules need (control K806). A sum is computed when it is first needed and never
// changes, because a group retry inserts new tasks.
type weights struct {
	subtrees map[*task]int64
	own      map[*dig.Options]int64 // many tasks share theirs
	flows    map[flow]int64
}

// flow is the key of a sum: the weights of all siblings downstream or upstream of a task, or of all that a barrier leads
// to in one direction.
type flow struct {
	of   *task
	at   *barrier
	rule dig.WeightRule
}

// weight returns the effective weight of a task by a rule other than the absolute one: its own weight and those of all
// operator tasks downstream, or upstream, at any distance, among its siblings and those of its ancestors. Generated
// tasks have the weight of the task that generated them; handler trees, which inherit nothing, have their own.
func (img *TaskTree) weight(t *task, own int, rule dig.WeightRule) int {
	var generator *task
	for p := t; p != nil; p = p.parent {
		if p.handler() {
			return own
		}
		if p.generated() {
			generator = p.parent
		}
	}
	if generator != nil {
		return generator.Requirements.PriorityWeight()
	}
	if img.weights.subtrees == nil {
		img.weights = weights{subtrees: map[*task]int64{}, own: map[*dig.Options]int64{}, flows: map[flow]int64{}}
	}
	sum := int64(own)
	for p := t; p.parent != nil; p = p.parent {
		sum += img.weights.along(flow{of: p, rule: rule})
	}
	return int(min(max(sum, math.MinInt32), math.MaxInt32))
}

// subtree returns the weights of all static operator tasks below a task, or the task's own weight. A weight that is not
// evaluated yet counts as 1.
func (w *weights) subtree(t *task) int64 {
	if !t.Group {
		o := t.options()
		own, ok := w.own[o]
		if !ok {
			own = int64(o.Weight())
			w.own[o] = own
		}
		return own
	}
	if sum, ok := w.subtrees[t]; ok {
		return sum
	}
	var sum int64
	for _, c := range t.children {
		if c.ParentRound == t.Round && !c.generated() {
			sum += w.subtree(c)
		}
	}
	w.subtrees[t] = sum
	return sum
}

// along returns a sum. Where every task leads to at most one barrier, as in sequences and chunks, each sum is computed
// from the next one. Only where paths branch and may meet again, all tasks on them are visited.
func (w *weights) along(f flow) int64 {
	stack := []flow{f}
	for len(stack) > 0 {
		f := stack[len(stack)-1]
		if _, ok := w.flows[f]; ok {
			stack = stack[:len(stack)-1]
			continue
		}
		next, single := f.next()
		if !single {
			w.flows[f] = w.walk(f)
			continue
		}
		if next == (flow{}) {
			w.flows[f] = w.direct(f)
			continue
		}
		if rest, ok := w.flows[next]; ok {
			w.flows[f] = w.direct(f) + rest
			continue
		}
		stack = append(stack, next)
	}
	return w.flows[f]
}

// direct returns the weights of the tasks next to a barrier; it is zero for a task, which is next to barriers only.
func (w *weights) direct(f flow) (sum int64) {
	for _, t := range f.tasks() {
		sum += w.subtree(t)
	}
	return sum
}

// tasks returns the tasks next to a barrier, each once.
func (f flow) tasks() []*task {
	switch {
	case f.at == nil:
		return nil
	case f.rule == dig.WeightDownstream:
		return f.at.waiters
	default:
		return byID(f.at.upstreams)
	}
}

// barriers returns the barriers next to a task.
func (f flow) barriers(t *task) []*barrier {
	if f.rule == dig.WeightDownstream {
		return t.successors
	}
	if t.barrier == nil {
		return nil
	}
	return []*barrier{t.barrier}
}

// next returns the only barrier that a flow continues to, if there is one. single is false if there are several, or if
// some upstreams of a barrier wait for another barrier and some for none, because these may come first.
func (f flow) next() (next flow, single bool) {
	tasks := f.tasks()
	if f.of != nil {
		tasks = []*task{f.of}
	}
	var only *barrier
	ends := false
	for _, t := range tasks {
		barriers := f.barriers(t)
		ends = ends || len(barriers) == 0
		for _, g := range barriers {
			if only != nil && g != only {
				return flow{}, false
			}
			only = g
		}
	}
	if only == nil {
		return flow{}, true
	}
	return flow{at: only, rule: f.rule}, !ends || f.rule == dig.WeightDownstream
}

// walk sums up all tasks that a flow reaches, each once.
func (w *weights) walk(f flow) (sum int64) {
	seen := map[*barrier]bool{}
	met := map[*task]bool{}
	queue := []*barrier{f.at}
	if f.of != nil {
		queue = append([]*barrier(nil), f.barriers(f.of)...)
	}
	for len(queue) > 0 {
		g := queue[len(queue)-1]
		queue = queue[:len(queue)-1]
		if seen[g] {
			continue
		}
		seen[g] = true
		for _, t := range (flow{at: g, rule: f.rule}).tasks() {
			if met[t] {
				continue
			}
			met[t] = true
			sum += w.subtree(t)
			queue = append(queue, f.barriers(t)...)
		}
	}
	return sum
}
