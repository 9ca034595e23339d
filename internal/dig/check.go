package dig

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/dig/yaml"
	"github.com/trowel-project/trowel/internal/param"
	"github.com/trowel-project/trowel/internal/schedule"
)

// maxWarnings is the largest number of warnings about all files.
const maxWarnings = 10_000

// maxFindings is the largest number of findings about one file.
const maxFindings = 100

// Check finds all that is wrong in a local folder, sorted by file and place. Errors are
// what Load and Compile refuse, all of them for every file. Warnings are what will probably fail at
// run time. A folder that cannot be read has no findings; Load says why.
func Check(dir string, catalog Catalog) []Finding {
	absolute, err := filepath.Abs(dir)
	if err != nil {
		return nil
	}
	return CheckFS(os.DirFS(absolute), absolute, catalog)
}

// CheckFS is Check for other file systems, see LoadFS.
func CheckFS(files fs.FS, dir string, catalog Catalog) []Finding {
	in := &inspection{catalog: catalog, values: directiveValues()}
	return in.run(&Project{Dir: dir, files: files})
}

// run inspects a project.
func (in *inspection) run(p *Project) []Finding {
	names, err := p.workflowFiles()
	if err != nil {
		return nil
	}
	in.project, in.sources = p, newSources(p.loader())
	in.seen, in.told, in.workflows = map[string]bool{}, map[string]int{}, map[string]bool{}
	in.broken = map[string]bool{}
	in.judged, in.compiled = map[exported]bool{}, map[string][2]string{}
	in.keysOfBlocks, in.words = map[string][]string{}, map[string]map[string]bool{}
	for _, name := range names {
		in.workflows[strings.TrimSuffix(name, suffix)] = true
	}
	for _, name := range names {
		in.workflowFile(name, SeverityError)
	}
	if len(names) == 0 && in.only == "" {
		in.noWorkflow()
	}
	slices.SortStableFunc(in.findings, func(a, b Finding) int {
		return cmp.Or(cmp.Compare(a.File, b.File), cmp.Compare(a.Line, b.Line), cmp.Compare(a.Column, b.Column))
	})
	return slices.Compact(in.findings)
}

// inspection collects findings.
type inspection struct {
	project   *Project
	catalog   Catalog
	values    map[string]Value // of directives
	sources   *sources
	workflows map[string]bool // names in the project's root
	seen      map[string]bool // files that were inspected
	told      map[string]int  // findings of each file
	broken    map[string]bool // files with values that could not be read and count as null
	findings  []Finding
	grown     growth // of the workflow files so far
	only      string // the id of the findings that are wanted; empty for all that Check reports
	knownPool func(name string) bool
	agents    func() []trowel.KeptLimits // asked for only if a limit depends on them

	judged        map[exported]bool          // options that many tasks inherit
	keysOfBlocks  map[string][]string        // what blockKeys has found out
	words         map[string]map[string]bool // what wordsOfFile has found out
	compiled      map[string][2]string       // what Catalog.Expression says of a text
	compiledBytes int
}

// wants reports whether a finding of a file will be reported. Only then is its place looked up and a hint
// made, as there may be one for each of 100,000 tasks.
func (in *inspection) wants(file, id string) bool {
	if in.only == "" {
		return in.told[file] < maxFindings
	}
	return in.only == id
}

func (in *inspection) tell(f Finding) {
	if !in.wants(f.File, f.ID) {
		return
	}
	if len(in.findings) >= maxWarnings && f.Severity == SeverityWarning && in.only == "" {
		return
	}
	in.told[f.File]++
	if f.Rule == "" {
		f.Rule = f.ID
	}
	if src := in.sources.get(f.File); src != nil && f.Source == "" {
		f.Source = src.line(f.Line)
	}
	in.findings = append(in.findings, f)
}

// workflowFile inspects a workflow file: its text, its top level and its tasks.
func (in *inspection) workflowFile(name string, severity Severity) {
	if in.seen[name] {
		return
	}
	in.seen[name] = true
	if in.only == "" && !in.textFile(name, severity, nil) {
		return
	}
	l := in.project.loader()
	l.lenient, l.growth = true, in.grown
	content, err := l.load(name)
	if severity == SeverityError {
		in.grown = l.growth // as when all workflows are loaded; files of call> are loaded one at a time
	}
	if err != nil {
		if err.place == nil { // textFile has reported it otherwise
			in.problem(name, nil, severity, err)
		}
		return
	}
	d := draftOf(name, content)
	for _, p := range append(d.thrown, d.names...) {
		in.problem(name, p.path, severity, p.err)
	}
	for _, p := range d.limits {
		in.option(name, p.path, severity, p)
	}
	in.schedule(&d.Workflow, severity)
	in.sla(&d.Workflow)
	root := tree{file: name, severity: severity, compiler: compile("", "+"+path.Base(d.Name), d.Definition)}
	in.tree(root)
	if d.SLA != nil {
		body := without(without(without(without(d.SLA, "time"), "duration"), "alert"), "fail")
		if key, _ := slaCulprit(d.SLA); key != "" {
			body = without(body, key) // reported by sla
		}
		in.body(root, 0, keySLA, body, "^sla")
	}
}

