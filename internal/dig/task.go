package dig

import (
	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/param"
)

// Keys of a body that have a meaning for the compiler (language 2.4, 2.8).
const (
	keyAfter      = "_after"
	keyBackground = "_background"
	keyCheck      = "_check"
	keyCommand    = "_command"
	keyDisable    = "_disable"
	keyDo         = "_do"
	keyElseDo     = "_else_do"
	keyEnv        = "_env"
	keyError      = "_error"
	keyExport     = "_export"
	keyParallel   = "_parallel"
	keyRetry      = "_retry"
	keySchedule   = "schedule"
	keySecrets    = "_secrets"
	keySLA        = "sla"
	keyTimezone   = "timezone"
	keyType       = "_type"
	keyWorkdir    = "_workdir"
)

// Task is a compiled task (language C1). Tasks are in pre-order: a group comes before its children, and
// children are in the order of the file. Tasks may share maps and slices, so do not change them.
type Task struct {
	Parent    int           // index of the parent; -1 for the root
	Name      string        // own name, such as "+load" or "^sub"
	FullName  string        // names from the root, such as "+main+load" (language C10)
	Group     bool          // a grouping task, which has no operator
	Local     *param.Map    // own keys without _export
	Export    *param.Map    // what _export has; never nil
	Upstreams []int         // indexes of the siblings that must succeed first, in Digdag's order
	Origin    trowel.Origin // where it is written; empty if that is not known
}

// Config returns the body of the task as Digdag's API shows it: local keys, then _export if it has any.
func (t *Task) Config() *param.Map {
	if t.Export.Len() == 0 {
		return t.Local
	}
	config := t.Local.Clone()
	config.Delete(keyExport)
	config.Set(keyExport, t.Export)
	return config
}

// CheckExports refuses tasks whose _export is neither an object nor null. A push does not check this, but
// an attempt or a generating task fails (language L40b). The error is an *Error.
func CheckExports(tasks []Task) error {
	for i := range tasks {
		if tasks[i].Local.Has(keyExport) {
			return asError(param.NotObject(keyExport))
		}
	}
	return nil
}
