package operator_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/trowel-project/trowel/internal/param"
)

// generating is a test case of an operator that makes tasks. It expects the body of ^sub, as JSON, or a message.
type generating struct {
	name, sub, message string
	own                *param.Map
	inherited          *param.Map
}

func (c *generating) check(t *testing.T) {
	t.Helper()
	f := newFixture(t, c.own)
	f.Inherited.Merge(c.inherited)
	outcome, err := f.Run()
	if got := message(err); got != c.message {
		t.Fatalf("message = %q, want %q", got, c.message)
	}
	want := c.sub
	if want == "" {
		want = "{}"
	}
	got := param.JSON(param.Merged(param.New(), outcome.Result.Subtasks))
	if got != want {
		t.Errorf("subtasks = %s, want %s", got, want)
	}
}

func run(t *testing.T, cases []generating) {
	t.Helper()
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			c.check(t)
		})
	}
}

func body(text string) *param.Map { return param.Of("echo>", text) }

// Operators 2.7, language O1 to O3; the cases if-values, if-more-values, if-branches and if-errors.
func TestIf(t *testing.T) {
	t.Parallel()
	const yes, no = `{"echo>":"yes"}`, `{"echo>":"no"}`
	both := func(condition any) *param.Map {
		return param.Of("if>", condition, "_do", body("yes"), "_else_do", body("no"))
	}
	wrong := func(json, kind string) string {
		return "Expected 'true' or 'false' for key '_command' but got " + json + " (" + kind + ") (config)"
	}
	const none = "Both _do and _else_do are not specified. (config)"
	run(t, []generating{
		{name: "true", own: both(true), sub: yes},
		{name: "false", own: both(false), sub: no},
		{name: "text True", own: both("True"), sub: yes},
		{name: "text false", own: both("false"), sub: no},
		{name: "blanks", own: both(" true "), sub: yes},
		{name: "empty", own: both(""), sub: no},
		{name: "blank", own: both(" "), sub: no},
		{name: "word null", own: both("null"), sub: no},
		{name: "one", own: both(1), sub: yes},
		{name: "zero", own: both(0), sub: no},
		{name: "negative", own: both(-1), sub: yes},
		{name: "TRUE", own: both("TRUE"), message: wrong(`"TRUE"`, "string")},
		{name: "text one", own: both("1"), message: wrong(`"1"`, "string")},
		{name: "decimal", own: both(0.0), message: wrong("0.0", "number")},
		{name: "list", own: both(param.List{}), message: wrong("[]", "array")},
		{name: "null", own: both(nil), message: "Parameter '_command' is required but not set (config)"},
		{name: "only else", own: param.Of("if>", true, "_else_do", body("no"))},
		{name: "null body", own: param.Of("if>", true, "_do", nil, "_else_do", body("no"))},
		{name: "no body", own: param.Of("if>", true), message: none},
		{name: "empty bodies", own: param.Of("if>", true, "_do", param.New(), "_else_do", param.New()), message: none},
		{
			name: "text body", own: param.Of("if>", true, "_do", "text"),
			message: "Parameter '_do' must be an object (config)",
		},
		{
			name: "list body", own: param.Of("if>", true, "_else_do", param.List{body("x")}),
			message: "Parameter '_else_do' must be an object (config)",
		},
	})
}

