package engine_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/dig"
	"github.com/trowel-project/trowel/internal/engine"
	"github.com/trowel-project/trowel/internal/param"
)

// TestWeights are the rules of K806 over the static tree, with the tasks downstream of K704.
func TestWeights(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, tree string
		weight     int // of +a when it is first ready
	}{
		{"absolute is one's own", "{_priority_weight: 3, +a: {op>: 1}, +b: {op>: 1}}", 3},
		{"downstream in a sequence", "{_weight_rule: downstream, +a: {op>: 1}, +b: {op>: 1, _priority_weight: 5}, +c: {op>: 1}}", 7},
		{"with all below a group", "{_weight_rule: downstream, +a: {op>: 1}, +g: {_priority_weight: 2, +x: {op>: 1}, +y: {+z: {op>: 1, _priority_weight: 10}}}}", 13},
		{"null is 1, and so is what is to be evaluated", `{_weight_rule: downstream, +a: {op>: 1}, +b: {op>: 1, _priority_weight: null}, +c: {op>: 1, _priority_weight: "${w}"}}`, 3},
		{"branches that meet again count once", "{_weight_rule: downstream, _parallel: true, +a: {op>: 1}, +b: {op>: 1, _after: [+a]}, +c: {op>: 1, _after: [+a]}, +d: {op>: 1, _after: [+b, +c], _priority_weight: 4}}", 7},
		{"chunks", "{_weight_rule: downstream, _parallel: {limit: 2}, +a: {op>: 1}, +b: {op>: 1}, +c: {op>: 1}, +d: {op>: 1}, +e: {op>: 1}}", 4},
		{"background tasks", "{_weight_rule: downstream, +a: {op>: 1, _background: true}, +b: {op>: 1}, +c: {op>: 1}, +d: {op>: 1}}", 4},
		{"negative ones too", "{_weight_rule: downstream, +a: {op>: 1}, +b: {op>: 1, _priority_weight: -5}}", -4},
		{"upstream of the first is nothing", "{_weight_rule: upstream, +a: {op>: 1}, +b: {op>: 1}}", 1},
		{"clamped to 32 bits", "{_weight_rule: downstream, _priority_weight: 1000000, +a: {op>: 1}, " + many(3000) + "}", 1<<31 - 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			tr := newTrial(t, c.tree, "")
			if got := tr.find("+a").Requirements.PriorityWeight(); got != c.weight {
				t.Errorf("weight = %d, want %d", got, c.weight)
			}
		})
	}
}

func many(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "+t%d: {op>: 1}, ", i)
	}
	return strings.TrimSuffix(b.String(), ", ")
}

// K806: upstream weights, those of nested groups and of generated tasks.
func TestWeightsOnTheWay(t *testing.T) {
	t.Parallel()
	tr := newTrial(t, `{_weight_rule: upstream, +a: {op>: 1, _priority_weight: 2}, `+
		`+g: {+x: {op>: 1}, +y: {op>: 1, _priority_weight: 10, _error: {op>: 1, _weight_rule: upstream, _priority_weight: 4}}}}`, "")
	tr.subtasks("+a", "{+s: {op>: 1, _priority_weight: 50}, +u: {op>: 1, _weight_rule: absolute, _priority_weight: 50}}")
	tr.want("+a^sub+s", trowel.TaskReady, `{"weight":2}`)
	tr.run("+a^sub+s", trowel.Report{})
	tr.want("+a^sub+u", trowel.TaskReady, `{"weight":50}`)
	tr.run("+a^sub+u", trowel.Report{})
	tr.want("+g+x", trowel.TaskReady, `{"weight":3}`)
	tr.run("+g+x", trowel.Report{})
	tr.want("+g+y", trowel.TaskReady, `{"weight":13}`)
	tr.run("+g+y", failure())
	tr.want("+g+y^error", trowel.TaskReady, `{"weight":4}`)
}

// K806: random graphs have the weights that a plain count over all of them gives.
func TestWeightsOfRandomGraphs(t *testing.T) {
	t.Parallel()
	for seed := range uint64(200) {
		rng := rand.New(rand.NewPCG(seed, 9))
		n := 2 + rng.IntN(12)
		body := param.Of("_parallel", true, "_weight_rule", "downstream")
		if rng.IntN(3) == 0 {
			body.Set("_parallel", param.Of("limit", int64(1+rng.IntN(4))))
		}
		for i := range n {
			child := param.Of("op>", int64(1), "_priority_weight", int64(rng.IntN(20)-5))
			var after param.List
			for j := range i {
				if rng.IntN(4) == 0 {
					after = append(after, fmt.Sprintf("+t%d", j))
				}
			}
			if after != nil {
				child.Set("_after", after)
			}
			body.Set(fmt.Sprintf("+t%d", i), child)
		}
		checkWeights(t, seed, body)
	}
}

func checkWeights(t *testing.T, seed uint64, body *param.Map) {
	t.Helper()
	tasks, err := dig.Compile("", "+m", body)
	if err != nil {
		t.Fatal(err)
	}
	own := func(i int) int { w, _ := param.NewReader(tasks[i].Local).Int("_priority_weight"); return w }
	after := make([]map[int]bool, len(tasks)) // all that is downstream
	for i := len(tasks) - 1; i > 0; i-- {
		after[i] = map[int]bool{}
		for j := range tasks {
			for _, up := range tasks[j].Upstreams {
				if up != i {
					continue
				}
				after[i][j] = true
				for k := range after[j] {
					after[i][k] = true
				}
			}
		}
	}
	tr := newTrial(t, param.JSON(body), "")
	for id, ready := tr.img.NextReady(); ready; id, ready = tr.img.NextReady() {
		row := tr.img.Find(id)
		want := own(int(row.ID) - 1)
		for j := range after[int(row.ID)-1] {
			want += own(j)
		}
		if got := row.Requirements.PriorityWeight(); got != want {
			t.Fatalf("graph %d: weight of %s = %d, want %d in %s", seed, row.FullName, got, want, param.JSON(body))
		}
		tr.run(strings.TrimPrefix(row.FullName, "+m"), trowel.Report{})
	}
	if !tr.img.Done() {
		t.Fatalf("graph %d did not come to its end", seed)
	}
}

// BenchmarkWeights is the cost of the weights of 100,000 tasks in chunks, and of as many in a sequence.
func BenchmarkWeights(b *testing.B) {
	for name, parallel := range map[string]param.Value{"chunks": param.Of("limit", int64(1000)), "sequence": false} {
		body := param.Of("_weight_rule", "downstream", "_parallel", parallel, "+first", param.Of("op>", int64(1)))
		for i := range 100_000 {
			body.Set(fmt.Sprintf("+t%d", i), param.Of("op>", int64(1)))
		}
		tasks, err := dig.Compile("", "+m", body)
		if err != nil {
			b.Fatal(err)
		}
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				attempt, setting := testSetting()
				at := attempt.CreatedAt
				if _, _, err := engine.Start(attempt, setting, engine.Begin{Tasks: tasks}, at, sequence{}, engine.Limits{Tasks: 1_000_000}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
