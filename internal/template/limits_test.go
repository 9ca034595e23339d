package template_test

import (
	"errors"
	"runtime"
	"runtime/metrics"
	"strings"
	"testing"
	"time"

	"github.com/trowel-project/trowel/internal/param"
	"github.com/trowel-project/trowel/internal/template"
)

// bombs are expressions that use endless time or memory.
var bombs = []struct{ name, text string }{
	{"loop", "${(function() { for (;;); })()}"},
	{"loop with catch", "${(function() { try { for (;;); } catch (e) { return 1 } finally { return 2 } })()}"},
	{"recursion", "${(function f() { return f() + 1 })()}"},
	{"recursion through natives", "${(function f() { return [1].map(f) })()}"},
	{"recursion through getters", "${(function() { var o = {get x() { return this.x }}; return o.x })()}"},
	{"text", "${(function() { var s = 'x'; while (true) s += s })()}"},
	{"text by template", "${(function() { var s = 'x'; while (true) s = `${s}${s}` })()}"},
	{"text by concat", "${(function() { var s = 'x'; while (true) s = s.concat(s) })()}"},
	{"text by one concat", "${(s = 'xxxxxxxx'.repeat(1000000), s.concat(s, s, s, s, s, s, s, s, s, s))}"},
	{"text by replace", "${(function() { var s = 'x'; while (true) s = s.replace('x', '$&$&') + s })()}"},
	{"text by one replace", "${'x'.repeat(500000).replace(/x/g, '$`')}"},
	{"text by a replacing function", "${(function() { var s = 'x'.repeat(100000); return s.replace(/x/g, function() { return s }) })()}"},
	{"text by replaceAll", "${'x'.repeat(500000).replaceAll('x', 'x'.repeat(1000))}"},
	{"text by eval", `${eval("var s = 'x'; while (true) s += s")}`},
	{"text by Function", `${Function("var s = 'x'; while (true) s += s")()}`},
	{"text by a constructor", `${this.constructor.constructor("var s = 'x'; while (true) s += s")()}`},
	{"repeat", "${'x'.repeat(1e9)}"},
	{"repeat by computed name", "${'x'['re' + 'peat'](1e9)}"},
	{"repeat by descriptor", "${Object.getOwnPropertyDescriptor(String.prototype, 're' + 'peat').value.call('x', 1e9)}"},
	{"repeat by pattern", "${(function() { var {['re' + 'peat']: f} = ''; return f.call('x', 1e9) })()}"},
	{"repeat in eval", `${eval("'x'.rep" + "eat(1e9)")}`},
	{"pad", "${'x'.padStart(1e9) + 'x'.padEnd(1e9)}"},
	{"join", "${Array(1e6).join('x'.repeat(1000))}"},
	{"join of nothing", "${Array(4e9).join()}"},
	{"fill", "${Array(4e9).fill(0)}"},
	{"list", "${(function() { var a = []; while (true) a.push([]) })()}"},
	{"list of texts", "${(function() { var a = [], s = 'x'.repeat(1e6); while (true) a.push(s + a.length) })()}"},
	{"list by spread", "${(function() { var a = [1]; while (true) a = [...a, ...a] })()}"},
	{"list by apply", "${(function() { var a = [1]; while (true) a.push.apply(a, a) })()}"},
	{"list by a sparse one", "${[...Array(4e9).keys()]}"},
	{"list by from", "${Array.from({length: 4e9})}"},
	{"list by a generator", "${Array.from((function*() { for (;;) yield {} })())}"},
	{"list by rest", "${(function() { var b = [], a = Array(1e5).fill(0); while (true) b.push(function(...r) { return r }(...a)) })()}"},
	{"list like", "${[].indexOf.call({length: 9e15}, 1)}"},
	{"nested lists as text", "${(function() { var a = [1]; for (var i = 0; i < 60; i++) a = [a, a]; return '' + a })()}"},
	{"nested lists as JSON", "${(function() { var a = [1]; for (var i = 0; i < 60; i++) a = [a, a]; return a })()}"},
	{"nested lists made flat", "${(function() { var a = [1]; for (var i = 0; i < 60; i++) a = [a, a]; return a.flat(1 / 0) })()}"},
	{"deep list as JSON", "${(function() { var a = []; for (var i = 0; i < 1e5; i++) a = [a]; return a })()}"},
	{"deep list as text", "${(function() { var a = []; for (var i = 0; i < 1e5; i++) a = [a]; return '' + a })()}"},
	{"deep JSON", "${JSON.parse('['.repeat(1e6))}"},
	{"wide JSON", "${JSON.parse('[' + '[],'.repeat(2e6) + '0]')}"},
	{"object", "${(function() { var o = {}, i = 0; while (true) o['k' + i++] = {} })()}"},
	{"copies of an object", "${(function() { var o = {}, a = []; for (var i = 0; i < 1e4; i++) o[i] = i; while (true) a.push({...o}) })()}"},
	{"map", "${(function() { var m = new Map(), i = 0; while (true) m.set(i++, {}) })()}"},
	{"functions", "${(function() { var a = []; while (true) a.push(function() {}) })()}"},
	{"bound functions", "${(function() { var f = function() {}; while (true) f = f.bind() })()}"},
	{"classes", "${(function() { var a = []; while (true) a.push(class { x() {} }) })()}"},
	{"prototypes", "${(function() { var o = {}; while (true) o = Object.create(o) })()}"},
	{"errors", "${(function() { var a = []; while (true) a.push(new Error()) })()}"},
	{"symbols", "${(function() { var a = []; while (true) a.push(Symbol()) })()}"},
	{"buffer", "${new ArrayBuffer(1e10)}"},
	{"typed list", "${new Float64Array(1e9)}"},
	{"typed list by computed name", "${new globalThis['Float64' + 'Array'](1e9)}"},
	{"typed list of a subclass", "${new (class extends Float64Array {})(1e9)}"},
	{"buffers", "${(function() { var a = []; while (true) a.push(new Uint8Array(1e6)) })()}"},
	{"copies of typed lists", "${(function() { var a = [], b = new Uint8Array(1e6); while (true) a.push(b.slice()) })()}"},
	{"entries", "${[...Array(1e6).fill(0).entries()]}"},
	{"entries of an object", "${(function() { var o = {}; for (var i = 0; i < 2e5; i++) o[i] = i; return Object.entries(o) })()}"},
	{"entries of a map", "${(function() { var m = new Map(); for (var i = 0; i < 2e5; i++) m.set(i); return [...m] })()}"},
	{"compiled code", "${(function() { var a = [], s = 'x;'.repeat(1e4); while (true) a.push(Function(s)) })()}"},
	{"patterns", "${(function() { var a = [], s = 'x'.repeat(1e4); while (true) a.push(new RegExp(s + a.length)) })()}"},
	{"all matches", "${[...'x'.repeat(5e5).matchAll(/./g)]}"},
	{"set of a sparse list", "${new Set(Array(4e9))}"},
	{"repeat by toJSON", "${(Function.prototype.toJSON = function() { f = this }, JSON.stringify(''.constructor.prototype, ['re' + 'peat']), f.call('x', 1e9))}"},
	{"generators", "${(function() { var g = (function*() { yield 1 })(); while (true) g = (function*(x) { yield* x })(g) })()}"},
	{"matches", "${'x'.repeat(8e6).match(/./g)}"},
	{"pieces", "${'x'.repeat(8e6).split('')}"},
	{"format", "${java.lang.String.format('%1000000000d', 1)}"},
	{"precision", "${java.lang.String.format('%.1000000000f', 1.5)}"},
	{"thrown text", "${(function() { throw 'x'.repeat(8e6) })()}"},
	{"text of what is thrown", "${(function() { throw {toString: function() { for (;;); }} })()}"},
	{"JSON of an object of its own", "${({toJSON: function() { for (;;); }})}"},
	{"long code", "${" + strings.Repeat("(", 30000) + "1" + strings.Repeat(")", 30000) + "}"},
	{"deep pattern", "${/" + strings.Repeat("(", 30000) + "x" + strings.Repeat(")", 30000) + "/.test('x')}"},
	{"deep pattern that backtracks", "${/(?=x)" + strings.Repeat("(", 30000) + "x" + strings.Repeat(")", 30000) + "/.test('x')}"},
	{"deep pattern of a text", "${new RegExp('(?=x)' + '('.repeat(30000) + 'x' + ')'.repeat(30000)).test('x')}"},
	{"deep pattern of Java", "${'x'.matches('('.repeat(30000) + 'x' + ')'.repeat(30000))}"},
	{"too long code", "${" + strings.Repeat("1+", 1<<20) + "1}"},
}

