package cli

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/trowel-project/trowel/internal/cli/cmd"
	"github.com/trowel-project/trowel/internal/config"
)

// TestConfig checks the order of sources (server 1.5). Each source sets a key of its
// own and the key "all", which shows the strongest source.
func TestConfig(t *testing.T) {
	t.Parallel()
	const (
		digdag = "../home/.config/digdag/config"
		trowel = "../home/.config/trowel/config"
	)
	cases := []struct {
		name    string
		files   []string
		environ []string
		args    string
		want    string // the sources that are used, the strongest last
	}{
		{"nothing", nil, nil, "version", ""},
		{"Digdag's file", []string{digdag}, nil, "version", digdag},
		{"Trowel's file", []string{trowel}, nil, "version", trowel},
		{"Trowel's file instead of Digdag's", []string{digdag, trowel}, nil, "version", trowel},
		{"XDG_CONFIG_HOME", []string{digdag, "xdg/digdag/config"}, []string{"XDG_CONFIG_HOME={dir}/xdg"}, "version", "xdg/digdag/config"},
		{"XDG_CONFIG_HOME for Trowel", []string{trowel, "xdg/trowel/config"}, []string{"XDG_CONFIG_HOME={dir}/xdg"}, "version", "xdg/trowel/config"},
		{"an empty XDG_CONFIG_HOME", []string{digdag}, []string{"XDG_CONFIG_HOME="}, "version", digdag},
		{"DIGDAG_CONFIG_HOME", []string{digdag, "dd/config"}, []string{"DIGDAG_CONFIG_HOME={dir}/dd"}, "version", "dd/config"},
		{"TROWEL_CONFIG", []string{digdag, trowel, "my"}, []string{"TROWEL_CONFIG=my"}, "version", "my"},
		{"DIGDAG_CONFIG over the file", []string{digdag}, []string{"DIGDAG_CONFIG=env=1\nall=env"}, "version", digdag + " env"},
		{"-X over DIGDAG_CONFIG", []string{digdag}, []string{"DIGDAG_CONFIG=env=1\nall=env"}, "version -Xx=1 -X all=x", digdag + " env x"},
		{
			"--config over all, and no default file",
			[]string{digdag, trowel, "my"},
			[]string{"DIGDAG_CONFIG=env=1\nall=env"},
			"version -Xx=1 -X all=x --config my", "env x my",
		},
		{"--config instead of TROWEL_CONFIG", []string{"my", "other"}, []string{"TROWEL_CONFIG=other"}, "version -c my", "my"},
		{"--config before the command", []string{digdag, "my"}, nil, "-c my version", "my"},
		{"--config on both sides", []string{"my", "other"}, nil, "-c my version -c other", "other"},
	}
	for _, tc := range cases {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			c := newConsole(t)
			for _, file := range tc.files {
				c.Write(file, fmt.Sprintf("%s=1\nall=%s\n", file, file))
			}
			for _, variable := range tc.environ {
				c.Environ = append(c.Environ, strings.ReplaceAll(variable, "{dir}", c.Dir))
			}
			got, err := c.Call(strings.Fields(tc.args)...).Config()
			if err != nil {
				t.Fatalf("config of %q: %v", tc.args, err)
			}
			want := map[string]string{}
			for source := range strings.FieldsSeq(tc.want) {
				want[source], want["all"] = "1", source
			}
			if diff := cmp.Diff(want, maps.Collect(got.All())); diff != "" {
				t.Errorf("config of %q (-want +got):\n%s", tc.args, diff)
			}
		})
	}
}

// TestConfigComplaints: a file that is named must exist (server 1.1) and be valid.
func TestConfigComplaints(t *testing.T) {
	t.Parallel()
	c := newConsole(t)
	c.Write("bad", "a=\\u00\n")
	cases := []struct {
		name, args, environ, want string
		missing                   bool
	}{
		{"no file of --config", "version -c none.properties", "", "none.properties (no such file)", true},
		{"no file of TROWEL_CONFIG", "version", "TROWEL_CONFIG=none", "none (no such file)", true},
		{"a folder", "version -c .", "", "read .: is a directory", false},
		{"a bad file", "version -c bad", "", "read settings in bad: properties: Line 1: invalid unicode literal", false},
		{"a bad DIGDAG_CONFIG", "version", `DIGDAG_CONFIG=a=\u00`, "read settings in DIGDAG_CONFIG: properties: Line 1: invalid unicode literal", false},
	}
	for _, tc := range cases {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			mine := *c
			mine.Environ = append([]string{tc.environ}, c.Environ...)
			_, err := mine.Call(strings.Fields(tc.args)...).Config()
			if err == nil || err.Error() != tc.want || errors.Is(err, fs.ErrNotExist) != tc.missing {
				t.Errorf("config of %q: error = %v, want %s", tc.args, err, tc.want)
			}
		})
	}
}

func TestConfigPrefix(t *testing.T) {
	t.Parallel()
	config := configOf(map[string]string{"params.b": "2", "params.a.c": "1", "param": "no", "secrets.x": "no"})
	var got []string
	for key, value := range config.Prefix("params.") {
		got = append(got, key+"="+value)
	}
	if diff := cmp.Diff([]string{"a.c=1", "b=2"}, got); diff != "" {
		t.Errorf("Prefix(params.) (-want +got):\n%s", diff)
	}
	if value, found := config.Get("params.b"); value != "2" || !found {
		t.Errorf("Get(params.b) = %q, %v, want 2, true", value, found)
	}
}

// TestLookup: if a variable occurs more than once, its last value is used, as in os/exec.
func TestLookup(t *testing.T) {
	t.Parallel()
	env := cmd.Env{Environ: []string{"A=1", "B=2=3", "A=4", "C="}}
	for name, want := range map[string]string{"A": "4", "B": "2=3", "C": "", "D": ""} {
		got, set := env.Lookup(name)
		if got != want || set != (name != "D") {
			t.Errorf("Lookup(%s) = %q, %v, want %q", name, got, set, want)
		}
	}
}

// Every setting has the place where it was set.
func TestConfigSettings(t *testing.T) {
	t.Parallel()
	c := newConsole(t)
	c.Write("my", "file=1\nall=my\n")
	c.Environ = append(c.Environ, "DIGDAG_CONFIG=env=1\nall=env")
	got, err := c.Call(strings.Fields("version -Xx=1 -X all=x --config my")...).Config()
	if err != nil {
		t.Fatal(err)
	}
	want := config.Settings{
		"file": {Value: "1", From: "my"}, "all": {Value: "my", From: "my"},
		"env": {Value: "1", From: "DIGDAG_CONFIG"}, "x": {Value: "1", From: "-X"},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("settings (-want +got):\n%s", diff)
	}
}

// configOf returns settings without a place.
func configOf(values map[string]string) config.Settings {
	settings := config.Settings{}
	cmd.Add(settings, values, "")
	return settings
}
