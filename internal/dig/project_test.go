package dig_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/dig"
	"github.com/trowel-project/trowel/internal/param"
)

func mapFS(files map[string]string) fstest.MapFS {
	m := fstest.MapFS{}
	for name, text := range files {
		m[name] = &fstest.MapFile{Data: []byte(text), Mode: 0o644}
	}
	return m
}

func write(t *testing.T, dir string, files map[string]string) {
	t.Helper()
	for name, text := range files {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

func text(err error) string {
	if known, ok := errors.AsType[*dig.Error](err); ok {
		return known.Text()
	}
	return fmt.Sprint(err)
}

// L57, O14: a file in a folder has the folder as its working directory.
func TestLoadFile(t *testing.T) {
	t.Parallel()
	project := dig.OpenFS(mapFS(map[string]string{
		"top.dig":       "+a: {}\n",
		"sub/plain.dig": "+a: {}\n",
		"sub/own.dig":   "_export: {_workdir: deep, x: 1}\n",
		"sub/number":    "_export: {_workdir: 7}\n",
		"sub/keys.dig":  "colour: red\n",
		"sub/wrong.dig": "_export: {_workdir: [1]}\n",
		"sub/list.dig":  "- a\n",
		"sub/yaml.dig":  "a: [\n",
		"sub/zone.dig":  "timezone: Asia/Tokyo\nschedule: {daily>: 07:00:00}\n+a: {}\n",
	}), "/project")
	tests := []struct{ file, want string }{
		{"top.dig", `{"+a":{}}`},
		{"sub/plain.dig", `{"_export":{"_workdir":"sub"},"+a":{}}`},
		{"sub/own.dig", `{"_export":{"_workdir":"sub/deep","x":1}}`},
		{"sub/number", `{"_export":{"_workdir":"sub/7"}}`},
		{"sub/zone.dig", `{"_export":{"_workdir":"sub"},"schedule":{"daily>":"07:00:00"},"+a":{}}`},
		{"sub/keys.dig", `Workflow 'sub/keys' includes unknown keys: [colour] (config)`},
		{
			"sub/wrong.dig",
			`Expected [reference type, class com.google.common.base.Optional<java.lang.String><[simple type, class java.lang.String]>]` +
				` for key '_workdir' but got [1] (array) (config)`,
		},
		{"sub/list.dig", `Expected object to load Config but got ["a"] (runtime json mapping)`},
		{
			"sub/yaml.dig", "while parsing a flow node\n in 'string', line 2, column 1:\n    \n    ^\n" +
				"expected the node content, but found '<stream end>'\n in 'string', line 2, column 1:\n    \n    ^\n (parser)",
		},
		{"sub/none.dig", `/project/sub/none.dig (no such file)`},
	}
	for _, tt := range tests {
		w, err := project.LoadFile(tt.file)
		got := text(err)
		if err == nil {
			got = param.JSON(w.Definition)
		}
		if got != tt.want {
			t.Errorf("LoadFile(%s) = %s, want %s", tt.file, got, tt.want)
		}
	}
}

// L1: links are followed. L4: hidden files, folders and dangling links are not workflows.
func TestLoadFollowsLinks(t *testing.T) {
	t.Parallel()
	outside, dir := t.TempDir(), t.TempDir()
	write(t, outside, map[string]string{"shared.dig": "+a: {}\n"})
	write(t, dir, map[string]string{"own.dig": "+b: {}\n", ".hidden.dig": "x: 1\n", "folder.dig/x": ""})
	for name, target := range map[string]string{"linked.dig": filepath.Join(outside, "shared.dig"), "dangling.dig": "nowhere", "inner.dig": "own.dig"} {
		if err := os.Symlink(target, filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	project, err := dig.Load(dir)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, w := range project.Workflows {
		names = append(names, w.Name)
	}
	if diff := cmp.Diff([]string{"inner", "linked", "own"}, names); diff != "" {
		t.Errorf("workflows (-want +got):\n%s", diff)
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close() //nolint:errcheck // it was only read
	if _, err := dig.LoadFS(root.FS(), dir); err == nil || !strings.Contains(err.Error(), filepath.Join(dir, "linked.dig")) {
		t.Errorf("LoadFS of a root with a link that leaves it: %v, want an error that names the link", err)
	}
}

func TestLoadOfAMissingFolder(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "nowhere")
	_, err := dig.Load(dir)
	if want := dir + " (no such file)"; text(err) != want {
		t.Errorf("Load = %s, want %s", text(err), want)
	}
}

// L61, server 1.1: a file of parameters may have includes. A missing file is named as it was given.
func TestReadParams(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	write(t, dir, map[string]string{
		"p.yml": "a: {x: 1}\n!include : sub/q.yml\n", "sub/q.yml": "a: {y: 2}\n", "bad.yml": "!include : nowhere.yml\n", "list.yml": "- a\n",
	})
	params, err := dig.ReadParams(filepath.Join(dir, "p.yml"))
	if got, want := param.JSON(params), `{"a":{"x":1,"y":2}}`; err != nil || got != want {
		t.Errorf("ReadParams = %s, %v, want %s", got, err, want)
	}
	for file, want := range map[string]string{
		"nowhere/p.yml":                "nowhere/p.yml (no such file)",
		filepath.Join(dir, "bad.yml"):  filepath.Join(dir, "nowhere.yml") + " (no such file)",
		filepath.Join(dir, "list.yml"): `Expected object to load Config but got ["a"] (runtime json mapping)`,
	} {
		if _, err := dig.ReadParams(file); text(err) != want {
			t.Errorf("ReadParams(%s) = %s, want %s", file, text(err), want)
		}
	}
}

func TestReadYAML(t *testing.T) {
	t.Parallel()
	m, err := dig.ReadYAML([]byte("---\nfullName: \"+x+a\"\nresult: {storeParams: {n: 5}}\n"))
	if got, want := param.JSON(m), `{"fullName":"+x+a","result":{"storeParams":{"n":5}}}`; err != nil || got != want {
		t.Errorf("ReadYAML = %s, %v, want %s", got, err, want)
	}
	if _, err := dig.ReadYAML(nil); text(err) != "Expected object to load Config but got null (runtime json mapping)" {
		t.Errorf("ReadYAML of nothing: %s", text(err))
	}
}

// A text in the form of Digdag's status files is read as the same value.
func TestReadYAMLOfAppendYAML(t *testing.T) {
	t.Parallel()
	const json = `{"a":{"":1,"true":"x","a: b":[[1,[]],{"c":{}}],"é😀":"\u0001\u00a0 \"\\\n\t","1":1.5},` +
		`"long":"` + "ab  ab ab ab ab ab ab ab ab ab ab ab ab ab ab ab ab ab ab ab ab ab ab ab ab   ab ab ab ab ab ab ab" + `","n":null,"z":""}`
	value, err := param.ParseMap(json)
	if err != nil {
		t.Fatal(err)
	}
	again, err := dig.ReadYAML(param.AppendYAML(nil, value, 0))
	if got := param.JSON(again); err != nil || got != param.JSON(value) {
		t.Errorf("ReadYAML(AppendYAML) = %s, %v, want %s", got, err, param.JSON(value))
	}
}

// A task is found where it is written, also through merge keys and includes. A generated one is not found.
func TestPlaces(t *testing.T) {
	t.Parallel()
	project, err := dig.LoadFS(mapFS(map[string]string{
		"main.dig":  "+a:\n  +b: {echo>: b}\n!include : 'sub/x.dig'\n+m: &m\n  +n: {echo>: n}\n+o:\n  <<: *m\n+l:\n  - {_retry: 1}\n  - {+p: {echo>: p}}\n",
		"sub/x.dig": "+c:\n  +d: {echo>: d}\n",
	}), "/project")
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]string{
		"+main": "main.dig:1:1", "+main+a": "main.dig:1:1", "+main+a+b": "main.dig:2:3", "+main+c": "sub/x.dig:1:1", "+main+c+d": "sub/x.dig:2:3",
		"+main+m": "main.dig:4:1", "+main+m+n": "main.dig:5:3", "+main+o": "main.dig:6:1", "+main+o+n": "main.dig:5:3",
		"+main+l": "main.dig:8:1", "+main+l+p": "main.dig:10:6",
	}
	tasks, err := project.Workflows[0].Compile()
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]string{}
	for _, task := range tasks {
		got[task.FullName] = task.Origin.Place
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("places (-want +got):\n%s", diff)
	}
}

// Tasks that are made later have the places of the bodies from which they are made, in any file.
func TestOrigin(t *testing.T) {
	t.Parallel()
	project, err := dig.LoadFS(mapFS(map[string]string{
		"main.dig": "_export:\n  user: {+x: 1}\n  _error: {+e: {echo>: e}}\n+a:\n  loop>: 2\n  _do:\n    +b: {loop>: 1, _do: {+c: {echo>: c}}}\n    +d:\n      !include : 'sub/x.dig'\n" +
			"+p:\n  +q: {echo>: q, user: {+y: {}}, _check: {echo>: k}}\n",
		"sub/x.dig": "loop>: 3\n_do:\n  +z: {echo>: z}\n",
	}), "/project")
	if err != nil {
		t.Fatal(err)
	}
	main, err := project.Workflows[0].Compile()
	if err != nil {
		t.Fatal(err)
	}
	origins := map[string]string{}
	for _, task := range main {
		origins[task.FullName] = task.Origin.Text()
	}
	want := map[string]string{
		"+main":     `{"@":"main.dig:1:1","_export":{"@":"1:1","_error":{"@":"3:3","+e":"3:12"}}}`,
		"+main+a":   `{"@":"main.dig:4:1","_do":{"@":"6:3","+b":{"@":"7:5","_do":{"@":"7:20","+c":"7:26"}},"+d":{"@":"8:5","_do":{"@":"sub/x.dig:2:1","+z":"3:3"}}}}`,
		"+main+p":   "main.dig:10:1",
		"+main+p+q": `{"@":"main.dig:11:3","_check":"11:34"}`,
	}
	if diff := cmp.Diff(want, origins); diff != "" {
		t.Fatalf("origins (-want +got):\n%s", diff)
	}
	iteration := param.Of("+b", param.Of("loop>", int64(1), "_do", param.New()), "+d", param.Of("loop>", int64(3), "_do", param.New()))
	sub, err := dig.CompileAt(trowel.ParseOrigin(origins["+main+a"]).Of("_do"), "+main+a", "^sub", param.Of("+loop-0", iteration, "+loop-1", iteration))
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]string{}
	for _, task := range sub {
		got[task.FullName] = task.Origin.Text()
	}
	b, d := `{"@":"main.dig:7:5","_do":{"@":"7:20","+c":"7:26"}}`, `{"@":"main.dig:8:5","_do":{"@":"sub/x.dig:2:1","+z":"3:3"}}`
	want = map[string]string{
		"+main+a^sub": "main.dig:6:3", "+main+a^sub+loop-0": "main.dig:6:3", "+main+a^sub+loop-0+b": b, "+main+a^sub+loop-0+d": d,
		"+main+a^sub+loop-1": "main.dig:6:3", "+main+a^sub+loop-1+b": b, "+main+a^sub+loop-1+d": d,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("origins of a loop (-want +got):\n%s", diff)
	}
	inner, err := dig.CompileAt(trowel.ParseOrigin(d).Of("_do"), "+x", "^sub", param.Of("+loop-0", param.Of("+z", param.Of("echo>", "z"))))
	if err != nil || inner[2].Origin.Place != "sub/x.dig:3:3" {
		t.Errorf("a task of an included loop is at %q (%v), want sub/x.dig:3:3", inner[2].Origin.Place, err)
	}
}

// L40b: an _export that is not an object is refused when tasks are made, not before.
func TestCheckExports(t *testing.T) {
	t.Parallel()
	tasks, err := dig.Compile("", "+w", param.Of("+a", param.Of("_export", "text", "echo>", "a")))
	if err != nil {
		t.Fatal(err)
	}
	if err := dig.CheckExports(tasks); text(err) != "Parameter '_export' must be an object (config)" {
		t.Errorf("CheckExports = %s", text(err))
	}
	tasks[1].Local = param.New()
	if err := dig.CheckExports(tasks); err != nil {
		t.Errorf("CheckExports = %v, want nil", err)
	}
}

// Files from strangers are refused or read within seconds, whatever their size.
func TestLargeAndDeepFiles(t *testing.T) {
	t.Parallel()
	bomb := "_export:\n  a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n"
	merges := "_export:\n  m0: &m0 {a: 1, b: 2}\n"
	for i := 1; i < 30; i++ {
		star := fmt.Sprintf("*a%d", i-1)
		bomb += fmt.Sprintf("  a%d: &a%d [%s]\n", i, i, strings.TrimSuffix(strings.Repeat(star+", ", 10), ", "))
		merge := fmt.Sprintf("*m%d", i-1)
		merges += fmt.Sprintf("  m%d: &m%d {k%d: 1, <<: [%s]}\n", i, i, i, strings.TrimSuffix(strings.Repeat(merge+", ", 5000), ", "))
	}
	includes := map[string]string{"main.dig": "!include : i0.dig\n", "i20.dig": "x: 1\n"}
	for i := range 20 {
		includes[fmt.Sprintf("i%d.dig", i)] = fmt.Sprintf("!include : i%d.dig\n!include : i%d.dig\n", i+1, i+1)
	}
	// A file with many values that many files include, or one file includes often, or that is included by an included file.
	keys := manyKeys(20_000, "k%d: v\n")
	shared := map[string]string{"keys": keys}
	for i := range 300 {
		shared[fmt.Sprintf("w%d.dig", i)] = "_export:\n  !include : keys\n"
	}
	repeated := map[string]string{"keys": keys, "main.dig": "_export:\n"}
	for i := range 300 {
		repeated["main.dig"] += fmt.Sprintf("  x%d:\n    !include : keys\n", i)
	}
	comments := map[string]string{"notes": "a: 1\n" + strings.Repeat("# nothing to see\n", 100_000), "main.dig": "_export:\n"}
	for i := range 100 {
		comments["main.dig"] += fmt.Sprintf("  x%d:\n    !include : notes\n", i)
	}
	aliases := map[string]string{}
	for i := range 20 {
		aliases[fmt.Sprintf("w%d.dig", i)] = "_export:\n  a: &a [" + strings.Repeat("1, ", 1000) + "1]\n  b: [" + strings.Repeat("*a, ", 100) + "1]\n"
	}
	tests := []struct {
		name  string
		files map[string]string
		want  string // part of the error, or nothing
	}{
		{"an included file in each workflow", shared, "stand for more than 1000000 values in all files"},
		{"a file included often", repeated, "stand for more than 1000000 values in all files"},
		{"a long text included often", comments, "included files have more than 64 MB"},
		{"aliases in each workflow", aliases, "stand for more than 1000000 values in all files"},
		{"10 MB of tasks", map[string]string{"main.dig": manyTasks(180_000, "")}, ""},
		{"one long text", map[string]string{"main.dig": "_export: {x: \"" + strings.Repeat("a b ", 500_000) + "\"}\n"}, ""},
		{"brackets", map[string]string{"main.dig": strings.Repeat("[", 2<<20)}, "found more than 1000 collections within each other"},
		{"dashes", map[string]string{"main.dig": strings.Repeat("- ", 1<<20)}, "found more than 1000 collections within each other"},
		{"plain text", map[string]string{"main.dig": strings.Repeat("a ", 1<<20)}, "Expected object to load Config"},
		{"keys", map[string]string{"main.dig": strings.Repeat("? ", 1<<20)}, "found more than 1000 collections within each other"},
		{"quotes", map[string]string{"main.dig": strings.Repeat("''", 1<<20)}, "Expected object to load Config"},
		{"empty lines", map[string]string{"main.dig": strings.Repeat("\n", 1<<20) + "+a: {}"}, ""},
		{"more than the largest file", map[string]string{"main.dig": strings.Repeat("#", dig.MaxFileSize+1)}, "/project/main.dig has more than 64 MB"},
		{"aliases", map[string]string{"main.dig": bomb}, "stand for more than 1000000 values"},
		{"merge keys", map[string]string{"main.dig": merges}, "stand for more than 1000000 values"},
		{"includes", includes, "More than 10000 files are included"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			_, err := dig.LoadFS(mapFS(tt.files), "/project") // a call that hangs meets the time limit of the tests
			if tt.want == "" && err != nil || tt.want != "" && (err == nil || !strings.Contains(err.Error(), tt.want)) {
				t.Errorf("LoadFS: %.300v, want %q", err, tt.want)
			}
		})
	}
}