// problem reports what the loader or the compiler refuses at a path of keys.
func (in *inspection) problem(file string, keys []string, severity Severity, err *Error) {
	if !in.wants(file, "") {
		return
	}
	message := strings.TrimPrefix(err.Message, validationPrefix)
	if head, lines, found := strings.Cut(message, "\n"); found && strings.HasPrefix(head, "Validating ") {
		message = lines
	}
	if in.broken[file] && strings.Contains(message, param.RequiredButNull) {
		return // what could not be read counts as null, and was told
	}
	f := Finding{Place: in.sources.locate(file, keys), Severity: severity, Message: inOwnWords(message), Rule: ruleOf(message)}
	last := ""
	if len(keys) > 0 {
		last = keys[len(keys)-1]
	}
	f.Message = taskInOwnWords(f.Message, last)
	f.Hint = in.hint(message, last)
	if f.Rule == ruleBody {
		f = in.glued(f)
	}
	in.tell(f)
}

// textFile inspects the YAML of a file and of the files that it includes. It reports whether the file
// contains an object, even if what it includes is wrong. chain has the files that
// include each other down to this one.
func (in *inspection) textFile(name string, severity Severity, chain []string) bool {
	text, failure := in.project.loader().read(name)
	if failure != nil {
		in.problem(name, nil, severity, failure)
		return false
	}
	in.encoding(name, text)
	doc, err := yaml.Parse(text)
	if err != nil {
		in.syntax(name, severity, yamlError(err))
		return false
	}
	c := newConversion(doc)
	c.lenient = true
	value, failure := c.root()
	if failure != nil {
		c.errors = append(c.errors, failure)
	}
	for _, err := range c.errors {
		in.broken[name] = true
		in.syntax(name, severity, err)
	}
	if _, failure := (document{value: value}).object(); failure != nil {
		if c.errors == nil {
			in.problem(name, nil, severity, failure)
		}
		return false
	}
	in.includes(append(slices.Clone(chain), name), doc.Root, severity, map[*yaml.Node]bool{})
	in.lostKeys(name, doc.Root, map[*yaml.Node]bool{})
	return true
}

// syntax reports an error of YAML at its place.
func (in *inspection) syntax(name string, severity Severity, err *Error) {
	f := Finding{Place: Place{name, 1, 1}, Severity: severity, Message: err.Message, Rule: ruleSyntax}
	if err.Kind == KindDuplicateKey {
		f.Rule = ruleDuplicate
	}
	if err.place != nil {
		f.Place = placeIn(name, *err.place)
	}
	src := in.sources.get(name)
	if src != nil {
		f.Source = src.line(f.Line)
	}
	if marked, ok := errors.AsType[*yaml.Error](err.Err); ok {
		f.Message = foundCode.ReplaceAllString(marked.Summary(), "found '$1'")
		elsewhere := strings.HasPrefix(f.Message, "while parsing a flow") && marked.Begin != nil && int(marked.Begin.Line)+1 < f.Line
		if (f.Source == "" || elsewhere) && marked.Begin != nil { // at the end of the file: report what is not closed
			f.Place = placeIn(name, *marked.Begin)
			f.Source = ""
		}
	}
	f.Hint = syntaxHint(f.Message, f.Source)
	in.tell(in.typo(f))
}

// includes inspects the files that the last file of the chain includes below a node.
func (in *inspection) includes(chain []string, n *yaml.Node, severity Severity, visited map[*yaml.Node]bool) {
	if visited[n] {
		return
	}
	visited[n] = true
	if tagOf(n) == tagInclude {
		in.tell(Finding{
			Place: placeIn(chain[len(chain)-1], n.Start), Severity: severity, Rule: ruleInclude,
			Message: "!include stands where a value belongs", Hint: "write it as a key, indented below this one: `!include : 'path'`",
		})
		return
	}
	if n.Kind != yaml.Mapping {
		for _, child := range n.Children {
			in.includes(chain, child, severity, visited)
		}
		return
	}
	for i := 0; i+1 < len(n.Children); i += 2 {
		key, value := n.Children[i], n.Children[i+1]
		if tagOf(key) == tagInclude && value.Kind == yaml.Scalar {
			in.include(chain, key, value, severity)
			continue
		}
		in.includes(chain, value, severity, visited)
	}
}

