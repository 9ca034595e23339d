package dig_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/trowel-project/trowel/internal/dig"
	"github.com/trowel-project/trowel/internal/operator/builtin"
	"github.com/trowel-project/trowel/internal/param"
)

// builtinCatalog returns the program's catalog.
func builtinCatalog() dig.Catalog { return builtin.Catalog("") }

// schemaOf returns the compiled schema of workflow files.
func schemaOf(t *testing.T) *jsonschema.Schema {
	t.Helper()
	document, err := jsonschema.UnmarshalJSON(strings.NewReader(param.JSON(dig.Schema(builtinCatalog()))))
	if err != nil {
		t.Fatal(err)
	}
	compiler := jsonschema.NewCompiler()
	if err := compiler.AddResource("dig.json", document); err != nil {
		t.Fatal(err)
	}
	schema, err := compiler.Compile("dig.json")
	if err != nil {
		t.Fatal(err)
	}
	return schema
}

// validate returns the schema's errors about the content of a file.
func validate(t *testing.T, schema *jsonschema.Schema, content param.Value) error {
	t.Helper()
	value, err := jsonschema.UnmarshalJSON(strings.NewReader(param.JSON(content)))
	if err != nil {
		t.Fatal(err)
	}
	return schema.Validate(value)
}

var includeKey = regexp.MustCompile(`!include\s*:`)

// readAsEditor reads a file as an editor does, for which !include is a key without text.
func readAsEditor(text string) (*param.Map, error) {
	return dig.ReadYAML([]byte(includeKey.ReplaceAllString(text, `"": `)))
}

