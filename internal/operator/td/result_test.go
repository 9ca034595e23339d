package td_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/trowel-project/trowel/internal/operator/operatortest"
	"github.com/trowel-project/trowel/internal/operator/td"
	"github.com/trowel-project/trowel/internal/operator/td/tdtest"
	"github.com/trowel-project/trowel/internal/param"
)

// withResult gives all jobs of the service a result.
func (f *fixture) withResult() *fixture {
	f.service.Columns = [][2]string{{"s", "varchar"}, {"n", "bigint"}, {"l", "array<bigint>"}}
	f.service.Rows = [][]any{{"a \"b\",\r\nc", int64(-1), []any{int64(1), "x"}}, {"", nil, 1.5}, {"é", true, nil}}
	return f
}

// names returns the names of the files of a folder.
func names(t *testing.T, dir string) (all []string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, entry := range entries {
		all = append(all, entry.Name())
	}
	return all
}

// Operators 8.2: CSV with the rules of 7.1.
func TestDownload(t *testing.T) {
	t.Parallel()
	f := newTask(t, td.Options{}, "td>", param.Of("data", "q"), "download_file", "out/r.csv", "store_last_results", true).withResult()
	outcome, _, err := f.RunToEnd()
	f.check(t, outcome, err, `{"td":{"last_results":{"s":"a \"b\",\r\nc","n":-1,"l":[1,"x"]},"last_job_id":"1000","last_job":{"id":"1000","num_records":3}}}`)
	got, err := os.ReadFile(filepath.Join(f.Project, "out", "r.csv"))
	want := "s,n,l\r\n\"a \"\"b\"\",\nc\",-1,\"[1,\"\"x\"\"]\"\r\n\"\",,1.5\r\né,true,\r\n"
	if diff := cmp.Diff(want, string(got)); diff != "" || err != nil {
		t.Errorf("r.csv (-want +got):\n%s%v", diff, err)
	}
	if diff := cmp.Diff([]string{"td.last_results"}, outcome.Result.ResetKeys); diff != "" {
		t.Errorf("reset (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{"r.csv"}, names(t, filepath.Join(f.Project, "out"))); diff != "" {
		t.Errorf("files (-want +got):\n%s", diff)
	}
}

// A connection that is cut in the middle of a download leaves the file that was there before, and the download begins again.
func TestDownloadIsCut(t *testing.T) {
	t.Parallel()
	f := newTask(t, td.Options{}, "td>", param.Of("data", "q"), "download_file", "r.csv").withResult()
	f.File("r.csv", "old")
	f.service.Fail(tdtest.Fault{Call: "GET /v3/job/result", Times: 2, Cut: true})
	for range 6 {
		outcome, err := f.Run()
		if err != nil {
			t.Fatal(err)
		}
		if got := names(t, f.Project); len(got) != 1 {
			t.Errorf("files %v", got)
		}
		data, _ := os.ReadFile(filepath.Join(f.Project, "r.csv"))
		if outcome.Again == nil {
			if !strings.HasPrefix(string(data), "s,n,l\r\n") {
				t.Errorf("r.csv = %q", data)
			}
			return
		}
		if string(data) != "old" {
			t.Errorf("r.csv = %q before the download is whole", data)
		}
		f.State = outcome.Again.State
	}
	t.Errorf("the task has not come to its end: %s", param.JSON(f.State))
}

func TestDownloadFails(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		file, want string
		fault      tdtest.Fault
	}{
		"outside":   {file: "../r.csv", want: "File name must not be outside of project path (PROJECT): ../r.csv (illegal argument)"},
		"no result": {file: "r.csv", fault: tdtest.Fault{Call: "GET /v3/job/result", Times: 9, Status: 404, Body: `{"text":"gone"}`}, want: "[TARGET_NOT_FOUND] [404:Not Found] API request to /v3/job/result/1000?format=msgpack.gz has failed: gone (td client http not found)"},
	} {
		f := newTask(t, td.Options{}, "td>", param.Of("data", "q"), "download_file", c.file).withResult()
		f.service.Fail(c.fault)
		_, _, err := f.RunToEnd()
		if got := strings.ReplaceAll(operatortest.Message(err), f.Project, "PROJECT"); got != c.want {
			t.Errorf("%s: error %q, want %q", name, got, c.want)
		}
		if got := names(t, f.Project); len(got) != 0 {
			t.Errorf("%s: files %v", name, got)
		}
	}
}