// Operators 2.4, language O4 to O6; the cases loop-*.
func TestLoop(t *testing.T) {
	t.Parallel()
	loop := func(command any, more ...any) *param.Map {
		return param.Merged(param.Of("loop>", command, "_do", param.New()), param.Of(more...))
	}
	tasks := func(n int, more ...string) string {
		var all []string
		for i := range n {
			all = append(all, fmt.Sprintf(`"+loop-%d":{"_export":{"i":%d}}`, i, i))
		}
		return "{" + strings.Join(append(all, more...), ",") + "}"
	}
	notInt := func(key, json, kind string) string {
		return "Expected integer (int) type for key '" + key + "' but got " + json + " (" + kind + ") (config)"
	}
	run(t, []generating{
		{name: "number", own: loop(3), sub: tasks(3)},
		{name: "zero", own: loop(0)},
		{name: "negative", own: loop(-2)},
		{name: "blanks", own: loop(" 2 "), sub: tasks(2)},
		{name: "plus", own: loop("+2"), sub: tasks(2)},
		{name: "zeros", own: loop("02"), sub: tasks(2)},
		{name: "empty text", own: loop("")},
		{name: "word null", own: loop("null")},
		{name: "too large a number", own: loop(int64(2147483648))},
		{name: "too large a text", own: loop("2147483648"), message: notInt("_command", `"2147483648"`, "string")},
		{name: "decimal text", own: loop("2.0"), message: notInt("_command", `"2.0"`, "string")},
		{name: "list", own: loop(param.List{int64(1)}), message: notInt("_command", "[1]", "array")},
		{name: "null", own: loop(nil), message: "Parameter '_command' is required but not set (config)"},
		{name: "own count", own: loop(1, "count", 2), sub: tasks(2)},
		{name: "inherited count", own: loop(1), inherited: param.Of("count", 2), sub: tasks(2)},
		{name: "null count", own: loop(1, "count", nil), sub: tasks(1)},
		{name: "count is a word", own: loop(1, "count", "x"), message: notInt("count", `"x"`, "string")},
		{name: "count beside no command", own: loop(nil, "count", 1), message: "Parameter '_command' is required but not set (config)"},
		{name: "no _do", own: param.Of("loop>", 2), message: "Parameter '_do' is required but not set (config)"},
		{name: "null _do", own: param.Of("loop>", 2, "_do", nil), message: "Parameter '_do' is required but null (config)"},
		{name: "text _do", own: loop(1, "_do", "echo"), message: "Parameter '_do' must be an object (config)"},
		{name: "limit", own: loop(1000), sub: tasks(1000)},
		{name: "over the limit", own: loop(1001), message: "Too many loop subtasks. Limit: 1000 (config)"},
		{name: "parallel", own: loop(1, "_parallel", true), sub: tasks(1, `"_parallel":true`)},
		{name: "parallel text", own: loop(1, "_parallel", "true"), sub: tasks(1, `"_parallel":"true"`)},
		{name: "not parallel", own: loop(1, "_parallel", false), sub: tasks(1)},
		{
			name: "parallel limit", own: loop(1, "_parallel", param.Of("limit", "1")),
			sub: tasks(1, `"_parallel":{"limit":"1"}`),
		},
		{name: "parallel without tasks", own: loop(0, "_parallel", true), sub: `{"_parallel":true}`},
		{
			name: "parallel word", own: loop(1, "_parallel", "yes"),
			message: `Expected 'true' or 'false' for key '_parallel' but got "yes" (string) (config)`,
		},
		{name: "parallel number", own: loop(1, "_parallel", 3), message: "Invalid _parallel format: 3 (config)"},
		{
			name: "exports of _do", // O4: an i there is replaced, and keeps its place
			own:  param.Of("loop>", 1, "_do", param.Of("_export", param.Of("i", "x", "j", 5), "echo>", "${i}")),
			sub:  `{"+loop-0":{"_export":{"i":0,"j":5},"echo>":"${i}"}}`,
		},
		{
			name: "exports of _do are no object", own: loop(1, "_do", param.Of("_export", "x")),
			message: "Parameter '_export' must be an object (config)",
		},
		{name: "no retry", own: loop("x", "_retry", 2), message: notInt("_command", `"x"`, "string")}, // language X28
	})
}

// Operators never change a body, as all iterations and other tasks share it.
func TestLoopSharesBody(t *testing.T) {
	t.Parallel()
	export := param.Of("a", 1)
	do := param.Of("_export", export, "+x", body("x"))
	f := newFixture(t, param.Of("loop>", 2, "_do", do))
	outcome, err := f.Run()
	if err != nil {
		t.Fatal(err)
	}
	if got, want := param.JSON(do), `{"_export":{"a":1},"+x":{"echo>":"x"}}`; got != want {
		t.Errorf("_do = %s, want %s", got, want)
	}
	want := `{"+loop-0":{"_export":{"a":1,"i":0},"+x":{"echo>":"x"}},"+loop-1":{"_export":{"a":1,"i":1},"+x":{"echo>":"x"}}}`
	if got := param.JSON(outcome.Result.Subtasks); got != want {
		t.Errorf("subtasks = %s, want %s", got, want)
	}
}