// The schema accepts every workflow that is recorded, shown or made by init and in which check finds nothing.
func TestSchemaAcceptsSoundFiles(t *testing.T) {
	t.Parallel()
	schema, catalog := schemaOf(t), builtinCatalog()
	sound, faulty, flagged := 0, 0, 0
	for _, root := range []string{"../../conformance", "../../examples", "../cli/local/initfiles"} {
		err := filepath.WalkDir(root, func(path string, _ fs.DirEntry, err error) error {
			if err != nil || !strings.HasSuffix(path, ".dig") {
				return err
			}
			text, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			content, err := readAsEditor(string(text))
			if err != nil {
				return nil //nolint:nilerr // it is not YAML, which check reports
			}
			isFaulty := slices.ContainsFunc(dig.Check(filepath.Dir(path), catalog), func(f dig.Finding) bool {
				return f.File == filepath.Base(path)
			})
			alone := fstest.MapFS{"x.dig": {Data: text}} // findings about the folder do not count
			isFaulty = isFaulty || slices.ContainsFunc(dig.CheckFS(alone, "/project", catalog), func(f dig.Finding) bool {
				return f.Severity == dig.SeverityError
			})
			invalid := validate(t, schema, content)
			switch {
			case isFaulty:
				faulty++
				if invalid != nil {
					flagged++
				}
			case invalid != nil:
				t.Errorf("%s is sound, but: %v", path, invalid)
			default:
				sound++
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if sound < 400 || flagged < 40 {
		t.Errorf("%d sound files were read, and %d of %d faulty ones flagged: want 400 and 40", sound, flagged, faulty)
	}
}

// everything uses all that the schema knows.
var everything = []string{
	`{timezone: Asia/Tokyo, _export: {a: 1, sh: {shell: [bash]}}, _error: {echo>: failed}}`,
	`schedule: {daily>: "07:00:00", skip_on_overtime: true, skip_delayed_by: 3m, start: 2026-01-31}`,
	`sla: {duration: 01:00, fail: false, alert: true, +tell: {echo>: late}}`,
	`_retry: {limit: 3, interval: 10, interval_type: Exponential, max_interval: 60}`,
	`{max_active_attempts: {limit: 2, on_exceed: reject}, max_active_tasks: 5}`,
	`{_pool: [{name: a, slots: 2}, b], _defaults: {_retry: 1, _queue: q}}`,
	`+group: {_parallel: {limit: 2}, _queue: {name: q, labels: [x]}, +a: {echo>: hello, _after: []}}`,
	`+group: {_parallel: true, +a: {}, +b: {_after: [+a], sh>: "true", shell: [bash, -c], _env: {A: 1}, own: variable}}`,
	`+secrets: {sh>: x, _secrets: {a: b}, _workdir: x}`,
	`+list: [{loop>: 3}, {_do: {echo>: x}}]`,
	`+wait: {_background: true, wait>: 1s, poll_interval: 2s, blocking: false}`,
	`+each: {for_each>: {a: [1, 2]}, _do: {+x: {echo>: "${a}"}}, _parallel: true}`,
	`+range: {for_range>: {from: 0, to: 10, step: 2}, _do: {echo>: x}}`,
	`+if: {if>: "${a == 1}", _do: {echo>: x}, _else_do: {fail>: no}}`,
	`+http: {http>: "http://example.com", method: POST, content: {a: 1}, timeout: 5, retry: true, headers: [{a: b}], proxy: {enabled: false}}`,
	`+mail: {mail>: {data: x}, to: [a@example.com], attach_files: [{path: x}], port: 25, tls: true, subject: x}`,
	`+require: {require>: x, project_name: o, rerun_on: failed, session_time: "2026-01-31T00:00:00+09:00", params: {a: 1}}`,
	`+py: {py>: a.b, python: [python3, -u], x: 1}`,
	`+off: {_disable: true, nonsense: {}}`,
	`+type: {_type: echo, _command: x}`,
	`+check: {_check: {echo>: x}, sh>: x, +b: {}}`,
	`+check: {_check: {echo>: x}, sh>: x, _error: {echo>: x}, _retry: 3}`,
	`+check: {_check: {echo>: x}, +sh: {sh>: x}, _error: {echo>: x}, _retry: {limit: 3}}`,
	`+calls: {call>: b}`,
	`+rb: {rb>: a, require: b, ruby: [ruby, -w]}`,
	`+store: {param_set>: , a: 1}`,
	`+named: {echo>: "${x}", x: 1}`,
	`+concurrency: {_concurrency: {limit: 1, per: site, key: k, on_limit: fail, include_waiting: false}}`,
	`+weight: {_priority_weight: -3, _weight_rule: upstream, _pool_slots: 2, sh>: x}`,
}

// If one value or one key of a file is replaced, the schema only flags what check flags as well.
func TestSchemaFlagsNothingElse(t *testing.T) {
	t.Parallel()
	schema, catalog := schemaOf(t), builtinCatalog()
	values := []param.Value{
		nil, true, int64(1), 1.5, "three", "3", "${x}", "", "null", "True", "1h", "2026-01-31T00:00:00Z",
		param.List{},
		param.New(),
		param.List{"a"},
		param.Of("a", 1),
		param.Of("limit", 1), param.Of("echo>", "x"),
	}
	flagged := 0
	for _, text := range everything {
		whole, err := readAsEditor(text)
		if err != nil {
			t.Fatal(err)
		}
		for variant := range variants(whole, values) {
			invalid := validate(t, schema, variant)
			if invalid == nil {
				continue
			}
			flagged++
			text := param.JSON(variant)
			files := fstest.MapFS{"x.dig": {Data: []byte(text)}, "b.dig": {Data: []byte("+a: {}")}}
			if len(dig.CheckFS(files, "/project", catalog)) == 0 {
				t.Errorf("check finds nothing, but: %v\n%s", invalid, text)
			}
		}
	}
	if flagged < 500 {
		t.Errorf("%d variants are flagged, want 500", flagged)
	}
}

// variants yields a map with one of its values, at any depth, replaced by each of some, or with one of its keys replaced.
func variants(m *param.Map, values []param.Value) func(yield func(*param.Map) bool) {
	return func(yield func(*param.Map) bool) {
		if !yield(m) {
			return
		}
		for key, value := range m.All() {
			for _, other := range values {
				changed := m.Clone()
				changed.Set(key, other)
				if !yield(changed) {
					return
				}
			}
			for _, other := range []string{key + "s", "x" + key, "_" + key, "", strings.TrimSuffix(key, ">")} {
				renamed := param.New()
				for k, v := range m.All() {
					if k == key {
						k = other
					}
					renamed.Set(k, v)
				}
				if other == "" && !yield(without(m, key)) || other != "" && !yield(renamed) {
					return
				}
			}
			inner, isMap := value.(*param.Map)
			if !isMap {
				continue
			}
			for variant := range variants(inner, values) {
				changed := m.Clone()
				changed.Set(key, variant)
				if !yield(changed) {
					return
				}
			}
		}
	}
}

func without(m *param.Map, key string) *param.Map {
	rest := m.Clone()
	rest.Delete(key)
	return rest
}

// Mistakes that a schema can see.
func TestSchemaFlagsMistakes(t *testing.T) {
	t.Parallel()
	schema := schemaOf(t)
	for name, text := range map[string]string{
		"top":                   "shedule: {daily>: '07:00:00'}",
		"operator at the top":   "echo>: x",
		"directive at the top":  "_background: true",
		"no task":               "+a: text",
		"null task":             "+a:",
		"name":                  "+a b: {echo>: x}",
		"group":                 "+a: {_retri: 3, +b: {echo>: x}}",
		"group option":          "+a: {shell: bash, +b: {echo>: x}}",
		"operator's directive":  "+a: {sh>: 'true', _retri: 3}",
		"swapped":               "+a: {sh>: 'true', _rerty: 3}",
		"one letter more":       "+a: {py>: x, _errorr: {echo>: x}}",
		"unknown operator":      "+a: {ecko>: x}",
		"two operators":         "+a: {echo>: x, sh>: y}",
		"operator and tasks":    "+a: {echo>: x, +b: {echo>: x}}",
		"option":                "+a: {wait>: 1s, blockin: true}",
		"loop":                  "+a: {loop>: three, _do: {echo>: x}}",
		"no body":               "+a: {loop>: 3}",
		"if without body":       "+a: {if>: true}",
		"in a body":             "+a: {loop>: 3, _do: {+b: {_retri: 1, +c: {echo>: x}}}}",
		"in an error":           "+a: {echo>: x, _error: {ecko>: x}}",
		"in a list":             "+a: {sh>: x, shell: bash}",
		"parallel":              "+a: {_parallel: {limt: 2}, +b: {echo>: x}}",
		"parallel number":       "+a: {_parallel: 2, +b: {echo>: x}}",
		"parallel expression":   "+a: {_parallel: '${x}', +b: {echo>: x}}",
		"parallel of a loop":    "+a: {loop>: 2, _parallel: {limt: 2}, _do: {echo>: x}}",
		"retry":                 "+a: {echo>: x, _retry: often}",
		"retry without limit":   "+a: {echo>: x, _retry: {interval: 3}}",
		"retry's interval":      "+a: {echo>: x, _retry: {limit: 1, interval_type: doubling}}",
		"choice":                "+a: {require>: x, rerun_on: never}",
		"duration":              "+a: {wait>: soon}",
		"instant":               "+a: {require>: x, session_time: yesterday}",
		"null command":          "+a: {echo>: }",
		"variable":              "+a: {sh>: x, _env: {A-B: 1}}",
		"schedule":              "schedule: {daly>: '07:00:00'}",
		"schedule's clock":      "schedule: {daily>: '7 o clock'}",
		"schedule without kind": "schedule: {skip_on_overtime: true}",
		"schedule's option":     "schedule: {daily>: '07:00:00', skip_on_over_time: true}",
		"sla":                   "sla: {time: soon}",
		"sla without clock":     "sla: {fail: true}",
		"pool":                  "+a: {sh>: x, _pool: {nme: x}}",
		"slots":                 "+a: {sh>: x, _pool_slots: 0}",
		"weight":                "+a: {sh>: x, _weight_rule: heavy}",
		"concurrency":           "+a: {sh>: x, _concurrency: {limit: 1, per: planet}}",
		"defaults":              "_defaults: {_export: {}}",
		"defaults of a task":    "+a: {sh>: x, _defaults: {_retry: 1}}",
		"limit":                 "max_active_attempts: '${x}'",
		"limit's key":           "max_active_tasks: {per_atempt: 1}",
	} {
		content, err := readAsEditor(text)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if validate(t, schema, content) == nil {
			t.Errorf("%s: the schema accepts %s", name, text)
		}
		files := fstest.MapFS{"x.dig": {Data: []byte(text)}}
		if len(dig.CheckFS(files, "/project", builtinCatalog())) == 0 {
			t.Errorf("%s: check finds nothing in %s", name, text)
		}
	}
}

// Each directive has a description, and so does each option in the schema.
func TestSchemaIsDescribed(t *testing.T) {
	t.Parallel()
	schema := dig.Schema(builtinCatalog())
	description := func(keys ...string) (string, bool) {
		at := schema
		for _, key := range keys {
			inner, _ := at.Get(key)
			at, _ = inner.(*param.Map)
		}
		text, _ := at.Get("description")
		known, _ := text.(string)
		return known, at != nil
	}
	for _, d := range dig.Directives() {
		inFile, isInFile := description("properties", d.Key)
		inTask, isInTask := description("definitions", "task", "properties", d.Key)
		if d.Doc == "" || !isInFile && !isInTask || isInFile && inFile != d.Doc || isInTask && inTask != d.Doc {
			t.Errorf("%s: described as %q in a file and %q in a task, want %q", d.Key, inFile, inTask, d.Doc)
		}
	}
	for name, known := range builtinCatalog().Operators {
		for _, definition := range []string{"task", "operator-" + name} {
			if text, _ := description("definitions", definition, "properties", name+">"); known.Doc == "" || !strings.HasPrefix(text, known.Doc) {
				t.Errorf("%s>: described as %q, want %q", name, text, known.Doc)
			}
		}
		for key, option := range known.Keys {
			if text, _ := description("definitions", "operator-"+name, "properties", key); text != option.Description() {
				t.Errorf("%s>: %s is described as %q, want %q", name, key, text, option.Description())
			}
		}
	}
}
