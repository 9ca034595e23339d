package cmd

import (
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// testOptions have one option of each kind, with more than one spelling.
var testOptions = []Option{
	FlagOption("", "-a", "--rerun", "--all"),
	FlagOption("", "-dE"),
	TextOption("S", "the session", "-t", "--session-time", "--session").Or("last"),
	IntOption("N", "", "-n", "--max").Or("7"),
	pairsOption("a parameter", "-p", "--param"),
	{Names: []string{"-X"}, Takes: takesProperty, Value: "KEY=VALUE", Help: "a setting"},
	ListOption("ITEM", "", "--set"),
	FlagOption("", "-help", "--help"),
	TextOption("U", "", "--basic-auth").Checked(userAndPassword),
}

// TestParse checks the rules of server 1.3, one in each case. Values are keyed by the first spelling.
func TestParse(t *testing.T) {
	t.Parallel()
	cases := []struct {
		name       string
		args       []string
		positional []string
		values     map[string][]string
	}{
		{"nothing", nil, nil, map[string][]string{}},
		{
			"options and arguments mixed",
			[]string{"x", "-a", "y", "--session", "daily", "z"},
			[]string{"x", "y", "z"},
			map[string][]string{"-a": {""}, "-t": {"daily"}},
		},
		{"a value looks like an option", []string{"-t", "-a"}, nil, map[string][]string{"-t": {"-a"}}},
		{"an empty value", []string{"-t", ""}, nil, map[string][]string{"-t": {""}}},
		{"an empty argument is dropped", []string{"", "x", "  "}, []string{"x"}, map[string][]string{}},
		{
			"blanks and quotes are taken off",
			[]string{" x ", `"y z"`, ` "-a" `, "-t", ` " daily " `},
			[]string{"x", "y z"},
			map[string][]string{"-a": {""}, "-t": {" daily "}},
		},
		{"quotes inside stay", []string{`p="x"`, `"`, `""x""`}, []string{`p="x"`, `"`, `"x"`}, map[string][]string{}},
		{"two hyphens end the options", []string{"-a", "--", "-t", "--"}, []string{"-t", "--"}, map[string][]string{"-a": {""}}},
		{"long option with a glued value", []string{"--session=daily", "--max=3"}, nil, map[string][]string{"-t": {"daily"}, "-n": {"3"}}},
		{"only the first = ends the option", []string{"--param=a=b=c"}, nil, map[string][]string{"-p": {"a=b=c"}}},
		{"a glued value may be quoted", []string{`--session="a b"`}, nil, map[string][]string{"-t": {"a b"}}},
		{"pairs in several options", []string{"-p", "a=1", "--param", "b=2"}, nil, map[string][]string{"-p": {"a=1", "b=2"}}},
		{"pairs are split at commas", []string{"-p", "a=1,2,b=3"}, nil, map[string][]string{"-p": {"a=1,2", "b=3"}}},
		{"empty parts", []string{"-p", "a=1,,2,,"}, nil, map[string][]string{"-p": {"a=1,,2"}}},
		{"a part goes on with the option before", []string{"-p", "a=1", "-p", "2,b=3"}, nil, map[string][]string{"-p": {"a=1,2", "b=3"}}},
		{"an empty value of a pair", []string{"-p", "a="}, nil, map[string][]string{"-p": {"a="}}},
		{"properties glued and apart", []string{"-Xa.b=1", "-X", "c=d=e"}, nil, map[string][]string{"-X": {"a.b=1", "c=d=e"}}},
		{"properties are not split", []string{"-X", "a=1,b=2"}, nil, map[string][]string{"-X": {"a=1,b=2"}}},
		{
			"a list goes up to the next option",
			[]string{"--set", "a=1", "b", "-a", "x", "--set", "c"},
			[]string{"x"},
			map[string][]string{"--set": {"a=1", "b", "c"}, "-a": {""}},
		},
		{"a list without values", []string{"--set", "-a"}, nil, map[string][]string{"-a": {""}}},
		{"values of a list are not split", []string{"--set", "a=1,2"}, nil, map[string][]string{"--set": {"a=1,2"}}},
		{"negative integers", []string{"-n", "-3"}, nil, map[string][]string{"-n": {"-3"}}},
		{"-dE is a spelling of its own", []string{"-dE"}, nil, map[string][]string{"-dE": {""}}},
		{"a file name after @ is not read", []string{"@x"}, []string{"@x"}, map[string][]string{}},
	}
	for _, tc := range cases {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			got, err := parse(testOptions, tc.args)
			if err != nil {
				t.Fatalf("parse(%q): %v", tc.args, err)
			}
			if diff := cmp.Diff(tc.positional, got.Positional); diff != "" {
				t.Errorf("parse(%q): positional (-want +got):\n%s", tc.args, diff)
			}
			if diff := cmp.Diff(tc.values, got.values); diff != "" {
				t.Errorf("parse(%q): values (-want +got):\n%s", tc.args, diff)
			}
		})
	}
}