// Operators 2.5, language O7 to O11; the cases foreach-*.
func TestForEach(t *testing.T) {
	t.Parallel()
	each := func(command any, more ...any) *param.Map {
		return param.Merged(param.Of("for_each>", command, "_do", param.New()), param.Of(more...))
	}
	list := func(values ...any) param.List {
		for i, v := range values {
			if n, ok := v.(int); ok {
				values[i] = int64(n)
			}
		}
		return values
	}
	long := make(param.List, 40)
	jackson := "com.fasterxml.jackson.core.JsonParseException: Unrecognized token "
	run(t, []generating{
		{
			name: "one list", own: each(param.Of("fruit", list("apple", "orange"))),
			sub: `{"+for-0=fruit=0=apple":{"_export":{"fruit":"apple"}},"+for-0=fruit=1=orange":{"_export":{"fruit":"orange"}}}`,
		},
		{
			name: "two lists", own: each(param.Of("a", list(1, 2), "b", list("x y"))),
			sub: `{"+for-0=a=0=1&1=b=0=x%20y":{"_export":{"a":1,"b":"x y"}},"+for-0=a=1=2&1=b=0=x%20y":{"_export":{"a":2,"b":"x y"}}}`,
		},
		{
			name: "the last varies fastest", own: each(param.Of("a", list(1, 2), "b", list(3, 4))),
			sub: `{"+for-0=a=0=1&1=b=0=3":{"_export":{"a":1,"b":3}},"+for-0=a=0=1&1=b=1=4":{"_export":{"a":1,"b":4}},` +
				`"+for-0=a=1=2&1=b=0=3":{"_export":{"a":2,"b":3}},"+for-0=a=1=2&1=b=1=4":{"_export":{"a":2,"b":4}}}`,
		},
		{
			name: "values keep their types", own: each(param.Of("some_long_key", list(2.5, nil, list("a", "b"), param.Of("k", "v")))),
			sub: `{"+for-0=some_lon=0=2.5":{"_export":{"some_long_key":2.5}},"+for-0=some_lon=1=null":{"_export":{"some_long_key":null}},` +
				`"+for-0=some_lon=2=%5B%22a%22%2C%22b%22":{"_export":{"some_long_key":["a","b"]}},` +
				`"+for-0=some_lon=3=%7B%22k%22%3A%22v%22":{"_export":{"some_long_key":{"k":"v"}}}}`,
		},
		{name: "map is JSON text", own: each(`{"a": [1]}`), sub: `{"+for-0=a=0=1":{"_export":{"a":1}}}`},
		{name: "list is JSON text", own: each(param.Of("a", `["x"]`)), sub: `{"+for-0=a=0=x":{"_export":{"a":"x"}}}`},
		{name: "empty list", own: each(param.Of("a", list()))},
		{name: "empty map", own: each(param.New())},
		{name: "last list empty", own: each(param.Of("a", list(1, 2), "b", list()))},
		{name: "first list empty", own: each(param.Of("a", list(), "b", list(1))), sub: `{"+for-1=b=0=1":{"_export":{"b":1}}}`},
		{
			name: "middle list empty", own: each(param.Of("a", list(1, 2), "b", list(), "c", list(3))),
			sub: `{"+for-2=c=0=3":{"_export":{"c":3}}}`,
		},
		{
			name: "two lists empty", own: each(param.Of("a", list(), "b", list(), "c", list(1), "d", list(2))),
			sub: `{"+for-2=c=0=1&3=d=0=2":{"_export":{"c":1,"d":2}}}`,
		},
		{name: "parallel without tasks", own: each(param.Of("a", list()), "_parallel", true), sub: `{"_parallel":true}`},
		{name: "scalar", own: each(param.Of("a", 5)), message: "Expected array type for key 'a' but got 5 (number) (config)"},
		{name: "null", own: each(param.Of("a", list(1), "b", nil)), message: "Parameter 'b' is required but null (config)"},
		{name: "list for a map", own: each(list("a", "b")), message: "Parameter '_command' must be an object (config)"},
		{name: "JSON text of a list", own: each("[1]"), message: "Parameter '_command' must be an object (config)"},
		{
			name: "JSON text of a map for a list", own: each(param.Of("a", "{}")),
			message: `Expected array type for key 'a' but got "{}" (string) (config)`,
		},
		{
			name: "no JSON", own: each("not json"),
			message: jackson + "'not': was expecting 'null', 'true', 'false' or NaN\n at [Source: (String)\"not json\"; line: 1, column: 4] (config)",
		},
		{
			name: "list is no JSON", own: each(param.Of("a", "${x}")),
			message: jackson + "'$': was expecting ('true', 'false' or 'null')\n at [Source: (String)\"${x}\"; line: 1, column: 2] (config)",
		},
		{
			name: "no JSON on another line", own: each("\n Grüße"),
			message: jackson + "'Grüße': was expecting ('true', 'false' or 'null')\n at [Source: (String)\"\n Grüße\"; line: 2, column: 7] (config)",
		},
		{
			name: "broken JSON", own: each(`{"a": `),
			message: "com.fasterxml.jackson.core.JsonParseException: unexpected EOF (config)",
		},
		{name: "over the limit", own: each(param.Of("a", long, "b", long)), message: "Too many for_each subtasks. Limit: 1000 (config)"},
		{
			name: "over the limit behind an empty list", own: each(param.Of("x", list(), "a", long, "b", long)),
			message: "Too many for_each subtasks. Limit: 1000 (config)",
		},
		{name: "bad parallel", own: each(param.Of("a", list(1)), "_parallel", 2), message: "Invalid _parallel format: 2 (config)"},
		{name: "no _do", own: param.Of("for_each>", param.New()), message: "Parameter '_do' is required but not set (config)"},
		{
			name: "exports of _do are replaced",
			own:  each(param.Of("a", list(1)), "_do", param.Of("_export", param.Of("a", param.Of("deep", 1), "b", 2))),
			sub:  `{"+for-0=a=0=1":{"_export":{"a":1,"b":2}}}`,
		},
	})
}

