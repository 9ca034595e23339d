package revision_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/trowel-project/trowel/internal/access"
	"github.com/trowel-project/trowel/internal/api"
	"github.com/trowel-project/trowel/internal/server/servertest"
)

const diffPath = "/api/projects/1/diff"

func TestRevisionDiff(t *testing.T) {
	t.Parallel()
	s := servertest.New(t, nil)
	const before = `timezone: Asia/Tokyo
schedule:
  daily>: 03:00:00
+a:
  echo>: hi
+b:
  sh>: ls
  _retry: 2
+c:
  +x:
    echo>: x
`
	const after = `timezone: UTC
schedule:
  daily>: 04:00:00
+b:
  sh>: ls -l
+a:
  echo>: hi
+d:
  echo>: new
+c:
  +x:
    echo>: x
`
	const same, gone = "+s:\n  echo>: s\n", "+g:\n  echo>: g\n"
	s.Push(t, "project=p&revision=r1", "main.dig", before, "same.dig", same, "gone.dig", gone, "q/old.sql", "select 1", "x.bin", "\x00a", "n.txt", "1\n2\n3\n")
	s.Push(t, "project=p&revision=r2", "main.dig", after, "same.dig", same, "q/new.sql", "select 1", "x.bin", "\x00b", "n.txt", "1\n3\n4\n5", "y", "")
	d := servertest.Read[api.RevisionDiff](t, s.Get(t, diffPath+"?from=r1&to=r2"), 200)
	var files []string
	for _, f := range d.Files {
		line := f.Path + " " + f.Status
		if f.OldPath != nil {
			line += " from " + *f.OldPath
		}
		if f.Added != nil {
			line += fmt.Sprintf(" +%d -%d", *f.Added, *f.Removed)
		}
		files = append(files, line)
	}
	want := "gone.dig removed +0 -2|main.dig changed +6 -5|n.txt changed +2 -1|q/new.sql renamed from q/old.sql|x.bin changed|y added +0 -0"
	if got := strings.Join(files, "|"); got != want || d.FileCount != 6 || d.From != "r1" || d.To != "r2" {
		t.Errorf("files = %s of %d\nwant    %s", got, d.FileCount, want)
	}
	var flows []string
	for _, w := range d.Workflows {
		line := w.Name + " " + w.Status
		if w.Schedule != nil && w.Schedule.From != nil && w.Schedule.To != nil {
			line += " " + *w.Schedule.From + *w.Schedule.To
		}
		if w.Timezone != nil && w.Timezone.From != nil && w.Timezone.To != nil {
			line += " " + *w.Timezone.From + *w.Timezone.To
		}
		for _, task := range w.Tasks {
			line += "; " + task.Task + " " + task.Status + " " + *task.Place
			for _, k := range task.Keys {
				line += " " + k.Key + ":" + textOf(k.From) + ">" + textOf(k.To)
			}
		}
		flows = append(flows, line)
	}
	want = `gone removed; +gone removed gone.dig:1:1; +gone+g removed gone.dig:1:1|` +
		`main changed {"daily>":"03:00:00"}{"daily>":"04:00:00"} "Asia/Tokyo""UTC"; +main+b changed main.dig:4:1 sh>:"ls">"ls -l" _retry:2>none; ` +
		`+main+a moved main.dig:6:1; +main+d added main.dig:8:1; +main+c moved main.dig:10:1`
	if got := strings.Join(flows, "|"); got != want {
		t.Errorf("workflows = %s\nwant        %s", got, want)
	}
	none := servertest.Read[api.RevisionDiff](t, s.Get(t, diffPath+"?from=r2"), 200)
	if len(none.Files)+len(none.Workflows)+none.FileCount != 0 || none.To != "r2" {
		t.Errorf("a revision and itself = %+v, want no difference", none)
	}
	for query, status := range map[string]int{"": 400, "?from=r9": 404, "?from=r1&to=r9": 404} {
		if a := s.Get(t, diffPath+query); a.Status != status {
			t.Errorf("%q: %d %s, want %d", query, a.Status, a.Body, status)
		}
	}
	token := s.Token(t, access.RoleRead, "p")
	if a := s.Do(t, "GET", diffPath+"?from=r1", "", "", "Authorization", "Bearer "+token); a.Status != 200 {
		t.Errorf("a reader gets %d %s", a.Status, a.Body)
	}
}

func textOf(value *string) string {
	if value == nil {
		return "none"
	}
	return *value
}

// Long lists and values are cut, and large files are not counted.
func TestRevisionDiffIsBounded(t *testing.T) {
	t.Parallel()
	s := servertest.New(t, nil)
	var flow strings.Builder
	for i := range 600 {
		fmt.Fprintf(&flow, "+t%d:\n  echo>: a\n", i)
	}
	s.Push(t, "project=p&revision=r1", "main.dig", "+a:\n  echo>: "+strings.Repeat("é", 3000)+"\n", "big", strings.Repeat("x\n", 200_000))
	s.Push(t, "project=p&revision=r2", "main.dig", flow.String()+"+a:\n  echo>: b\n", "big", strings.Repeat("y\n", 200_000))
	d := servertest.Read[api.RevisionDiff](t, s.Get(t, diffPath+"?from=r1"), 200)
	if w := d.Workflows[0]; w.TaskCount != 601 || len(w.Tasks) != 500 {
		t.Errorf("%d tasks of %d, want 500 of 601", len(w.Tasks), w.TaskCount)
	}
	if big := d.Files[0]; big.Path != "big" || big.Added != nil {
		t.Errorf("first file = %+v, want a large one whose lines are not counted", big)
	}
	back := servertest.Read[api.RevisionDiff](t, s.Get(t, diffPath+"?from=r2&to=r1"), 200)
	if to := *back.Workflows[0].Tasks[0].Keys[0].To; len(to) > 2100 || !strings.HasSuffix(to, "é...") {
		t.Errorf("a long value has %d bytes, and ends with %q", len(to), to[len(to)-10:])
	}
}
