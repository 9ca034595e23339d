package template_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/trowel-project/trowel/internal/param"
	"github.com/trowel-project/trowel/internal/template"
)

// nativeNames finds the functions that can be reached from globals by name.
const nativeNames = `${(function() {
	var names = [], seen = new Set();
	(function walk(object, path) {
		if (seen.has(object)) { return }
		seen.add(object);
		Object.getOwnPropertyNames(object).forEach(function(key) {
			if (/^(arguments|caller|callee|constructor|moment)$/.test(key) || !/^[a-zA-Z_$][a-zA-Z0-9_$]*$/.test(key)) { return }
			var value, name = path ? path + '.' + key : key;
			try { value = object[key] } catch (e) { return }
			if (typeof value == 'function') { names.push(name) }
			if (value !== null && (typeof value == 'object' || typeof value == 'function')) { walk(value, name) }
		});
	})(globalThis, '');
	return names.concat(['java.lang.String.format', 'java.lang.String.join', 'java.lang.String.valueOf', 'Java.type', 'print',
		'String.prototype.matches', 'String.prototype.replaceFirst', 'String.prototype.regionMatches', 'String.prototype.subSequence',
		'String.prototype.formatted', 'String.prototype.hashCode', 'String.prototype.compareTo', 'String.prototype.isBlank',
		'String.prototype.codePointCount', 'String.prototype.codePointBefore', 'String.prototype.contains', 'moment', 'moment.utc',
		'moment.duration', 'moment.fn.format', 'moment.fn.add', 'Object.getPrototypeOf(function*() {}).constructor']);
})()}`

// odd calls a function with unusual arguments.
const odd = `${(function(f) {
	var n = 0, things = function() {
		return [undefined, null, -1, 1e9, 'x', [1, [2]], Symbol('s'), function() { return 1 }, /x/g, {length: -1, 0: 'a'}, Object.create(null)];
	};
	var count = things().length;
	for (var i = 0; i < count; i++) {
		for (var j = -1; j < count; j++) {
			n++;
			try { j < 0 ? f.call(things()[i]) : f.call(things()[i], things()[j], things()[i]) } catch (e) { }
			if (i == 0) { try { j < 0 ? new f() : new f(things()[j], 2, things()[j]) } catch (e) { } }
		}
	}
	return n;
})(FUNCTION)}`

// TestNatives calls every native function with unusual arguments. None may panic in Go, or take long.
func TestNatives(t *testing.T) {
	t.Parallel()
	e := template.New(template.Options{TimeLimit: time.Minute})
	list, err := e.Text(t.Context(), nativeNames, param.New(), nil)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	if err := json.Unmarshal([]byte(list), &names); err != nil || len(names) < 250 {
		t.Fatalf("found %d functions (%v), want at least 250", len(names), err)
	}
	for _, name := range names {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := e.Text(t.Context(), strings.Replace(odd, "FUNCTION", name, 1), param.New(), nil)
			if err != nil || got != "132" {
				t.Errorf("%s: %q, %v, want 132 calls", name, got, err)
			}
		})
	}
}