// TestParseComplaints checks the texts of server 1.3, and the hint after each.
func TestParseComplaints(t *testing.T) {
	t.Parallel()
	cases := []struct {
		args       []string
		text, hint string
	}{
		{[]string{"-b"}, "Unknown option: -b", ""},
		{[]string{"-"}, "Unknown option: -", ""},
		{[]string{"--sess", "daily"}, "Unknown option: --sess", `did you mean "--session"?`},
		{[]string{"--prama", "a=1"}, "Unknown option: --prama", `did you mean "--param"?`},
		{[]string{"-session", "daily"}, "Unknown option: -session", `did you mean "--session"?`},
		{[]string{"-pa=1"}, "Unknown option: -pa=1", `did you mean "-p a=1"?`},
		{[]string{"-n5"}, "Unknown option: -n5", `did you mean "-n 5"?`},
		{[]string{"--rerun=true"}, "Unknown option: --rerun=true", `did you mean "--rerun"?`},
		{[]string{"--zzzzzz"}, "Unknown option: --zzzzzz", ""},
		{[]string{"-a", "-a"}, "Can only specify option -a once.", ""},
		{[]string{"--all", "--rerun"}, "Can only specify option -a once.", ""},
		{[]string{"--session", "a", "--session-time", "b"}, "Can only specify option -t once.", ""},
		{[]string{"--session=a", "--session=b"}, "Can only specify option -t once.", ""},
		{[]string{"--session"}, "Expected a value after parameter --session", "-t, --session-time, --session S: the session"},
		{[]string{"--set"}, "Expected a value after parameter --set", "--set ITEM...: "},
		{[]string{"-p"}, "Expected a value after parameter -p", "-p, --param KEY=VALUE: a parameter"},
		{[]string{"-X"}, "Expected a value after parameter -X", "-X KEY=VALUE: a setting"},
		{[]string{"--max", "many"}, `"--max": couldn't convert "many" to an integer`, ""},
		{[]string{"-n", "2147483648"}, `"-n": couldn't convert "2147483648" to an integer`, ""},
		{[]string{"-n", "1_0"}, `"-n": couldn't convert "1_0" to an integer`, ""},
		{[]string{"--max=1.5"}, `"--max": couldn't convert "1.5" to an integer`, ""},
		{[]string{"-p", "p"}, "Parameter -p expected a value of the form a=b but got:p", "-p, --param KEY=VALUE: a parameter"},
		{[]string{"-p", "1,a=2"}, "Parameter -p expected a value of the form a=b but got:1,a=2", "-p, --param KEY=VALUE: a parameter"},
		{[]string{"-Xab"}, "Dynamic parameter expected a value of the form a=b but got:ab", "-X KEY=VALUE: a setting"},
		{[]string{"-X", "=b"}, "Dynamic parameter expected a value of the form a=b but got:=b", "-X KEY=VALUE: a setting"},
		{[]string{"--basic-auth", "ab"}, "Expected format: username:password", ""}, // server 1.7.1
		{[]string{"--basic-auth", ":b"}, "Expected format: username:password", ""},
	}
	for _, tc := range cases {
		t.Run(tc.text, func(t *testing.T) {
			t.Parallel()
			_, err := parse(testOptions, tc.args)
			got, ok := errors.AsType[*ComplaintError](err)
			if !ok {
				t.Fatalf("parse(%q): error = %v, want a complaint", tc.args, err)
			}
			if got.Text != tc.text || got.Hint != tc.hint || got.usage != nil {
				t.Errorf("parse(%q): complaint = %q, %q, want %q, %q and no usage", tc.args, got.Text, got.Hint, tc.text, tc.hint)
			}
		})
	}
}

func TestArguments(t *testing.T) {
	t.Parallel()
	a, err := parse(testOptions, []string{"--all", "-p", "a=b=c", "-p", "d=", "-n", "3"})
	if err != nil {
		t.Fatal(err)
	}
	if !a.Given("--rerun") || a.Given("--help") {
		t.Errorf("given(--rerun), given(--help) = %v, %v, want true, false", a.Given("--rerun"), a.Given("--help"))
	}
	if got := a.Text("--session"); got != "last" {
		t.Errorf("text(--session) = %q, want its standard value last", got)
	}
	if got := a.Number("--max"); got != 3 {
		t.Errorf("number(--max) = %d, want 3", got)
	}
	want := []Pair{{"a", "b=c"}, {"d", ""}}
	if diff := cmp.Diff(want, a.Pairs("--param"), cmp.AllowUnexported(Pair{})); diff != "" {
		t.Errorf("pairs(--param) (-want +got):\n%s", diff)
	}
	none, err := parse(testOptions, nil)
	if err != nil {
		t.Fatal(err)
	}
	if got := none.Number("-n"); got != 7 {
		t.Errorf("number(-n) = %d, want its standard value 7", got)
	}
}