// TestBombs evaluates each bomb. An error must come soon, and the memory must stay within bounds.
func TestBombs(t *testing.T) { //nolint:paralleltest // measures the memory of the process
	const (
		timeLimit = 60 * time.Millisecond
		patience  = time.Minute // endless evaluations; tests do not measure how fast the limit works
		memory    = 512 << 20
	)
	e := template.New(template.Options{TimeLimit: timeLimit, MaxHeapBytes: 64 << 20})
	params := param.Of("s", "text")
	for _, bomb := range bombs { //nolint:paralleltest // one after the other
		t.Run(bomb.name, func(t *testing.T) {
			runtime.GC()
			before := memoryInUse()
			peak := watchMemory(t)
			start := time.Now()
			result, err := e.Text(t.Context(), bomb.text, params, nil)
			took := time.Since(start)
			if _, ok := errors.AsType[*param.Error](err); !ok && !strings.HasPrefix(bomb.name, "deep pattern") && bomb.name != "long code" {
				t.Errorf("Text: error = %v, want a *param.Error; result has %d bytes", err, len(result))
			}
			if took > patience {
				t.Errorf("Text took %v, want at most %v", took, patience)
			}
			if grown := int64(peak()) - int64(before); grown > memory {
				t.Errorf("memory grew by %d MiB, want at most %d", grown>>20, memory>>20)
			}
			if err != nil && len(err.Error()) > len(bomb.text)+1<<16 {
				t.Errorf("the error has %d bytes", len(err.Error()))
			}
		})
	}
}

