package sqldb

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestSplitScript(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		text string
		want []string
	}{
		{"", nil},
		{" ; ;\n", nil},
		{"select 1", []string{"select 1"}},
		{"select 1;\n\n-- a; b\nselect 'a;''b';", []string{"select 1", "-- a; b\nselect 'a;''b'"}},
		{"select 1; -- end", []string{"select 1", "-- end"}},
		{"select /* ; /* ; */ ; */ 2; select \"a;b\"", []string{"select /* ; /* ; */ ; */ 2", "select \"a;b\""}},
		{"select $$a;b$$; select $x$ ; $$ ; $x$; select a$1;b$1", []string{"select $$a;b$$", "select $x$ ; $$ ; $x$", "select a$1", "b$1"}},
		{`select E'a\';b'; select 'a\'; select e'\\'; 1`, []string{`select E'a\';b'`, `select 'a\'`, `select e'\\'`, "1"}},
		{"create rule r as on insert to t do (delete from a; delete from b); x", []string{"create rule r as on insert to t do (delete from a; delete from b)", "x"}},
		{"create function f() begin atomic select case when true then 1 end; select 2; end; x", []string{"create function f() begin atomic select case when true then 1 end; select 2; end", "x"}},
		{"begin; select 1; end; x", []string{"begin", "select 1", "end", "x"}},
		{"select 'open; ", []string{"select 'open;"}},
	} {
		if diff := cmp.Diff(test.want, splitScript(test.text, true)); diff != "" {
			t.Errorf("splitScript(%q) (-want +got):\n%s", test.text, diff)
		}
	}
	if got := splitScript(`select 'a\';b'; 2`, false); len(got) != 2 {
		t.Errorf("with backslashes that escape, splitScript = %q", got)
	}
}
