package model

import (
	"hash/fnv"
	"math/rand/v2"
	"strconv"
	"strings"
	"time"

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/param"
)

// Features are what the operators of a Case may do besides plain success. A failing case is made
// smaller by taking some away.
type Features uint16

// The features, one bit each.
const (
	Failures Features = 1 << iota
	Polls
	Retries
	Subtasks
	Stores
	Exports
	Resets
	Mistakes // subtasks that do not compile
	Jobs     // polls and retries with a job outside

	AllFeatures = Failures | Polls | Retries | Subtasks | Stores | Exports | Resets | Mistakes | Jobs
)

// Case is a random attempt: its workflow, and what its operators do.
type Case struct {
	Body  *param.Map
	Seed  uint64 // of the outcomes
	May   Features
	Limit int // of tasks
}

// NewCase makes a case out of a seed. It compiles.
func NewCase(seed uint64) Case {
	c := chooser{rand.New(rand.NewPCG(seed, 1)), seed%2 == 0} //nolint:gosec // to be repeated, not to be secret
	tasks := 2 + c.IntN(14)
	limit := 1000
	if c.one(10) {
		limit = tasks + 4 + c.IntN(30)
	}
	return Case{Body: c.group(&tasks, 3, true), Seed: seed, May: AllFeatures, Limit: limit}
}

// Outcome says how an operator ends in its nth try, counted from 1 over all tasks of that name. It
// depends on nothing else, so that every order of events leads to the same outcomes.
func (k Case) Outcome(fullName string, nth int) trowel.Report {
	c := k.chooser(fullName + "#" + strconv.Itoa(nth))
	may := k.May
	if nth > 5 {
		may &^= Failures | Polls | Retries // every case comes to an end
	}
	switch dice := c.IntN(100); {
	case dice < 18 && may&Failures != 0:
		return trowel.Report{Outcome: trowel.OutcomeFailure, Error: c.failure(fullName)}
	case dice < 26 && may&Polls != 0:
		r := trowel.Report{Outcome: trowel.OutcomePoll, RetryIn: c.delay(), StateParams: param.Of("polled", nth)}
		r.Job = may&Jobs != 0 && c.one(2)
		return r
	case dice < 34 && may&Retries != 0:
		r := trowel.Report{
			Outcome: trowel.OutcomeRetry, RetryIn: c.delay(), StateParams: param.Of("retry_count", c.IntN(3)), Error: c.failure(fullName),
		}
		r.Job = may&Jobs != 0 && c.one(3)
		return r
	}
	return trowel.Report{Outcome: trowel.OutcomeSuccess, Result: c.result(may, strings.Count(fullName, "^sub"))}
}

// chooser makes random choices.
type chooser struct {
	*rand.Rand

	controlled bool // bodies may have options
}

func (k Case) chooser(about string) chooser {
	h := fnv.New64a()
	_, _ = h.Write([]byte(about))
	return chooser{rand.New(rand.NewPCG(k.Seed, h.Sum64())), k.Seed%2 == 0} //nolint:gosec // to be repeated, not to be secret
}

func (c chooser) one(in int) bool { return c.IntN(in) == 0 }

func (c chooser) delay() time.Duration { return time.Duration(c.IntN(3)) * time.Second }

func (c chooser) failure(fullName string) *param.Map {
	object := param.Of("message", fullName+" failed")
	if c.one(2) {
		object.Set("stacktrace", "at "+strconv.Itoa(c.IntN(9)))
	}
	return object
}

func (c chooser) result(may Features, depth int) (r trowel.Result) {
	if may&Stores != 0 && c.one(3) {
		r.Store = c.params()
	}
	if may&Exports != 0 && c.one(6) {
		r.Export = c.params()
	}
	if may&Resets != 0 && c.one(6) {
		for range 1 + c.IntN(2) {
			r.ResetKeys = append(r.ResetKeys, []string{"a", "b", "m", "m.x", "m.y", "b.c"}[c.IntN(6)])
		}
	}
	if may&Subtasks != 0 && depth < 2 && c.one(5) {
		tasks := 1 + c.IntN(5)
		r.Subtasks = c.body(&tasks, 2)
		if may&Mistakes != 0 && c.one(12) {
			r.Subtasks.Set("+mistake", int64(3))
		}
	}
	return r
}