// Operators 8.2: a preview goes into the task's log, and that it fails is no failure.
func TestPreview(t *testing.T) {
	t.Parallel()
	f := newTask(t, td.Options{}, "td>", param.Of("data", "q"), "preview", true).withResult()
	f.service.Rows = make([][]any, 30)
	for i := range f.service.Rows {
		f.service.Rows[i] = []any{"row", int64(i)}
	}
	outcome, _, err := f.RunToEnd()
	f.check(t, outcome, err, strings.Replace(lastJob, `records":0`, `records":30`, 1))
	if log := f.log.String(); !strings.Contains(log, `s,n,l\r\nrow,0\r\n`) || !strings.Contains(log, "row,19") || strings.Contains(log, "row,20") {
		t.Errorf("log:\n%s", log)
	}
	filled := newTask(t, td.Options{}, "td>", param.Of("data", "q"), "preview", true, "create_table", "dest").withResult()
	outcome, _, err = filled.RunToEnd()
	filled.check(t, outcome, err, strings.Replace(lastJob, `records":0`, `records":3`, 1))
	jobs := filled.service.Jobs()
	if len(jobs) != 2 || jobs[1].Form.Get("query") != "-- preview results of job id 1000\nSELECT * FROM \"dest\" LIMIT 20" || jobs[1].Form.Has("retry_limit") {
		t.Errorf("jobs = %+v", jobs)
	}
	broken := newTask(t, td.Options{}, "td>", param.Of("data", "q"), "preview", true)
	outcome, _, err = broken.RunToEnd()
	broken.check(t, outcome, err, lastJob)
	if !strings.Contains(broken.log.String(), "Getting rows for preview failed") {
		t.Errorf("log:\n%s", broken.log)
	}
}

// Operators 8.4.
func TestForEach(t *testing.T) {
	t.Parallel()
	columns := [][2]string{{"a", "varchar"}, {"b", "double"}}
	for name, c := range map[string]struct {
		do    *param.Map
		rows  [][]any
		limit int
		more  []any
		want  string
	}{
		"rows": {
			rows: [][]any{{"x", 0.1}, {"y", nil}},
			want: `{"+td-for-each-0":{"echo>":"${td.each.a}","_export":{"td":{"each":{"a":"x","b":0.1}}}},"+td-for-each-1":{"echo>":"${td.each.a}","_export":{"td":{"each":{"a":"y"}}}}}`,
		},
		"own export": {
			do: param.Of("_export", param.Of("m", 1, "td", param.Of("database", "d")), "echo>", "x"), rows: [][]any{{"x", 1.5}, {"y", nil}}, more: []any{"_parallel", true},
			want: `{"+td-for-each-0":{"_export":{"m":1,"td":{"database":"d","each":{"a":"x","b":1.5}}},"echo>":"x"},"+td-for-each-1":{"_export":{"m":1,"td":{"database":"d","each":{"a":"y","b":1.5}}},"echo>":"x"},"_parallel":true}`,
		},
		"no rows":   {rows: [][]any{}, want: `{}`},
		"limit":     {rows: [][]any{{"x"}, {"y"}, {"z"}}, limit: 2, want: "Too many tasks. Limit: 2 (task limit exceeded)"},
		"at limit":  {rows: [][]any{{"x"}}, limit: 1, want: `{"+td-for-each-0":{"echo>":"${td.each.a}","_export":{"td":{"each":{"a":"x"}}}}}`},
		"list":      {rows: [][]any{{[]any{int64(1)}}}, want: "Unsupported column type: ARRAY (runtime)"},
		"object":    {rows: [][]any{{map[string]any{}}}, want: "Unsupported column type: MAP (runtime)"},
		"no result": {want: "[TARGET_NOT_FOUND] [404:Not Found] API request to /v3/job/result/1000?format=msgpack.gz has failed: no result (td client http not found)"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			do := c.do
			if do == nil {
				do = param.Of("echo>", "${td.each.a}")
			}
			f := newTask(t, td.Options{}, append([]any{"td_for_each>", param.Of("data", "q"), "_do", do}, c.more...)...)
			f.service.Columns, f.service.Rows = columns, c.rows
			if c.limit > 0 {
				f.Request.TaskLimit = c.limit
			}
			outcome, _, err := f.RunToEnd()
			f.check(t, outcome, err, c.want)
			if err == nil && !outcome.Result.Store.Has("td") {
				t.Errorf("nothing is stored: %s", param.JSON(outcome.Result.Store))
			}
		})
	}
}