func (in *inspection) include(chain []string, key, value *yaml.Node, severity Severity) {
	name := chain[len(chain)-1]
	tell := func(message string) {
		in.tell(Finding{
			Place: placeIn(name, key.Start), Severity: severity, Message: message, Hint: in.hint(message, ""), Rule: ruleInclude,
		})
	}
	l := in.project.loader()
	file, ok := includePath(l.dir, path.Dir(name), value.Value)
	if !ok {
		tell(fmt.Sprintf(includeOutside, value.Value))
		return
	}
	if at := slices.Index(chain, file); at >= 0 {
		tell(cycleMessage(chain[at:], file))
		return
	}
	if _, err := l.read(file); err != nil {
		message := err.Message
		if err.Kind == KindNoSuchFile {
			message = "No such file: " + message
		}
		tell(message)
		return
	}
	if !in.seen["include "+file] {
		in.seen["include "+file] = true
		in.textFile(file, severity, chain)
	}
}

// schedule inspects the schedule of a workflow. A push refuses options that nobody reads.
func (in *inspection) schedule(w *Workflow, severity Severity) {
	block, err := w.ScheduleBlock()
	if err != nil {
		in.problem(w.File, []string{keySchedule}, severity, asError(err))
		return
	}
	if block == nil {
		return
	}
	plan, err := schedule.Parse(block, w.Zone)
	if err != nil {
		key, refused := scheduleCulprit(block, asError(err))
		in.problem(w.File, []string{keySchedule, key}, severity, refused)
		return
	}
	in.scheduleValues(w, block, plan)
	for _, line := range plan.Unused() {
		keys := []string{keySchedule}
		if _, rest, ok := strings.Cut(line, "'"); ok {
			key, _, _ := strings.Cut(rest, "'")
			keys = append(keys, key)
		}
		in.problem(w.File, keys, SeverityWarning, configError(strings.TrimSpace(line)))
	}
}

// tree is a compiled body, with what is needed to find places in it.
type tree struct {
	file     string
	prefix   []string // keys from the file's root to the body
	severity Severity // of what is refused
	workdir  string   // the parameter _workdir that the body inherits
	compiler *compiler
	outer    *tree // the tree of the task whose body this is; nil for a file
	owner    int   // the index of that task
}

func (t tree) path(p problem) []string {
	keys := append(slices.Clone(t.prefix), taskPath(t.compiler.tasks, p.task)...)
	return append(keys, p.path...)
}

// tree reports what is wrong in a compiled body, and inspects its tasks.
func (in *inspection) tree(t tree) {
	in.problems(t)
	workdirs := make([]string, len(t.compiler.tasks))
	for i := range t.compiler.tasks {
		task := &t.compiler.tasks[i]
		workdirs[i] = t.workdir
		if task.Parent >= 0 {
			workdirs[i] = workdirs[task.Parent]
		}
		if own, ok := task.Export.Get(keyWorkdir); ok {
			workdirs[i], _ = param.AsString(own)
		}
		in.misplacedOptions(t, i)
		switch in.only {
		case findingDigdag:
			in.additions(t, i)
		case findingPool:
			in.unknownPools(t, i)
		case findingLimit:
			in.limitsWithoutAgents(t, i)
		}
		in.task(t, i, workdirs[i])
	}
}

// problems reports what is wrong in a compiled body and in the bodies of _error in it.
func (in *inspection) problems(t tree) {
	for _, p := range append(slices.Clone(t.compiler.thrown), t.compiler.unknown...) {
		if p.inner == nil {
			in.compileProblem(t, p)
			continue
		}
		in.problems(tree{file: t.file, prefix: t.path(p), severity: t.severity, compiler: p.inner})
	}
	for _, p := range t.compiler.options {
		if misspeltOption(t.compiler.options, p) {
			continue
		}
		in.option(t.file, t.path(p), t.severity, p)
	}
	for i := range t.compiler.tasks {
		task := &t.compiler.tasks[i]
		top := len(t.prefix) == 0 && task.Parent == 0 // reported with the top level of the file
		if err := nameProblem(task.Name); err != nil && !top {
			in.problem(t.file, append(slices.Clone(t.prefix), taskPath(t.compiler.tasks, i)...), t.severity, err)
		}
		if task.Local.Has(keyExport) {
			path := append(t.path(problem{task: i}), keyExport)
			in.problem(t.file, path, SeverityWarning, asError(param.NotObject(keyExport)))
		}
	}
}
