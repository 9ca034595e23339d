package dig

import (
	"path"
	"strings"

	"github.com/trowel-project/trowel/internal/param"
	"github.com/trowel-project/trowel/internal/schedule"
)

const suffix = ".dig" // L2

// Texts of L35, L37 and L44.
const (
	unknownKeys = "Workflow '%s' includes unknown keys: [%s]"
	configType  = "[reference type, class com.google.common.base.Optional<io.digdag.client.config.Config>" +
		"<[simple type, class io.digdag.client.config.Config]>]"
)

// topLevelKeys stand before the tasks of a definition, in this order, after _export (L40a).
var topLevelKeys = []string{keySchedule, keySLA, keyError, keyCheck, keyRetry, keyParallel}

// Workflow is a workflow file that was read.
type Workflow struct {
	Name string // L3
	File string // slash path from the project's root
	Zone schedule.Zone
	// Definition is the stored form: _export (left out if empty), the other directives, the tasks
	// (language L40a). The time zone is not in it.
	Definition *param.Map
	// Schedule and SLA are the blocks of that name in the definition: nil if there is none or if
	// it is no object, which ScheduleBlock and SLABlock refuse.
	Schedule, SLA *param.Map
}

// workflowOf makes a workflow of the content of its file (language 1.7). A file in a folder gets
// the parameter _workdir (L57).
func workflowOf(file string, content *param.Map) (*Workflow, *Error) {
	name := strings.TrimSuffix(file, suffix)
	value, _ := content.Get(keyTimezone)
	zone, err := schedule.ZoneOf(value)
	if err != nil {
		return nil, asError(err)
	}
	export, err := param.NewReader(content).OptMap(keyExport)
	if err != nil {
		return nil, asError(err)
	}
	definition := param.Sized(content.Len())
	definition.Set(keyExport, nil) // its place; filled or removed below
	for _, key := range topLevelKeys {
		value, ok := content.Get(key)
		if !ok {
			continue
		}
		if value == nil {
			return nil, configErrorf(taskNull, key)
		}
		definition.Set(key, value)
	}
	unknown, problem := addTasks(definition, content)
	if problem != nil {
		return nil, problem
	}
	if unknown != nil {
		return nil, configErrorf(unknownKeys, name, strings.Join(unknown, ", "))
	}
	if problem := checkNames(name, definition); problem != nil {
		return nil, problem
	}
	if export, problem = withWorkdir(export, file); problem != nil {
		return nil, problem
	}
	if export.Len() == 0 {
		definition.Delete(keyExport)
	} else {
		definition.Set(keyExport, export)
	}
	w := &Workflow{Name: name, File: file, Zone: zone, Definition: definition}
	w.Schedule, _ = param.NewReader(definition).OptMap(keySchedule)
	w.SLA, _ = param.NewReader(definition).OptMap(keySLA)
	return w, nil
}

// addTasks adds the tasks of a file to its definition and returns the keys that have no meaning.
func addTasks(definition, content *param.Map) (unknown []string, err *Error) {
	for key, value := range content.All() {
		switch {
		case isTaskKey(key):
			if value == nil {
				return nil, configErrorf(taskNull, key)
			}
			definition.Set(key, value)
		case key != keyTimezone && key != keyExport && !definition.Has(key):
			unknown = append(unknown, key)
		}
	}
	return unknown, nil
}

// checkNames checks the names of the tasks at the top level and of the workflow (L6, L39).
func checkNames(name string, definition *param.Map) *Error {
	v := validation{model: "workflow"}
	for key := range definition.All() {
		if isTaskKey(key) && (!goodTaskName(key) || strings.Contains(key, "^")) {
			v.topTaskName("task name", key)
		}
	}
	v.name("name", name)
	return v.err()
}

// withWorkdir sets _workdir to the folder of a file that is not in the project's root (L57).
func withWorkdir(export *param.Map, file string) (*param.Map, *Error) {
	dir := path.Dir(file)
	if dir == "." {
		return export, nil
	}
	own, present, err := param.NewReader(export).OptString(keyWorkdir)
	if err != nil {
		return nil, asError(err)
	}
	if present {
		dir += "/" + own
	}
	export = export.Clone()
	export.Set(keyWorkdir, dir)
	return export, nil
}

// ScheduleBlock returns the schedule of the workflow, or nil. One that is no object is refused.
func (w *Workflow) ScheduleBlock() (*param.Map, error) {
	if w.Schedule == nil && w.Definition.Has(keySchedule) {
		value, _ := w.Definition.Get(keySchedule)
		return nil, asError(param.WrongType(keySchedule, configType, value))
	}
	return w.Schedule, nil
}

// SLABlock returns the block sla of the workflow, or nil. One that is no object is refused (S43).
func (w *Workflow) SLABlock() (*param.Map, error) {
	if w.SLA == nil && w.Definition.Has(keySLA) {
		return nil, asError(param.NotObject(keySLA))
	}
	return w.SLA, nil
}