// memoryInUse returns how much memory the process has from the system for its heap.
func memoryInUse() uint64 {
	samples := []metrics.Sample{
		{Name: "/memory/classes/heap/objects:bytes"},
		{Name: "/memory/classes/heap/unused:bytes"},
		{Name: "/memory/classes/heap/free:bytes"},
		{Name: "/memory/classes/heap/stacks:bytes"},
	}
	metrics.Read(samples)
	total := uint64(0)
	for _, s := range samples {
		total += s.Value.Uint64()
	}
	return total
}

// watchMemory measures the memory until peak is called, which returns the largest value.
func watchMemory(t *testing.T) (peak func() uint64) {
	t.Helper()
	stop, done := make(chan struct{}), make(chan uint64)
	go func() {
		largest := uint64(0)
		tick := time.NewTicker(2 * time.Millisecond)
		defer tick.Stop()
		for {
			largest = max(largest, memoryInUse())
			select {
			case <-tick.C:
			case <-stop:
				done <- max(largest, memoryInUse())
				return
			}
		}
	}()
	return func() uint64 {
		close(stop)
		return <-done
	}
}

// TestLimitErrors checks that callers can distinguish the errors, and that these name the limit.
func TestLimitErrors(t *testing.T) {
	t.Parallel()
	e := template.New(template.Options{TimeLimit: time.Minute, MaxResultBytes: 1000})
	params := param.Of("s", strings.Repeat("x", 600))
	for _, c := range []struct {
		text, reason string
		is           error
	}{
		{"${'x'.repeat(1001)}", "RangeError: Invalid string length: more than 1000", template.ErrSize},
		{"${[].indexOf.call({length: 9e15}, 1)}", "RangeError: Invalid array length: more than 1048576", template.ErrSize},
		{"${s}${s}", "RangeError: the result is larger than 1000 bytes", template.ErrSize},
		{"${s + ''}${s}", "RangeError: the result is larger than 1000 bytes", template.ErrSize},
		{"${[s, s]}", "RangeError: Invalid string length: more than 1000", template.ErrSize},
	} {
		_, err := e.Text(t.Context(), c.text, params, nil)
		checkError(t, textCase{text: c.text, err: c.reason}, err)
		if !errors.Is(err, c.is) {
			t.Errorf("Text(%s): error = %v, want one that is %v", c.text, err, c.is)
		}
	}
	soon := template.New(template.Options{TimeLimit: 100 * time.Millisecond})
	endless := textCase{text: "${(function() { for (;;); })()}", err: "TimeoutError: the evaluation took longer than 100ms"}
	_, err := soon.Text(t.Context(), endless.text, params, nil)
	checkError(t, endless, err)
	if !errors.Is(err, template.ErrTimeout) {
		t.Errorf("Text(%s): error = %v, want %v", endless.text, err, template.ErrTimeout)
	}
	// Code can catch that something is too large, but not that it takes too long.
	got, err := e.Text(t.Context(), "${(function() { try { return 'x'.repeat(1e9) } catch (e) { return e.name } })()}", params, nil)
	if err != nil || got != "RangeError" {
		t.Errorf("Text = %q, %v, want RangeError", got, err)
	}
}

