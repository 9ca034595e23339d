package template_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/trowel-project/trowel/internal/param"
	"github.com/trowel-project/trowel/internal/template"
)

// TestHostIsOutOfReach tries the usual ways to the host (language T20).
func TestHostIsOutOfReach(t *testing.T) {
	t.Parallel()
	names := `['require', 'process', 'module', 'exports', 'global', 'window', 'load', 'quit', 'console', 'Packages', 'Polyglot',
		'GoError', 'Proxy', 'Reflect', 'Promise', 'BigInt', 'setTimeout', 'fetch', 'XMLHttpRequest', 'WebAssembly', 'importScripts']`
	checkTexts(t, param.Of("o", param.New()), nil, template.Options{}, []textCase{
		{text: "${" + names + ".filter(function(name) { return name in globalThis })}", want: "[]"},
		{text: "${" + names + ".map(function(name) { return typeof this.constructor.constructor('return typeof ' + name)() }, this)" +
			".join('').split('string').join('').length}", want: "0"},
		{text: "${this.constructor.constructor('return this')() === globalThis}", want: "true"},
		{text: "${Object.keys(globalThis)}", want: "[]"},
		{text: "${o.constructor.constructor('return typeof o')()}", want: "undefined"},
		{text: "${Java.type('java.lang.Runtime')}", err: "TypeError: Access to host class java.lang.Runtime is not allowed or does not exist."},
		{text: "${java.lang.System}", want: ""},
		{text: "${java.io.File}", err: "TypeError: Cannot read property 'File' of undefined"},
		{text: "${java.lang.String.getClass()}", err: "TypeError: ..."},
		{text: "${Object.getPrototypeOf(function*() {}).constructor('yield 1')}", err: "TypeError: GeneratorFunction is not available"},
		{text: "${(async function() {})()}", err: "SyntaxError: ..."},
		{text: "${(async () => { await 1 })()}", err: "SyntaxError: ..."},
		{text: "${(function() { class A { async m() { } } })()}", err: "SyntaxError: ..."},
		{text: "${(function() { class A { static { this.m = async () => 1 } } })()}", err: "SyntaxError: ..."},
		{text: "${import('fs')}", err: "SyntaxError: ..."},
		// Code that closes the function which is made of it gets no place outside.
		{text: "${Function('\\x7d, function() \\x7b')}", err: "SyntaxError: not one function"},
		{text: "${Function('\\x7d); (function() \\x7b')}", err: "SyntaxError: not one function"},
		{text: "${Function('a)\\x7b\\x7d, function(', 'return 1')}", err: "SyntaxError: not one function"},
		{text: "${Function('\\x7d) + (function() \\x7b')}", err: "SyntaxError: not one function"},
		{text: "${Function('a', 'b, c', 'return a + b + c')(1, 2, 3)}", want: "6"},
		{text: "${(function() { with ({}) return 1 })()}", err: "SyntaxError: ..."},
		{text: "${1n}", err: "SyntaxError: ..."},
		{text: "${new DataView(new ArrayBuffer(8)).getBigInt64(0)}", err: "TypeError: ..."},
		{text: "${typeof new DataView(new ArrayBuffer(8)).getInt16(0)}", want: "number"},
		{text: "${(function() { try { null.x } catch (e) { return /github|goja|\\.go/.test(e.stack) } })()}", want: "false"},
		{text: "${(function() { try { moment('x', {}).y.z } catch (e) { return /github|goja|\\.go/.test(e.stack) } })()}", want: "false"},
	})
}

// TestNothingOfGo visits everything that code can reach. The names of functions and the kinds
// of objects must be those of JavaScript.
func TestNothingOfGo(t *testing.T) {
	t.Parallel()
	const walk = `${(function(root) {
		var seen = new Set(), queue = [root, globalThis, moment, moment(0), java, Java, Date, '', 0, /x/, [], function*() {}, new Error()], odd = [];
		while (queue.length) {
			var v = queue.pop();
			if (v === null || v === undefined || seen.has(v)) { continue }
			seen.add(v);
			if (typeof v == 'function' && /[/*]|github|func\d/.test(v.name)) { odd.push(v.name) }
			var kind = Object.prototype.toString.call(v);
			if (!/^\[object (Object|Function|GeneratorFunction|Generator|Array|String|Number|Boolean|Date|RegExp|Error|Math|JSON|Symbol|Map|Set|WeakMap|WeakSet|ArrayBuffer|DataView|(Map|Set|Array|String|RegExp String) Iterator|[A-Za-z0-9]+Array|global)\]$/.test(kind)) { odd.push(kind) }
			if (typeof v != 'object' && typeof v != 'function') { continue }
			queue.push(Object.getPrototypeOf(v));
			Object.getOwnPropertyNames(v).concat(Object.getOwnPropertySymbols(v)).forEach(function(key) {
				var d = Object.getOwnPropertyDescriptor(v, key);
				queue.push(d.value, d.get, d.set);
			});
		}
		return seen.size > 500 ? odd : 'only ' + seen.size;
	})(this)}`
	long := template.Options{TimeLimit: time.Minute} // a busy machine needs more than the default
	checkTexts(t, param.Of("o", param.Of("k", param.List{int64(1)})), nil, long, []textCase{{text: walk, want: "[]"}})
}

// TestSourceMaps checks that source maps are not read from the files of the host.
func TestSourceMaps(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "map")
	if err := os.WriteFile(file, []byte("no source map"), 0o600); err != nil {
		t.Fatal(err)
	}
	comment := "//# sourceMappingURL=" + file + "\n"
	checkTexts(t, param.New(), nil, template.Options{}, []textCase{
		{text: "${1 " + comment + "}", want: "1"},
		{text: "${eval('1 " + strings.TrimSpace(comment) + "')}", want: "1"},
		{text: "${Function('return 1 " + strings.TrimSpace(comment) + "')()}", want: "1"},
	})
}

// TestTextsAreApart evaluates texts that try to leave something behind (language T23).
func TestTextsAreApart(t *testing.T) {
	t.Parallel()
	e := template.New(template.Options{})
	params := param.Of("o", param.Of("k", 1), "session_time", "2024-01-15T00:00:00Z")
	const pure = "${moment(session_time).format('YYYY')}"
	for _, text := range []string{
		pure,
		"${moment.fn.format = function() { return 'changed' }}",
		"${moment(session_time).constructor.prototype.format = function() { return 'changed' }}",
		"${globalThis.moment.fn.set({year: 1})}",
		"${globalThis.moment.fn.set('date', 5) + moment(session_time).format()}",
		"${moment.locale('en', {months: ['x']})}" + pure,
		"${Date = 1, moment = 2}",
		"${Object.prototype.polluted = 1}",
		"${String.prototype.concat = function() { return 'changed' }}",
		"${o.k = 2, x = 3}",
	} {
		if _, err := e.Text(t.Context(), text, params, time.UTC); err != nil && !strings.Contains(err.Error(), "getTime") {
			t.Errorf("Text(%s): %v", text, err)
		}
		for rest, want := range map[string]string{
			pure: "2024", "${moment('2023-02-03').format()}": "2023-02-03T00:00:00+00:00", "${typeof x}": "undefined", "${o.k}": "1",
			"${typeof o.polluted}": "undefined", "${'a'.concat('b')}": "ab", "${moment(session_time).add(1, 'M').format('MMMM')}": "February",
		} {
			if got, err := e.Text(t.Context(), rest, params, time.UTC); err != nil || got != want {
				t.Errorf("Text(%s) after %s = %q, %v, want %q", rest, text, got, err, want)
			}
		}
	}
}
