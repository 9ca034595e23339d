package td_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/trowel-project/trowel/internal/operator/td"
	"github.com/trowel-project/trowel/internal/operator/td/tdtest"
	"github.com/trowel-project/trowel/internal/param"
)

// Operators 8.5.
func TestDDL(t *testing.T) {
	t.Parallel()
	f := newTask(t, td.Options{}, "td_ddl>", nil, "rename_tables", param.List{param.Of("from", "old.tab", "to", "new_tab")},
		"create_tables", `["made"]`, "empty_tables", param.List{"full"}, "drop_tables", param.List{"gone", "there"},
		"create_databases", param.List{"database_a"}, "drop_databases", param.List{"database_b"}, "empty_databases", param.List{"database_c"})
	f.service.Table("old.tab").Table("db.full").Table("db.there").Table("database_b").Table("old.new_tab")
	outcome, _, err := f.RunToEnd()
	f.check(t, outcome, err, "{}")
	if diff := cmp.Diff([]string{"database_a", "database_c", "db.full", "db.made", "old.new_tab"}, f.service.Tables()); diff != "" {
		t.Errorf("tables (-want +got):\n%s", diff)
	}
}

// Operators 8.5: a failure in the middle goes on with the change that failed.
func TestDDLGoesOn(t *testing.T) {
	t.Parallel()
	f := newTask(t, td.Options{}, "td_ddl>", nil, "create_tables", param.List{"one", "two"}, "rename_tables", param.List{param.Of("from", "abc", "to", "def")})
	f.service.Table("db.abc").Fail(tdtest.Fault{Call: "POST /v3/table/create/db/two", Times: 4, Status: 503}).
		Fail(tdtest.Fault{Call: "GET /v3/table/list", Times: 4, Status: 500})
	first, err := f.Run()
	if err != nil || first.Again == nil || param.JSON(first.Again.State) != `{"rename_check_operation":0,"rename_check_retry":{"operation":{},"retry":1}}` {
		t.Fatalf("Run = %+v, %v, want another run", first.Again, err)
	}
	f.State = first.Again.State
	second, err := f.Run()
	if err != nil || second.Again == nil || param.JSON(second.Again.State) != `{"operation":1,"retry":{"operation":{},"retry":1}}` {
		t.Fatalf("Run = %+v, %v, want another run", second.Again, err)
	}
	f.State = second.Again.State
	outcome, _, err := f.RunToEnd()
	f.check(t, outcome, err, "{}")
	created := 0
	for _, call := range f.service.Calls() {
		if call == "POST /v3/table/create/db/one/log" {
			created++
		}
	}
	if created != 1 {
		t.Errorf("the first table was created %d times", created)
	}
}

func TestDDLRefusals(t *testing.T) {
	t.Parallel()
	for want, own := range map[string][]any{
		"Renaming table db.abc doesn't exist (config)":                                                   {"rename_tables", param.List{param.Of("from", "abc", "to", "def")}, "create_tables", param.List{"made"}},
		"'to' option of rename_tables can't include database name (config)":                              {"rename_tables", param.List{param.Of("from", "abc", "to", "d.ef")}},
		"Parameter 'to' is required but not set (config)":                                                {"rename_tables", param.List{param.Of("from", "abc")}},
		"[INVALID_INPUT] Database name must be 3 to 256 characters but got 2 characters: d1 (td client)": {"create_databases", param.List{"d1"}},
		"[INVALID_INPUT] Table name must follow this pattern ^([a-z0-9_]+)$: Ünï (td client)":            {"create_tables", param.List{"Ünï"}},
		`Expected array type for key 'create_tables' but got {"a":1} (object) (config)`:                  {"create_tables", param.Of("a", 1)},
		`Expected array type for key 'rename_tables' but got ["abc"] (array) (config)`:                   {"rename_tables", param.List{"abc"}},
		`Expected array type for key 'drop_tables' but got [[]] (array) (config)`:                        {"drop_tables", param.List{param.List{}}},
		"Parameter 'database' is empty (config)":                                                         {"database", " "},
	} {
		f := newTask(t, td.Options{}, append([]any{"td_ddl>", nil}, own...)...)
		outcome, _, err := f.RunToEnd()
		f.check(t, outcome, err, want)
		if got := f.service.Tables(); len(got) > 0 {
			t.Errorf("%s: tables %v", want, got)
		}
	}
}