// manyKeys returns a text for each of n numbers.
func manyKeys(n int, format string) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, format, i)
	}
	return b.String()
}

// The time of a check is proportional to the size of the project, whatever is wrong in it. A check that hangs meets the
// time limit of the tests.
func TestCheckOfMuch(t *testing.T) {
	t.Parallel()
	catalog := dig.Catalog{Operators: map[string]dig.Operator{"echo": {}}}
	files := map[string]string{"keys": manyKeys(20_000, "k%d: v\n")}
	for i := range 300 {
		files[fmt.Sprintf("w%d.dig", i)] = "_export:\n  !include : keys\n"
	}
	for name, tt := range map[string]struct {
		files map[string]string
		want  int
	}{
		"unused keys":            {map[string]string{"a.dig": "+a:\n  echo>: x\n" + manyKeys(150_000, "  _retri%d: 3\n")}, 100},
		"keys that are named":    {map[string]string{"a.dig": "+a:\n  echo>: x\n" + manyKeys(100_000, "  key%d: ${key%[1]d}\n")}, 0},
		"keys with other signs":  {map[string]string{"a.dig": "+a:\n  echo>: x\n" + manyKeys(50_000, "  k-%d: ${params['k-%[1]d']}\n")}, 0},
		"long keys":              {map[string]string{"a.dig": "+a:\n  echo>: x\n  " + strings.Repeat("k", 1<<20) + ": 1\n"}, 1},
		"much that is included":  {files, -1},
		"tasks with unused keys": {map[string]string{"a.dig": manyKeys(50_000, "+a%d:\n  echo>: x\n  ecco: 1\n")}, 100},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			found := dig.CheckFS(mapFS(tt.files), "/project", catalog)
			if name == "much that is included" {
				if len(found) == 0 || !strings.Contains(found[len(found)-1].Message, "stand for more than 1000000 values") {
					t.Errorf("%d findings, want the one about what is included", len(found))
				}
				return
			}
			if len(found) != tt.want {
				t.Errorf("%d findings, want %d; the first ones: %.500v", len(found), tt.want, found[:min(len(found), 3)])
			}
		})
	}
}
