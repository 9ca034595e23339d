package trowel_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/param"
)

const hush = "hunter2hunter2"

func isSecret(text string) bool {
	return strings.Contains(text, hush) || strings.Contains(text, "12345678")
}

// A secret is found wherever it stands, and what is shown has nothing of it; what is stored is as it was.
func TestMaskedPlaces(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, params, shown string
		places              trowel.Masked
	}{
		{"nothing", `{"a":"b","n":1,"x":null}`, `{"a":"b","n":1,"x":null}`, nil},
		{"a value", `{"a":"` + hush + `","b":"c"}`, `{"a":"********","b":"c"}`, trowel.Masked{"store/a"}},
		{"a part of a value", `{"url":"http://me:` + hush + `@x/"}`, `{"url":"********"}`, trowel.Masked{"store/url"}},
		{"deep", `{"a":{"b":[1,{"c":["x","` + hush + `"]}]}}`, `{"a":{"b":[1,{"c":["x","********"]}]}}`, trowel.Masked{"store/a/b/1/c/1"}},
		{"a number", `{"pin":12345678,"other":[12345678]}`, `{"pin":"********","other":["********"]}`, trowel.Masked{"store/pin", "store/other/0"}},
		{"a key", `{"of":{"` + hush + `":{"x":1}}}`, `{"of":{"********":{"x":1}}}`, trowel.Masked{"store/of/" + hush + "~k"}},
		{
			"a key and its value", `{"` + hush + `":"` + hush + `"}`, `{"********":"********"}`,
			trowel.Masked{"store/" + hush + "~k", "store/" + hush},
		},
		{"keys with signs", `{"a/b":{"c~k":"` + hush + `","c~1\nd":"` + hush + `"},"a":{"b":"x"}}`, `{"a/b":{"c~k":"********","c~1\nd":"********"},"a":{"b":"x"}}`, trowel.Masked{"store/a~1b/c~0k", "store/a~1b/c~01~2d"}},
	} {
		params, err := param.ParseMap(c.params)
		if err != nil {
			t.Fatal(err)
		}
		places := trowel.FindMasked(trowel.AreaStore, params, isSecret)
		if diff := cmp.Diff(c.places, places); diff != "" {
			t.Errorf("%s: places (-want +got):\n%s", c.name, diff)
		}
		if got := param.JSON(places.Hide(trowel.AreaStore, params)); got != c.shown {
			t.Errorf("%s: shown = %s, want %s", c.name, got, c.shown)
		}
		if got := param.JSON(places.Hide(trowel.AreaState, params)); got != c.params {
			t.Errorf("%s: of another area = %s, want %s", c.name, got, c.params)
		}
		if got := param.JSON(params); got != c.params {
			t.Errorf("%s: the parameters are changed to %s", c.name, got)
		}
	}
}

// Of very many places the whole area is hidden.
func TestMaskedBounds(t *testing.T) {
	t.Parallel()
	list := param.List{}
	for range 2000 {
		list = append(list, hush)
	}
	params := param.Of("a", list, "b", param.Of("c", "x"))
	places := trowel.FindMasked(trowel.AreaStore, params, isSecret)
	shown := places.Hide(trowel.AreaStore, params)
	if b, _ := shown.Get("b"); len(places) != 1 || strings.Contains(param.JSON(shown), hush) || param.JSON(b) != `{"c":"********"}` {
		t.Errorf("places = %v, shown = %.80s", places, param.JSON(shown))
	}
	report := &trowel.Report{Result: trowel.Result{Store: params}}
	if got := report.Known(make([]string, 5000)); len(got) != 3 {
		t.Errorf("Known of 5000 places = %v, want all areas", got)
	}
}

// An agent hides what is there, and nothing else counts.
func TestKnownPlaces(t *testing.T) {
	t.Parallel()
	report := &trowel.Report{
		Result: trowel.Result{Store: param.Of("a", param.Of("b", hush), "l", param.List{"x"})}, StateParams: param.Of("s", 1),
	}
	claimed := []string{"store/a/b", "store/a/b", "store/a/b~k", "store/a/c", "store/l/0", "store/l/1", "store/l/-1", "store/l/x", "state/s", "state/s/t", "export/e", "storex/a", "", "other"}
	want := trowel.Masked{"state/s", "store/a/b", "store/a/b~k", "store/l/0"}
	if diff := cmp.Diff(want, report.Known(claimed)); diff != "" {
		t.Errorf("Known (-want +got):\n%s", diff)
	}
}

// A place stays hidden as long as the same value stands there.
func TestStillMasked(t *testing.T) {
	t.Parallel()
	was := param.Of("kept", hush, "changed", hush, "gone", hush)
	is := param.Of("kept", hush, "changed", "x", "new", "y")
	got := trowel.Masked{"state/kept", "state/changed", "state/gone", "store/kept"}.Still(trowel.AreaState, was, is)
	if diff := cmp.Diff(trowel.Masked{"state/kept"}, got); diff != "" {
		t.Errorf("Still (-want +got):\n%s", diff)
	}
}
