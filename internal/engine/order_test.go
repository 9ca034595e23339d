package engine_test

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// Which tasks may run when: language X7, X9, X10, X12, X16, X43 with the upstreams of section 2.5.
func TestOrder(t *testing.T) {
	t.Parallel()
	runScenarios(t, []scenario{
		{
			name: "X7 the root is planned at once, the first child ready",
			tree: "{+a: {op>: 1}, +b: {op>: 2}}",
			moves: `
				start -> . planned, +a ready
				ok +a -> +a running, +a success, +b ready
				ok +b -> +b running, +b success, . success, success`,
		},
		{
			name: "X7 an empty workflow ends at once",
			tree: "{}",
			moves: `
				start -> . planned, . success, success`,
		},
		{
			name: "X7 empty groups follow on one another in one go",
			tree: "{+a: {}, +b: {+c: {}}, +d: {op>: 1}}",
			moves: `
				start -> . planned, +a planned, +a success, +b planned, +b+c planned, +b+c success, +b success, +d ready
				ok +d -> +d running, +d success, . success, success`,
		},
		{
			name: "X12 a group does not end while what follows its empty groups may go on",
			tree: "{+g: {+a: {}, +b: {_background: true}, +c: {op>: 1}}, +d: {op>: 1}}",
			moves: `
				start   -> . planned, +g planned, +g+a planned, +g+b planned, +g+a success, +g+b success, +g+c ready
				ok +g+c -> +g+c running, +g+c success, +g success, +d ready
				ok +d   -> +d running, +d success, . success, success`,
		},
		{
			name: "C4 a disabled task succeeds at once",
			tree: "{+a: {_disable: true, op>: 1}, +b: {op>: 1}}",
			moves: `
				start -> . planned, +a planned, +a success, +b ready
				ok +b -> +b running, +b success, . success, success`,
		},
		{
			name: "X9 C17 a background child starts with the group, and the next waits for both",
			tree: "{+a: {op>: 1}, +b: {op>: 1}, +c: {_background: true, op>: 1}, +d: {op>: 1}}",
			moves: `
				start -> . planned, +a ready, +c ready
				ok +c -> +c running, +c success
				ok +a -> +a running, +a success, +b ready
				ok +b -> +b running, +b success, +d ready
				ok +d -> +d running, +d success, . success, success`,
		},
		{
			name: "C18 the group waits for a background child at its end",
			tree: "{+a: {op>: 1}, +b: {_background: true, op>: 1}}",
			moves: `
				start -> . planned, +a ready, +b ready
				ok +a -> +a running, +a success
				ok +b -> +b running, +b success, . success, success`,
		},
		{
			name: "C20 chunks of a limited parallel group",
			tree: "{_parallel: {limit: 2}, +a: {op>: 1}, +b: {op>: 1}, +c: {op>: 1}, +d: {op>: 1}, +e: {op>: 1}}",
			moves: `
				start -> . planned, +a ready, +b ready
				ok +a -> +a running, +a success
				ok +b -> +b running, +b success, +c ready, +d ready
				ok +d -> +d running, +d success
				ok +c -> +c running, +c success, +e ready
				ok +e -> +e running, +e success, . success, success`,
		},
		{
			name: "C22 C25 _after, with a name twice",
			tree: "{_parallel: true, +a: {op>: 1}, +b: {op>: 1}, +c: {_after: [+a, +a], op>: 1}, +d: {_after: [+b, +c], op>: 1}}",
			moves: `
				start -> . planned, +a ready, +b ready
				ok +a -> +a running, +a success, +c ready
				ok +c -> +c running, +c success
				ok +b -> +b running, +b success, +d ready
				ok +d -> +d running, +d success, . success, success`,
		},
		{
			name: "X16 siblings of a failed task in a parallel group go on",
			tree: "{_parallel: true, +a: {op>: 1}, +b: {op>: 1}, +c: {_after: [+b], op>: 1}}",
			moves: `
				start              -> . planned, +a ready, +b ready
				fail +a no         -> +a running, +a error
				ok +b              -> +b running, +b success, +c ready
				ok +c              -> +c running, +c success, .^failure-alert new, . planned (failure_tasks), .^failure-alert ready
				ok .^failure-alert -> .^failure-alert running, .^failure-alert success, . group_error, error`,
		},
		{
			name: "X12 X43 what waits for a failed task stays blocked, and does not hold its group",
			tree: "{+g: {+a: {op>: 1}, +b: {op>: 1}, +c: {op>: 1}}, +h: {op>: 1}}",
			moves: `
				start              -> . planned, +g planned, +g+a ready
				fail +g+a no       -> +g+a running, +g+a error, +g group_error, .^failure-alert new, . planned (failure_tasks), .^failure-alert ready
				ok .^failure-alert -> .^failure-alert running, .^failure-alert success, . group_error, error`,
		},
		{
			name: "X9 groups between the root and a task open together",
			tree: "{+a: {op>: 1}, +g: {+h: {+i: {op>: 1}}, +j: {op>: 1}}}",
			moves: `
				start     -> . planned, +a ready
				ok +a     -> +a running, +a success, +g planned, +g+h planned, +g+h+i ready
				ok +g+h+i -> +g+h+i running, +g+h+i success, +g+h success, +g+j ready
				ok +g+j   -> +g+j running, +g+j success, +g success, . success, success`,
		},
		{
			name: "X12 two empty groups that end with the last task do not end their group twice",
			tree: "{_parallel: true, _error: {op>: 1}, +f: {op>: 1}, +x: {op>: 1}, +y: {_after: [+x]}, +z: {_after: [+x]}}",
			moves: `
				start              -> . planned, +f ready, +x ready
				fail +f no         -> +f running, +f error
				ok +x              -> +x running, +x success, +y planned, +z planned, +y success, +z success, .^failure-alert new, .^error new, . planned (failure_tasks), .^failure-alert ready, .^error ready
				ok .^failure-alert -> .^failure-alert running, .^failure-alert success
				ok .^error         -> .^error running, .^error success, . group_error, error`,
		},
	})
}

