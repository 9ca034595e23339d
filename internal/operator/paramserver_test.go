package operator_test

import (
	"context"
	"errors"
	"maps"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/operator"
	"github.com/trowel-project/trowel/internal/param"
	"github.com/trowel-project/trowel/internal/trowtest"
)

// paramMap is a param server in memory.
type paramMap map[string]string

func (m paramMap) SetParams(_ context.Context, values map[string]string) error {
	if _, broken := values["broken"]; broken {
		return errors.New("no connection")
	}
	maps.Copy(m, values)
	return nil
}

func (m paramMap) FindParams(_ context.Context, keys []string) (map[string]string, error) {
	found := map[string]string{}
	for _, key := range keys {
		if value, ok := m[key]; ok {
			found[key] = value
		}
	}
	return found, nil
}

func withParams(f *fixture, server operator.ParamServer) *fixture {
	f.Table = operator.Core(operator.Options{Params: server})
	return f
}

// Operators 6.1: inherited parameters do not count.
func TestParamSet(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, message string
		own           *param.Map
		none          bool
		want          paramMap
	}{
		{
			name: "scalars", own: param.Of("param_set>", nil, "a", "x", "b", 1, "c", true, "d", 1.5, "e", ""),
			want: paramMap{"a": "x", "b": "1", "c": "true", "d": "1.5", "e": ""},
		},
		{name: "null", own: param.Of("param_set>", nil, "a", "x", "b", nil), want: paramMap{"a": "x"}},
		{name: "directives", own: param.Of("param_set>", nil, "a", "x", "_retry", 3, "_env", param.New()), want: paramMap{"a": "x"}},
		{name: "long form", own: param.Of("_type", "param_set", "a", "x"), want: paramMap{"a": "x"}},
		{name: "command", own: param.Of("param_set>", "x", "a", "y"), want: paramMap{"a": "y"}},
		{name: "list", own: param.Of("param_set>", nil, "a", param.List{}), message: "Expected string type for key 'a' but got [] (array) (config)"},
		{name: "object", own: param.Of("param_set>", nil, "a", param.New()), message: "Expected string type for key 'a' but got {} (object) (config)"},
		{name: "no key", own: param.Of("param_set>", nil), message: "no key is set. (config)"},
		{name: "no server", own: param.Of("param_set>", nil, "a", "x"), none: true, message: "param_server.type is required to use this operator. (config)"},
		{name: "failure", own: param.Of("param_set>", nil, "broken", "x"), message: "set parameters: no connection (runtime)"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			got := paramMap{}
			f := newFixture(t, c.own).With("other", "x")
			if c.none {
				withParams(f, nil)
			} else {
				withParams(f, got)
			}
			outcome, err := f.Run()
			if shown := message(err); shown != c.message || !outcome.Result.Empty() {
				t.Fatalf("message = %q, want %q; result %+v", shown, c.message, outcome.Result)
			}
			if diff := cmp.Diff(c.want, got); c.message == "" && diff != "" {
				t.Errorf("parameters differ (-want +got):\n%s", diff)
			}
		})
	}
}

// Operators 6.1: what is missing is an empty text.
func TestParamGet(t *testing.T) {
	t.Parallel()
	server := paramMap{"a": "1", "b": "x"}
	for _, c := range []struct {
		name, stored, message string
		own                   *param.Map
	}{
		{name: "values", own: param.Of("param_get>", nil, "b", "to_b", "a", "to_a", "c", "to_c"), stored: `{"to_b":"x","to_a":"1","to_c":""}`},
		{name: "no key", own: param.Of("param_get>", nil, "_retry", 1, "x", nil), message: "no key is set. (config)"},
		{name: "list", own: param.Of("param_get>", nil, "a", param.List{}), message: "Expected string type for key 'a' but got [] (array) (config)"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			c.own.Delete("_retry")
			outcome, err := withParams(newFixture(t, c.own), server).Run()
			if got := message(err); got != c.message {
				t.Errorf("message = %q, want %q", got, c.message)
			}
			if got := param.JSON(outcome.Result.Store); c.message == "" && got != c.stored {
				t.Errorf("stored = %s, want %s", got, c.stored)
			}
		})
	}
}

// Operators 6.1: parameters in Trowel's own database live for 90 days after they were last written.
func TestStoreParams(t *testing.T) {
	t.Parallel()
	now := time.Date(2024, 1, 15, 0, 0, 0, 0, time.UTC)
	store := trowtest.FileStore(t)
	server := &operator.StoreParams{Store: store, Now: func() time.Time { return now }}
	set := func(values map[string]string) {
		t.Helper()
		if err := server.SetParams(t.Context(), values); err != nil {
			t.Fatal(err)
		}
	}
	find := func(want map[string]string) {
		t.Helper()
		got, err := server.FindParams(t.Context(), []string{"a", "b", "c"})
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("parameters differ (-want +got):\n%s", diff)
		}
	}
	find(map[string]string{})
	set(map[string]string{"a": "1", "b": "2"})
	find(map[string]string{"a": "1", "b": "2"})
	now = now.Add(operator.ParamTTL)
	set(map[string]string{"b": "3"})
	find(map[string]string{"a": "1", "b": "3"})
	now = now.Add(time.Second)
	find(map[string]string{"b": "3"})
}

var _ operator.ParamStore = trowel.Store(nil)