// params makes parameters of few names, so that they meet.
func (c chooser) params() *param.Map {
	m := param.New()
	for range 1 + c.IntN(2) {
		n := int64(c.IntN(100))
		switch c.IntN(6) {
		case 0, 1:
			m.Set("a", n)
		case 2:
			m.Set("b", nil)
		case 3:
			m.Set("b", param.Of("c", n))
		case 4:
			m.Set("m", param.Of("x", n))
		default:
			m.Set("m", param.Of("y", n, "z", strconv.FormatInt(n, 10)))
		}
	}
	return m
}

// body makes a group or an operator with up to so many tasks.
func (c chooser) body(tasks *int, depth int) *param.Map {
	if depth > 0 && !c.one(3) {
		return c.group(tasks, depth, false)
	}
	return c.operator(tasks, depth)
}

func (c chooser) operator(tasks *int, depth int) *param.Map {
	*tasks--
	m := param.Of("op>", c.IntN(10))
	c.directives(m, tasks, depth, 5)
	c.options(m, false)
	if c.one(6) {
		c.place(m, "_check", c.body(tasks, min(depth-1, 1)))
	}
	return m
}

// directives adds _export, _retry and _error, each to one of so many bodies.
func (c chooser) directives(m *param.Map, tasks *int, depth, in int) {
	if c.one(in) {
		m.Set("_export", c.params())
	}
	if c.one(in) {
		c.place(m, "_retry", c.retry())
	}
	if c.one(in + 2) {
		c.place(m, "_error", c.body(tasks, min(depth-1, 1)))
	}
}

// place puts a directive into the body, or now and then into its _export (C3).
func (c chooser) place(m *param.Map, key string, value param.Value) {
	if !c.one(8) {
		m.Set(key, value)
		return
	}
	own, _ := m.Get("_export")
	export, _ := own.(*param.Map)
	export = export.Clone()
	export.Set(key, value)
	m.Set("_export", export)
}

func (c chooser) retry() param.Value {
	switch c.IntN(8) {
	case 0, 1, 2:
		return int64(1)
	case 3:
		return int64(2)
	case 4:
		return "1"
	case 5:
		return "${n}"
	case 6:
		return param.Of("limit", 1, "interval", c.IntN(3))
	default:
		return param.Of("limit", 2, "interval", 2, "interval_type", "exponential", "max_interval", 3)
	}
}

func (c chooser) group(tasks *int, depth int, root bool) *param.Map {
	*tasks--
	m := param.New()
	parallel := c.one(3)
	if parallel {
		m.Set("_parallel", true)
		if c.one(2) {
			m.Set("_parallel", param.Of("limit", 1+c.IntN(3)))
		}
	}
	c.directives(m, tasks, depth, 5)
	c.options(m, true)
	var names param.List
	for i := range 1 + c.IntN(5) {
		if *tasks <= 0 && !c.one(8) {
			break
		}
		name := "+" + string(rune('a'+i))
		child := c.body(tasks, depth-1)
		switch {
		case c.one(25):
			child.Set("_disable", true)
		case parallel && len(names) > 0 && c.one(3):
			child.Set("_after", c.some(names))
		case !parallel && c.one(6):
			child.Set("_background", true)
		}
		m.Set(name, child)
		names = append(names, name)
	}
	if len(names) == 0 && root {
		m.Set("+a", param.Of("op>", 0))
	}
	return m
}

// some takes one or two names; one may come twice (C25).
func (c chooser) some(names param.List) param.List {
	list := param.List{names[c.IntN(len(names))]}
	if c.one(2) {
		list = append(list, names[c.IntN(len(names))])
	}
	return list
}