// TestCountedReplacements fills in replacement texts with and without an eye on the length of the result; nobody sees which.
func TestCountedReplacements(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ expression, want string }{
		{`'aXb'.replace(/X/, '[$$|$&|$` + "`" + `|$\'|$|$q]')`, "a[$|X|a|b|$|$q]b"},
		{`'aXb'.replace(/X/, '$')`, "a$b"},
		{`'2024-01-15'.replace(/(\d+)-(\d+)/, '$2/$1')`, "01/2024-15"},
		{`'aXYb'.replace(/(X)(Y)?(Z)?/, '[$1|$2|$3|$4|$0|$01|$10|$99]')`, "a[X|Y||$4|$0|X|X0|$99]b"},
		{`'abcdefghijkl'.replace(/(a)(b)(c)(d)(e)(f)(g)(h)(i)(j)(k)/, '$11$10$1')`, "kjal"},
		{`'a-b'.replace(/(?<left>a)-(?<right>b)/, '$<right>-$<left>-$<none>-$<')`, "b-a--$<"},
		{`'a-b'.replace(/(a)-b/, '$<a>')`, "$<a>"},
		{`'aXbX'.replace(/X/g, '$&$&')`, "aXXbXX"},
		{`'é😀X'.replace(/X/, '$` + "`" + `')`, "é😀é😀"},
		{`'aXb'.replace(/X/, function(m, at, all) { return m + at + all })`, "aX1aXbb"},
	} {
		for _, most := range []int{0, 500} { // of so few, lengths are counted
			got, err := template.New(template.Options{MaxResultBytes: most}).Text(t.Context(), "${"+c.expression+"}", nil, nil)
			if err != nil || got != c.want {
				t.Errorf("at most %d bytes: %s = %q, %v, want %q", most, c.expression, got, err, c.want)
			}
		}
	}
}

// TestBacktracking searches with patterns that take for ever.
func TestBacktracking(t *testing.T) {
	t.Parallel()
	const want = "RangeError: a regular expression took longer than 3s"
	checkTexts(t, param.New(), nil, template.Options{}, []textCase{
		{text: "${/(?=a)(a+)+b/.test('a'.repeat(60))}", err: want},
		{text: "${'a'.repeat(60).replace(/(?=a)(a+)+b/, '')}", err: want},
		{text: "${'a'.repeat(60).matches('(?=a)(a+)+b')}", err: want},
	})
}

// TestMemory fills the memory with everything that code can make.
func TestMemory(t *testing.T) { //nolint:paralleltest // others would be blamed for what grows here
	for _, bomb := range bombs { //nolint:paralleltest // one after the other
		switch bomb.name {
		case "list", "list of texts", "list by a generator", "object", "copies of an object", "functions", "classes",
			"prototypes", "buffers", "copies of typed lists", "compiled code", "patterns":
		default:
			continue
		}
		t.Run(bomb.name, func(t *testing.T) {
			e := template.New(template.Options{TimeLimit: time.Minute, MaxHeapBytes: 4 << 20})
			_, err := e.Text(t.Context(), bomb.text, nil, nil)
			if !errors.Is(err, template.ErrMemory) {
				t.Errorf("Text: error = %v, want %v", err, template.ErrMemory)
			}
			checkError(t, textCase{text: bomb.text, err: "MemoryError: the expression takes too much memory"}, err)
		})
	}
}

// TestUsualSizes evaluates large texts of kinds that people do write.
func TestUsualSizes(t *testing.T) {
	t.Parallel()
	rows := param.List{}
	for i := range 20000 {
		rows = append(rows, param.Of("id", i, "name", "some name"))
	}
	checkTexts(t, param.Of("rows", rows, "s", strings.Repeat("line\n", 20000)), nil, template.Options{TimeLimit: time.Minute}, []textCase{
		{text: "${rows.length} ${rows[19999].id} ${rows.length + 1}", want: "20000 19999 20001"},
		{text: "${(function() { var s = ''; for (var i = 0; i < rows.length; i++) s += rows[i].id + ','; return s.length })()}", want: "108890"},
		{text: "${rows.map(function(r) { return r.id }).filter(function(i) { return i % 2 }).reduce(function(a, b) { return a + b }, 0)}", want: "100000000"},
		{text: "${s.split('\\n').length} ${s.replace(/\\n/g, ';').length} ${s.replaceAll('line', 'x').length}", want: "20001 100000 40000"},
		{text: "${JSON.stringify(rows).length == JSON.stringify(JSON.parse(JSON.stringify(rows))).length}", want: "true"},
		{text: "${(function() { var n = 0; for (var i = 0; i < 30000; i++) n += [i].length; return n })()}", want: "30000"},
		{text: "${(function f(n) { return n ? 1 + f(n - 1) : 0 })(1500)}", want: "1500"},
	})
}