// 10.5: ids, parents and upstreams of static and generated tasks.
func TestWorkedExample(t *testing.T) {
	t.Parallel()
	p := newPlayer(t, scenario{tree: `{
		+prepare: {op>: 1},
		+fan: {_parallel: {limit: 2}, +x: {op>: 1}, +y: {op>: 1}, +z: {op>: 1}},
		+repeat: {op>: 2, _check: {op>: 1}},
		+side: {_background: true, op>: 1},
		+last: {op>: 1}}`})
	for _, line := range []string{
		"start", "ok +prepare", "ok +fan+x", "ok +fan+y", "ok +fan+z",
		"ok +repeat {sub: {+loop-0: {+s: {op>: 1}}, +loop-1: {+s: {op>: 1}}}}",
	} {
		if _, err := p.line(line); err != nil {
			t.Fatalf("%s: %v", line, err)
		}
	}
	var got []string
	for _, row := range p.d.img.List() {
		kind := "op"
		if row.Group {
			kind = "group"
		}
		got = append(got, fmt.Sprintf("%d %s %s %d %v", row.ID, row.FullName, kind, row.ParentID, row.Upstreams))
	}
	want := []string{
		"1 +w group 0 []",
		"2 +w+prepare op 1 []",
		"3 +w+fan group 1 [2]",
		"4 +w+fan+x op 3 []",
		"5 +w+fan+y op 3 []",
		"6 +w+fan+z op 3 [4 5]",
		"7 +w+repeat op 1 [3]",
		"8 +w+side op 1 []",
		"9 +w+last op 1 [7 8]",
		"10 +w+repeat^sub group 7 []",
		"11 +w+repeat^sub+loop-0 group 10 []",
		"12 +w+repeat^sub+loop-0+s op 11 []",
		"13 +w+repeat^sub+loop-1 group 10 [11]",
		"14 +w+repeat^sub+loop-1+s op 13 []",
		"15 +w+repeat^check op 7 [10]",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("tasks (-want +got):\n%s", diff)
	}
}