// Language O9; the cases foreach-name-encoding and foreach-special-characters.
func TestForEachNames(t *testing.T) {
	t.Parallel()
	for value, want := range map[string]string{
		"~": "%7E", "a b": "a%20b", "x/y": "x%2Fy", "+^&=": "%2B%5E%26%3D", "100%": "100%25", "-._": "-._",
		"(1)": "%281%29", "tab\tin": "tab%09in", `'"\`: "%27%22%5C", "!?": "%21%3F", "[<{}>]": "%5B%3C%7B%7D%3E%5D",
		"+ ": "%2B%20", "": "", "12345678": "12345678", "abcdefgh*": "abcdefgh",
		"abcdefg🌍": "abcdefg%3F", "abcdef🌍x": "abcdef%F0%9F%8C%8D", "é世🌍": "%C3%A9%E4%B8%96%F0%9F%8C%8D",
		"😀😀😀😀😀": "%F0%9F%98%80%F0%9F%98%80%F0%9F%98%80%F0%9F%98%80", "ééééééééé": "%C3%A9%C3%A9%C3%A9%C3%A9%C3%A9%C3%A9%C3%A9%C3%A9",
		"a*":             "a%2A", // Digdag leaves it, and then refuses the name
		"\uFFFD23456789": "%EF%BF%BD2345678",
	} {
		f := newFixture(t, param.Of("for_each>", param.Of("v", param.List{value}), "_do", param.New()))
		outcome, err := f.Run()
		if err != nil {
			t.Errorf("for_each of %q: %v", value, err)
			continue
		}
		if got, want := outcome.Result.Subtasks.Keys()[0], "+for-0=v=0="+want; got != want {
			t.Errorf("name of %q = %s, want %s", value, got, want)
		}
	}
}

// Operators 2.6, language O12, O13; the cases forrange-*.
func TestForRange(t *testing.T) {
	t.Parallel()
	ranges := func(options *param.Map, more ...any) *param.Map {
		return param.Merged(param.Of("for_range>", options, "_do", param.New()), param.Of(more...))
	}
	between := func(from, to any, more ...any) *param.Map {
		return param.Merged(param.Of("from", from, "to", to), param.Of(more...))
	}
	tasks := func(bounds ...int) string {
		var all []string
		for i := range len(bounds) - 1 {
			all = append(all, fmt.Sprintf(`"+range-from=%d&to=%d":{"_export":{"range":{"from":%[1]d,"to":%[2]d,"index":%[3]d}}}`, bounds[i], bounds[i+1], i))
		}
		return "{" + strings.Join(all, ",") + "}"
	}
	const low, high = -9223372036854775808, 9223372036854775807
	optionalLong := "[reference type, class com.google.common.base.Optional<java.lang.Long><[simple type, class java.lang.Long]>]"
	run(t, []generating{
		{name: "step", own: ranges(between(1, 8, "step", 3)), sub: tasks(1, 4, 7, 8)},
		{name: "slices", own: ranges(between(0, 10, "slices", 3)), sub: tasks(0, 4, 8, 10)},
		{name: "fewer slices", own: ranges(between(0, 4, "slices", 3)), sub: tasks(0, 2, 4)},
		{name: "more slices than numbers", own: ranges(between(0, 2, "slices", 5)), sub: tasks(0, 1, 2)},
		{name: "negative", own: ranges(between(-5, 1, "step", 4)), sub: tasks(-5, -1, 1)},
		{name: "empty", own: ranges(between(5, 5, "step", 1))},
		{name: "backwards", own: ranges(between(9, 1, "slices", 2))},
		{name: "fractions and texts", own: ranges(between(0.9, "3", "step", "2")), sub: tasks(0, 2, 3)},
		{name: "null step", own: ranges(between(0, 1, "step", nil, "slices", 1)), sub: tasks(0, 1)},
		{name: "JSON text", own: param.Of("for_range>", `{"from":0,"to":1,"step":1}`, "_do", param.New()), sub: tasks(0, 1)},
		{name: "widest", own: ranges(between(low, high, "slices", 2)), sub: tasks(low, 0, high)},
		{name: "widest step", own: ranges(between(low, high, "step", high)), sub: tasks(low, -1, high-1, high)},
		{name: "both", own: ranges(between(0, 4, "step", 1, "slices", 2)), message: "Setting both step and slices options to for_range is invalid (config)"},
		{name: "neither", own: ranges(between(0, 4)), message: "step or slices option is required for for_range (config)"},
		{name: "zero step", own: ranges(between(0, 4, "step", 0)), message: "step option must be same or greater than 1 but got 0 (config)"},
		{name: "negative slices", own: ranges(between(0, 4, "slices", -1)), message: "slices option must be same or greater than 1 but got -1 (config)"},
		{name: "no to", own: ranges(param.Of("from", 0, "step", 1)), message: "Parameter 'to' is required but not set (config)"},
		{
			name: "dates", own: ranges(between("2024-01-01", "2024-01-03", "step", 1)),
			message: `Expected integer (long) type for key 'from' but got "2024-01-01" (string) (config)`,
		},
		{
			name: "step is a word", own: ranges(between(0, 1, "step", "x")),
			message: "Expected " + optionalLong + ` for key 'step' but got "x" (string) (config)`,
		},
		{name: "limit", own: ranges(between(0, 2000, "step", 1)), message: "Too many for_range subtasks (2000). Limit: 1000 (config)"},
		{
			name: "limit of the widest", own: ranges(between(low, high, "step", 1)),
			message: "Too many for_range subtasks (18446744073709551615). Limit: 1000 (config)",
		},
		{
			name: "range of _do is replaced as a whole",
			own:  ranges(between(0, 1, "step", 1), "_do", param.Of("_export", param.Of("range", param.Of("x", 1), "y", 2))),
			sub:  `{"+range-from=0&to=1":{"_export":{"range":{"from":0,"to":1,"index":0},"y":2}}}`,
		},
		{name: "parallel", own: ranges(between(5, 5, "step", 1), "_parallel", true), sub: `{"_parallel":true}`},
	})
}

// 100,000 iterations take well under a second.
func BenchmarkLoop(b *testing.B) {
	for _, c := range []struct {
		name string
		own  *param.Map
	}{
		{"loop", param.Of("loop>", 100000)},
		{"for_range", param.Of("for_range>", param.Of("from", 0, "to", 100000, "step", 1))},
		{"for_each", param.Of("for_each>", param.Of("a", make(param.List, 100), "b", make(param.List, 1000)))},
	} {
		b.Run(c.name, func(b *testing.B) {
			own := param.Merged(c.own, param.Of("_do", param.Of("+a", body("${i}"), "+b", body("x"))))
			f := newFixture(b, own)
			f.Request.TaskLimit = 1 << 20
			b.ReportAllocs()
			for b.Loop() {
				if _, err := f.Run(); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
