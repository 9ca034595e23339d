package dig

import (
	"path"
	"slices"
	"strings"

	trowel "github.com/trowel-project/trowel"
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

// topLevelKeys returns the keys that come before the tasks of a definition, in this order, after
// _export (L40a).
func topLevelKeys() []string {
	return []string{keySchedule, keySLA, keyError, keyCheck, keyRetry, keyParallel}
}

// Workflow is a workflow file that was read.
type Workflow struct {
	Name string // L3
	File string // slash path from the project's root
	Zone schedule.Zone
	// Definition is the stored form: _export (left out if empty), the other directives, then the tasks
	// (language L40a). It does not have the time zone.
	Definition *param.Map
	// Origin is where the tasks are written.
	Origin trowel.Origin
	// Schedule and SLA are the blocks of that name in the definition. They are nil if there is none, or if
	// it is not an object, which ScheduleBlock and SLABlock refuse.
	Schedule, SLA *param.Map
}

// workflowOf makes a workflow from the content of its file (language 1.7).
func workflowOf(file string, content *param.Map) (*Workflow, *Error) {
	d := draftOf(file, content)
	if err := d.refusal(); err != nil {
		return nil, err
	}
	return &d.Workflow, nil
}

// draft is a workflow with everything that is wrong with its file.
type draft struct {
	Workflow
	thrown []problem // refused immediately, in Digdag's order
	names  []problem // names, which Digdag reports all at once at the end
	limits []problem // about keys of Trowel, reported last
}

// refusal returns what Digdag reports about the file.
func (d *draft) refusal() *Error {
	if len(d.thrown) > 0 {
		return d.thrown[0].err
	}
	v := validation{model: "workflow"}
	for _, p := range d.names {
		v.lines = append(v.lines, p.err.Message)
	}
	if err := v.err(); err != nil || len(d.limits) == 0 {
		return err
	}
	return d.limits[0].err
}

func (d *draft) throw(err *Error, path ...string) {
	d.thrown = append(d.thrown, problem{task: -1, path: path, err: err})
}

// draftOf reads the content of a file. A file in a folder gets the parameter _workdir (L57).
func draftOf(file string, content *param.Map) *draft {
	d := &draft{Workflow: Workflow{Name: strings.TrimSuffix(file, suffix), File: file}}
	value, _ := content.Get(keyTimezone)
	zone, err := schedule.ZoneOf(value)
	if err != nil {
		d.throw(asError(err), keyTimezone)
		zone, _ = schedule.ZoneOf(nil) // what is wrong with the rest is reported too
	}
	d.Zone = zone
	export, err := param.NewReader(content).OptMap(keyExport)
	if err != nil {
		d.throw(asError(err), keyExport)
	}
	d.Definition = param.Sized(content.Len())
	d.Definition.Set(keyExport, nil) // its place; filled or removed below
	for _, key := range topLevelKeys() {
		d.take(content, key)
	}
	for _, key := range append(append(optionKeys(), keyDefaults), controlKeys()...) {
		if value, ok := content.Get(key); ok {
			d.Definition.Set(key, value) // null means something, see Options
		}
	}
	for key := range content.All() {
		if isTaskKey(key) {
			d.take(content, key)
		}
	}
	d.refuseOthers(content)
	d.checkNames()
	d.checkLimits()
	if export = d.withWorkdir(export); export.Len() > 0 {
		d.Definition.Set(keyExport, export)
	} else {
		d.Definition.Delete(keyExport)
	}
	d.Schedule, _ = param.NewReader(d.Definition).OptMap(keySchedule)
	d.SLA, _ = param.NewReader(d.Definition).OptMap(keySLA)
	return d
}

// take moves a key into the definition if the file has it.
func (d *draft) take(content *param.Map, key string) {
	value, ok := content.Get(key)
	switch {
	case ok && value == nil:
		d.throw(configErrorf(taskNull, key), key)
	case ok:
		d.Definition.Set(key, value)
	}
}

// refuseOthers refuses the keys that have no meaning at the top level (L37).
func (d *draft) refuseOthers(content *param.Map) {
	var unknown []string
	known := append(topLevelKeys(), keyTimezone, keyExport)
	known = append(known, controlKeys()...)
	for key := range content.All() {
		if !isTaskKey(key) && !IsOption(key) && !slices.Contains(known, key) {
			unknown = append(unknown, key)
		}
	}
	for _, key := range unknown {
		d.throw(configErrorf(unknownKeys, d.Name, strings.Join(unknown, ", ")), key)
	}
}

// checkLimits checks the limits that the workflow sets for itself (control K104).
func (d *draft) checkLimits() {
	r := optionReader{}
	r.control(d.Definition)
	for i := range r.errs {
		d.limits = append(d.limits, r.errs[i].problem(-1))
	}
}

// checkNames checks the names of the tasks at the top level and of the workflow (L6, L39).
func (d *draft) checkNames() {
	note := func(v validation, path ...string) {
		for _, line := range v.lines {
			err := &Error{Kind: KindModelValidation, Message: line}
			d.names = append(d.names, problem{task: -1, path: path, err: err})
		}
	}
	for key := range d.Definition.All() {
		if isTaskKey(key) && (!goodTaskName(key) || strings.Contains(key, "^")) {
			v := validation{}
			v.topTaskName("task name", key)
			note(v, key)
		}
	}
	v := validation{}
	v.name("name", d.Name)
	note(v)
}

// withWorkdir sets _workdir to the folder of a file that is not in the project's root (L57).
func (d *draft) withWorkdir(export *param.Map) *param.Map {
	dir := path.Dir(d.File)
	if dir == "." {
		return export
	}
	if own, _ := export.Get(keyWorkdir); own != nil {
		text, ok := param.AsString(own)
		if !ok {
			d.throw(asError(param.WrongType(keyWorkdir, optionalString, own)), keyExport, keyWorkdir)
		}
		dir += "/" + text
	}
	export = export.Clone()
	export.Set(keyWorkdir, dir)
	return export
}

// ScheduleBlock returns the schedule of the workflow, or nil. One that is not an object is refused.
func (w *Workflow) ScheduleBlock() (*param.Map, error) {
	if w.Schedule == nil && w.Definition.Has(keySchedule) {
		value, _ := w.Definition.Get(keySchedule)
		return nil, asError(param.WrongType(keySchedule, configType, value))
	}
	return w.Schedule, nil
}

// CheckSchedules refuses schedules as a push and the local scheduler do, including those with options that nobody reads
// (S10).
func (p *Project) CheckSchedules() error {
	for _, w := range p.Workflows {
		block, err := w.ScheduleBlock()
		if err == nil && block != nil {
			_, err = schedule.ParseStrict(block, w.Zone)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// SLABlock returns the block sla of the workflow, or nil. One that is not an object is refused (S43).
func (w *Workflow) SLABlock() (*param.Map, error) {
	if w.SLA == nil && w.Definition.Has(keySLA) {
		return nil, asError(param.NotObject(keySLA))
	}
	return w.SLA, nil
}
