package template_test

import (
	"context"
	"errors"
	"math/big"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/trowel-project/trowel/internal/param"
	"github.com/trowel-project/trowel/internal/template"
)

// parse reads parameters written as JSON.
func parse(t *testing.T, text string) *param.Map {
	t.Helper()
	m, err := param.ParseMap(text)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// zone loads a time zone.
func zone(t *testing.T, name string) *time.Location {
	t.Helper()
	location, err := time.LoadLocation(name)
	if err != nil {
		t.Fatal(err)
	}
	return location
}

// textCase is a text and its expected result. err is JavaScript's message, or its beginning if
// it ends with an ellipsis.
type textCase struct {
	text, want, err string
}

func checkTexts(t *testing.T, params *param.Map, zone *time.Location, options template.Options, cases []textCase) {
	t.Helper()
	e := template.New(options)
	for _, c := range cases {
		t.Run(c.text, func(t *testing.T) {
			t.Parallel()
			got, err := e.Text(t.Context(), c.text, params, zone)
			if c.err != "" {
				checkError(t, c, err)
				return
			}
			if err != nil || got != c.want {
				t.Errorf("Text(%s) = %q, %v, want %q", c.text, got, err, c.want)
			}
		})
	}
}

func checkError(t *testing.T, c textCase, err error) {
	t.Helper()
	want, prefix := strings.CutSuffix("Failed to evaluate a variable "+c.text+" ("+c.err, "...")
	got := ""
	if err != nil {
		got = err.Error()
	}
	if prefix && !strings.HasPrefix(got, want) || !prefix && got != want+")" {
		t.Errorf("Text(%s): error = %q, want %q", c.text, got, want)
	}
	if _, ok := errors.AsType[*param.Error](err); !ok {
		t.Errorf("Text(%s): error is a %T, want a *param.Error", c.text, err)
	}
}

// TestVectors checks language 10.3.
func TestVectors(t *testing.T) {
	t.Parallel()
	params := parse(t, `{"a": 1, "b": "x", "o": {"k": [1, 2]}, "n": null, "x-y": 5, "t": "${a}",
		"session_time": "2016-01-30T00:00:00-08:00"}`)
	checkTexts(t, params, time.UTC, template.Options{}, []textCase{
		{text: "$", want: "$"},
		{text: "$$", want: "$"},
		{text: "$$$", want: "$$"},
		{text: "$$$$", want: "$$"},
		{text: "$${a}", want: "$1"},
		{text: "$$${a}", want: "$1"},
		{text: "${a}${b}", want: "1x"},
		{text: "${}", want: ""},
		{text: "${", want: "${"},
		{text: "${a", want: "${a"},
		{text: "p${v q", want: "p${v q"},
		{text: "${a}}", want: "1}"},
		{text: "{${a}}", want: "{1}"},
		{text: "${'$'}{a}", want: "${a}"},
		{text: "${secret:k} ${a}", want: "${secret:k} 1"},
		{text: "${secret:${a}}", want: "${secret:1}"},
		{text: "${o}", want: `{"k":[1,2]}`},
		{text: "${o.k}", want: "[1,2]"},
		{text: "${o.z}", want: ""},
		{text: "${o.z.y}", err: "TypeError: Cannot read property 'y' of undefined"},
		{text: "${nope}", err: "ReferenceError: nope is not defined"},
		{text: "${typeof nope}", want: "undefined"},
		{text: "${n}", want: ""},
		{text: `${this["x-y"]}`, want: "5"},
		{text: "${t}", want: "${a}"},
		{text: "${a+1}", want: "2"},
		{text: `${"1"+1}`, want: "11"},
		{text: "${0/0}", want: "null"},
		{text: "${[1,2].map(function(x){return x*2})}", want: "[2,4]"},
		{text: `${{"k":1}.k}`, want: "1"},
		{text: `${"}"}`, err: "SyntaxError: ..."},
		{text: `${"{"}`, want: `${"{"}`},
		{text: "${moment(session_time)}", want: `"2016-01-30T08:00:00.000Z"`},
		{text: `${moment(session_time).format("YYYYMMDD")}`, want: "20160130"},
		{text: `\${a}`, want: `\1`},
		{text: "x${ $$ y ${a}", want: "x${ $ y ${a}"},
		{text: "${a /* note */}", want: "1"},
		{text: "${a // note}", err: "SyntaxError: ..."},
		{text: "${'aaa'.replaceAll('a', 'A')}", want: "AAA"},
	})
}

// TestErrors checks the texts of T27, for plain references and for interpreted expressions.
func TestErrors(t *testing.T) {
	t.Parallel()
	params := parse(t, `{"o": {"z2": null}, "n": null, "s": "abc"}`)
	checkTexts(t, params, time.UTC, template.Options{}, []textCase{
		{text: "${nope.x}", err: "ReferenceError: nope is not defined"},
		{text: "before ${nope} after", err: "ReferenceError: nope is not defined"},
		{text: "${o.z.y + 1}", err: "TypeError: Cannot read property 'y' of undefined"},
		{text: "${null.x}", err: "TypeError: Cannot read property 'x' of null"},
		{text: "${n.x}", err: "TypeError: Cannot read property 'x' of null"},
		{text: "${n.x + 1}", err: "TypeError: Cannot read property 'x' of null"},
		{text: "${o.z2.x + 1}", err: "TypeError: Cannot read property 'x' of null"},
		{text: "${n['x'] + 1}", err: "TypeError: Cannot read property 'x' of null"},
		{text: "${n.x()}", err: "TypeError: Cannot read property 'x' of null"},
		{text: "${o.z.x()}", err: "TypeError: Cannot read property 'x' of undefined"},
		{text: "${n.length()}", err: "TypeError: Cannot read property 'length' of null"},
		{text: "${s.foo()}", err: "TypeError: (intermediate value).foo is not a function"},
		{text: "${[1].length()}", err: "TypeError: (intermediate value).length is not a function"},
		{text: "${s()}", err: "TypeError: abc is not a function"},
		{text: "${(function(){ throw new Error('boom') })()}", err: "Error: boom"},
		{text: "${(function(){ throw 'boom' })()}", err: "boom"},
		{text: "${(function(){ throw {toString: function() { throw 1 }} })()}", err: "an object without text"},
		{text: "${(function f(){ f() })()}", err: "RangeError: Maximum call stack size exceeded"},
		{text: "${a b}", err: "SyntaxError: <expression>:1:5 Unexpected identifier\n${a b}\n    ^"},
		{text: "${s +\n b c}", err: "SyntaxError: <expression>:2:4 Unexpected identifier\n b c}\n   ^"},
		{text: "${nope} ${a b}", err: "SyntaxError: ..."}, // the whole text is compiled first
		{text: "${ }", err: "SyntaxError: ..."},           // T12
		{text: "${a;}", err: "SyntaxError: ..."},          // T16
		{text: "${var x = 1}", err: "SyntaxError: ..."},
		{text: "${s) + (s}", err: "SyntaxError: ..."},
		{text: "${'{'} + ${ + '}' }", err: "SyntaxError: ..."},
		{text: "${FOO:-x}", err: "SyntaxError: ..."}, // T30
	})
}

// TestText checks further rules of language 5.
func TestText(t *testing.T) {
	t.Parallel()
	params := parse(t, `{"a": 1, "f": 1.0, "big": 12345678901234567890, "exact": 9007199254740993, "small": 1e-7, "large": 1e21,
		"minus": -0.0, "flag": true, "s": "é😀", "list": [1, "two", {"b": 1, "10": 2, "9": 3}], "quote": "a\"b\u0001\n",
		"moment": "hidden", "class": 5, "undefined": 6, "toString": "own", "nested": {"__proto__": 1, "length": 2}}`)
	checkTexts(t, params, time.UTC, template.Options{}, []textCase{
		{text: "no dollar ${", want: "no dollar ${"},
		{text: "$${", want: "${"},                        // no expression, so the dollars are a pair
		{text: "$${x", want: "$${x"},                     // the dollars are on both sides of an open expression
		{text: "${a:1} ${ab:c}", want: "${a:1} ${ab:c}"}, // T11
		{text: "${A:1}", err: "SyntaxError: ..."},
		{text: "${f} ${f + 0}", want: "1 1"}, // T18
		{text: "${big} ${exact} ${[big]}", want: "12345678901234567000 9007199254740992 [12345678901234567000]"},
		{text: "${small} ${large} ${minus} ${list[9]}", want: "1e-7 1e+21 0 "},
		{text: "${flag} ${list}", want: `true [1,"two",{"9":3,"10":2,"b":1}]`}, // T17
		{text: "${list[2]} ${list[2]['b']}", want: `{"9":3,"10":2,"b":1} 1`},
		{text: "${quote} ${[quote]}", want: "a\"b\u0001\n [\"a\\\"b\\u0001\\n\"]"},
		{text: "${s.length} ${s.length()} ${list.length}", want: "3 3 3"}, // T20
		{text: "${moment} ${moment + 1}", want: "hidden hidden1"},         // T21
		{text: "${this.class} ${this['class'] + 1}", want: "5 6"},
		{text: "${class}", err: "SyntaxError: ..."},
		{text: "${undefined} ${undefined + 1}", want: "6 7"}, // a parameter hides a global
		{text: "${toString} ${nested.__proto__} ${nested.length}", want: "own 1 2"},
		{text: "${nested.hasOwnProperty('length')} ${typeof nested.constructor}", want: "true function"},
		{text: "${x = 5} ${x} ${a = 2} ${a}", want: "5 5 2 2"}, // T23
		{text: "${nested.q = 1, nested} ${nested}", want: `{"__proto__":1,"length":2,"q":1} {"__proto__":1,"length":2,"q":1}`},
		{text: "${print('x')}${typeof m}${typeof all}${typeof match}", want: "undefinedundefinedundefined"}, // T24, T25
		{text: "${function() {}}", want: "undefined"},                                                       // T17
		{text: "${(1, 2)}${a ? 'y' : 'n'}${/* x */ 3}", want: "2y3"},                                        // T16
		{text: "${a // note\n}${\n a \n}", want: "11"},
		{text: "${ a }", want: "1"},
	})
	if a, _ := params.Get("a"); a != int64(1) {
		t.Errorf("a = %v after its change in an expression, want 1", a) // T23
	}
	if nested, _ := params.Get("nested"); param.JSON(nested) != `{"__proto__":1,"length":2}` {
		t.Errorf("nested = %s after its change in an expression", param.JSON(nested))
	}
}

// TestPlainSyntax checks T13.
func TestPlainSyntax(t *testing.T) {
	t.Parallel()
	checkTexts(t, parse(t, `{"a": 1}`), time.UTC, template.Options{PlainSyntax: true}, []textCase{
		{text: "${a} ${a + 1} $$ ${secret:x}", want: "1 2 $ ${secret:x}"},
		{text: "${}", want: "${}"},
		{text: "${} ${a}", err: "SyntaxError: ..."}, // up to the first brace that is not at once
		{text: "${{}.x}", err: "SyntaxError: ..."},
		{text: "x${ $$ ${a", want: "x${ $ ${a"},
		{text: "${a", want: "${a"},
	})
}

// TestNumbers checks values that JSON texts cannot have.
func TestNumbers(t *testing.T) {
	t.Parallel()
	huge := new(big.Int).Exp(big.NewInt(10), big.NewInt(400), nil)
	inf, _ := param.Number("1e999")
	params := param.Of("huge", huge, "inf", inf, "bad", "a\xffb")
	checkTexts(t, params, time.UTC, template.Options{}, []textCase{
		{text: "${huge} ${[huge]} ${huge > 1}", want: "null [null] true"},
		{text: "${inf} ${typeof inf} ${[inf]}", want: `Infinity string ["Infinity"]`},
		{text: "${bad} ${bad + ''} ${[bad]}", want: "a\ufffdb a\ufffdb [\"a\ufffdb\"]"},
	})
}

// TestConfig checks the vectors for whole configurations in language 10.3, and T2, T3, T8 to T10.
func TestConfig(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, params, own, want, err string }{
		{name: "own keys in order", params: `{}`, own: `{"m1": "hi", "e": "${m1}"}`, want: `{"m1":"hi","e":"hi"}`},
		{name: "own key below", params: `{}`, own: `{"e": "${m1}", "m1": "hi"}`, err: "ReferenceError: m1 is not defined"},
		{
			name: "exports see what is above", params: `{"b": "${a}", "a": "${d}", "d": "2020"}`, own: `{"e": "${a}/${b}"}`,
			want: `{"b":"${d}","a":"2020","d":"2020","e":"2020/${d}"}`,
		},
		{
			name: "another order", params: `{"a": "${d}", "d": "2020", "b": "${a}"}`, own: `{"e": "${a}/${b}"}`,
			want: `{"a":"2020","d":"2020","b":"2020","e":"2020/2020"}`,
		},
		{name: "own name", params: `{"a": 1}`, own: `{"a": "${a+1}"}`, want: `{"a":"2"}`},
		{
			name: "nested object", params: `{"d": "2020", "a": "P"}`, own: `{"a": "${d}", "n": {"x": "${a}", "y": "${x}"}}`,
			want: `{"d":"2020","a":"2020","n":{"x":"P","y":"P"}}`,
		},
		{
			name: "outer own key", params: `{"d": "2020"}`, own: `{"a": "${d}", "n": {"x": "${a}"}}`,
			err: "ReferenceError: a is not defined",
		},
		{name: "export of its own name", params: `{"a": "z${a}"}`, own: `{"e": "${a}"}`, want: `{"a":"zz${a}","e":"zz${a}"}`},
		{name: "place of a replaced parameter", params: `{"a": 1, "b": "${a}"}`, own: `{"c": "${b}", "a": "x"}`, want: `{"a":"x","b":"x","c":"x"}`},
		{
			name: "objects merge", params: `{"o": {"x": 1, "y": "${q}"}, "q": "Q"}`, own: `{"o": {"y": "own ${q}", "z": "${y}"}}`,
			want: `{"o":{"x":1,"y":"own Q","z":"own Q"},"q":"Q"}`,
		},
		{name: "object once evaluated", params: `{"d": 1}`, own: `{"o": {"k": "${d}"}, "e": "${o.k}"}`, want: `{"d":1,"o":{"k":"1"},"e":"1"}`},
		{
			name: "lists", params: `{}`, own: `{"one": 1, "l": ["${one}", ["${one}"], 2, null, true], "e": "${l}"}`,
			want: `{"one":1,"l":["1",["1"],2,null,true],"e":"[\"1\",[\"1\"],2,null,true]"}`,
		},
		{name: "object in a list", params: `{}`, own: `{"one": 1, "l": [{"two": "${one}"}]}`, err: "ReferenceError: one is not defined"},
		{
			name: "bodies and keys are left", params: `{"_do": {"a": "${nope}"}, "${k}": 1}`,
			own:  `{"_do": {"b": "${nope}"}, "n": {"_else_do": "${nope}", "x": "${this['_else_do']}"}}`,
			want: `{"_do":{"a":"${nope}","b":"${nope}"},"${k}":1,"n":{"_else_do":"${nope}","x":"${nope}"}}`,
		},
		{name: "types stay", params: `{"i": 1, "f": 1.0, "b": true, "n": null}`, own: `{"e": "${1 + 1}"}`, want: `{"i":1,"f":1.0,"b":true,"n":null,"e":"2"}`}, // T5
		{name: "broken and unused", params: `{"x": "${nope}"}`, own: `{"e": "y"}`, err: "ReferenceError: nope is not defined"},                                // T6
		{
			name: "guarded", params: `{"x": "${typeof i == 'undefined' ? '' : i}"}`, own: `{"i": 3}`,
			want: `{"x":"","i":3}`, // T7
		},
		{name: "built-in replaced", params: `{"session_date": "2024-01-15"}`, own: `{"before": "${session_date}", "session_date": "mine"}`, want: `{"session_date":"mine","before":"mine"}`},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			params, own := parse(t, c.params), parse(t, c.own)
			got, err := template.New(template.Options{}).Config(t.Context(), params, own, nil)
			switch {
			case c.err != "" && (err == nil || !strings.HasSuffix(err.Error(), " ("+c.err+")")):
				t.Errorf("Config: error = %v, want %s", err, c.err)
			case c.err == "" && err != nil:
				t.Errorf("Config: %v", err)
			case c.err == "":
				if diff := cmp.Diff(c.want, param.JSON(got)); diff != "" {
					t.Errorf("Config differs (-want +got):\n%s", diff)
				}
			}
			if diff := cmp.Diff(parse(t, c.params), params); diff != "" {
				t.Errorf("Config changed the parameters:\n%s", diff)
			}
			if diff := cmp.Diff(parse(t, c.own), own); diff != "" {
				t.Errorf("Config changed the own keys:\n%s", diff)
			}
		})
	}
}

// TestEmptyConfig has nothing to evaluate.
func TestEmptyConfig(t *testing.T) {
	t.Parallel()
	got, err := template.New(template.Options{}).Config(t.Context(), nil, nil, nil)
	if err != nil || got.Len() != 0 {
		t.Errorf("Config(nothing) = %s, %v, want {}", param.JSON(got), err)
	}
}

// TestContext checks that evaluations end with the cause of the context.
func TestContext(t *testing.T) {
	t.Parallel()
	cause := errors.New("stopped")
	ctx, cancel := context.WithCancelCause(t.Context())
	e := template.New(template.Options{})
	time.AfterFunc(50*time.Millisecond, func() { cancel(cause) })
	_, err := e.Text(ctx, "${(function() { for (;;); })()}", nil, nil)
	if _, config := errors.AsType[*param.Error](err); !errors.Is(err, cause) || config {
		t.Errorf("Text in a context that ends: error = %v, want %v", err, cause)
	}
	if _, err := e.Text(ctx, "${1 + 1}", nil, nil); !errors.Is(err, cause) {
		t.Errorf("Text in a context that has ended: error = %v, want %v", err, cause)
	}
}
