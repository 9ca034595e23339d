package template_test

import (
	"os"
	"strings"
	"testing"
	"time"

	"github.com/trowel-project/trowel/internal/param"
	"github.com/trowel-project/trowel/internal/template"
)

// TestExpressions compares with another JavaScript engine, Node 20. Each line of the file has an
// expression and, after a tab, its text or ERR and the name of the error.
func TestExpressions(t *testing.T) {
	t.Parallel()
	file, err := os.ReadFile("testdata/expressions.tsv")
	if err != nil {
		t.Fatal(err)
	}
	params, err := param.ParseMap(`{"a": 1, "b": "x", "o": {"k": [1, 2], "z2": null, "2": 1, "1": 2}, "n": null, "x-y": 5,
		"t": "${a}", "s": "abc", "l": [3, 4], "f": 1.0}`)
	if err != nil {
		t.Fatal(err)
	}
	e := template.New(template.Options{})
	count := 0
	for line := range strings.Lines(string(file)) {
		count++
		text, want, _ := strings.Cut(strings.TrimSuffix(line, "\n"), "\t")
		got, err := e.Text(t.Context(), text, params, time.UTC)
		if err != nil {
			_, reason, _ := strings.Cut(err.Error(), text+" (")
			name, _, _ := strings.Cut(reason, ":")
			got = "ERR " + name
		}
		if got = strings.ReplaceAll(got, "\n", `\n`); got != want {
			t.Errorf("Text(%s) = %q, want %q", text, got, want)
		}
	}
	if count < 200 {
		t.Fatalf("read %d expressions, want at least 200", count)
	}
}

// TestSyntax has each part of classes, loops and chains that is rewritten; Node 20 has the same results.
func TestSyntax(t *testing.T) {
	t.Parallel()
	checkExpressions(t, param.Of("o", param.Of("a", param.Of("b", 1, "c", 2))), []expressionCase{
		{`(function() {
			class A {
				x = 1; #y = 2; ['z' + 1] = 3; static n = 4
				static { A.m = 5 }
				get y() { return this.#y }
				['s' + 't']() { return 6 }
				static #p() { return 7 }
				static q() { return A.#p() }
			}
			class B extends A { constructor() { super(); this.w = super.st() } }
			var a = new B()
			return [a.x, a.y, a.z1, A.n, A.m, a.st(), A.q(), a.w]
		})()`, "[1,2,3,4,5,6,7,6]"},
		{"(function() { var s = '', at = {}; for (var k in {a: 1, b: 2}) s += k; for (at.k in {c: 1}) s += at.k; for (const v of [3, 4]) s += v; return s + at.k })()", "abc34c"},
		{"(function() { var s = '', i; for (i = 0; i < 2; i++) s += i; for (let j = 5, n = 7; j < n; j++) s += j; for (;;) { s += 'x'; break } return s })()", "0156x"},
		{"(function() { var s = ''; for (var [k, v] of [['a', 1]]) s += k + v; for (let {x, ...rest} of [{x: 1, y: 2}]) s += x + JSON.stringify(rest); return s })()", `a11{"y":2}`},
		{"(function() { var p = {a: {b: 1, c: 2}}, q = null; delete p?.a.b; return [p, delete q?.a, q?.a.b.c, q?.[1], q?.f(), p.f?.()] })()", `[{"a":{"c":2}},true,null,null,null,null]`},
		{"(function() { var p = {a: null, b: 0}; p.a ??= 1; p.b ||= 2; p.c &&= 3; p['d'] ??= 4; p.e = p.f ?? 5; return p })()", `{"a":1,"b":2,"d":4,"e":5}`},
		{"(function() { function tag(parts, ...values) { return parts.raw.join('|') + values.join() } return tag`a${1}b${2}\\n` })()", `a|b|\n1,2`},
		{"(function() { var g = (function*() { var got = yield 1; yield* [got, 3] })(); return [g.next().value, g.next(2).value, g.next().value, g.next().done] })()", "[1,2,3,true]"},
		{"(function() { l: for (var i = 0; ; i++) { switch (i) { case 1: continue l; case 3: break l; default: } } return i })()", "3"},
		{"(function({a: {b, ...rest}, d = b + 1}, [x, , y = 9] = [7, 8]) { return [b, rest, d, x, y] })(o)", `[1,{"c":2},2,7,9]`},
		{"(function() { try { throw {a: 1} } catch ({a}) { return a } finally { void 0 } })() + (function() { do { var n = (n || 0) + 1 } while (n < 3); return n })()", "4"},
		{"(() => { var f = (a, ...more) => a + more.length; return f(1, ...[2, 3], 4) + new Date(...[2024, 1]).getMonth() })()", "5"},
	})
}
