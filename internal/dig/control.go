package dig

import (
	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/param"
)

// ControlKeys returns the keys of a definition that ControlOf reads.
func ControlKeys() []string { return []string{keyMaxActiveAttempts, keyMaxActiveTasks} }

// ControlOf reads the limits that a workflow sets for itself from its stored definition (control K104,
// K813). The error is an *Error of kind config.
func ControlOf(definition *param.Map) (trowel.WorkflowLimits, error) {
	r := optionReader{}
	control := r.control(definition)
	if len(r.errs) > 0 {
		return trowel.WorkflowLimits{}, r.errs[0].err
	}
	return control, nil
}

// control reads the keys of a workflow. None of them is ever evaluated.
func (r *optionReader) control(definition *param.Map) (c trowel.WorkflowLimits) {
	attempts, _ := definition.Get(keyMaxActiveAttempts)
	tasks, _ := definition.Get(keyMaxActiveTasks)
	if attempts != nil && r.plain(attempts, keyMaxActiveAttempts) {
		r.activeAttempts(attempts, &c)
	}
	if tasks != nil && r.plain(tasks, keyMaxActiveTasks) {
		r.activeTasks(tasks, &c)
	}
	return c
}

// plain refuses a value with ${ for a key that is never evaluated (control K108).
func (r *optionReader) plain(value param.Value, key string) bool {
	if !hasTemplate(value) {
		return true
	}
	r.errs = append(r.errs, optionError{
		path: []string{key}, id: findingTemplate,
		err: configErrorf("Parameter '%s' must not have an expression: it is never evaluated", key),
	})
	return false
}

func (r *optionReader) activeAttempts(value param.Value, c *trowel.WorkflowLimits) {
	object, ok := value.(*param.Map)
	if !ok {
		c.ActiveAttempts = r.integer(value, 1, maxCount, keyMaxActiveAttempts)
		return
	}
	r.known(object, keyMaxActiveAttempts, "limit", "on_exceed")
	if limit, ok := object.Get("limit"); ok {
		c.ActiveAttempts = r.integer(limit, 1, maxCount, keyMaxActiveAttempts, "limit")
	} else {
		r.lacking(keyMaxActiveAttempts, "limit")
	}
	if exceed, _ := object.Get("on_exceed"); exceed != nil {
		c.RejectAttempts = r.missing([]string{keyMaxActiveAttempts, "on_exceed"}, exceed, "wait", "reject") == "reject"
	}
}

func (r *optionReader) activeTasks(value param.Value, c *trowel.WorkflowLimits) {
	object, ok := value.(*param.Map)
	if !ok {
		c.TasksPerAttempt = r.integer(value, 1, maxCount, keyMaxActiveTasks)
		return
	}
	r.known(object, keyMaxActiveTasks, "per_attempt", "per_workflow")
	if object.Len() == 0 {
		r.wrongf([]string{keyMaxActiveTasks}, "needs the key 'per_attempt' or 'per_workflow'")
	}
	if n, _ := object.Get("per_attempt"); n != nil {
		c.TasksPerAttempt = r.integer(n, 1, maxCount, keyMaxActiveTasks, "per_attempt")
	}
	if n, _ := object.Get("per_workflow"); n != nil {
		c.TasksPerWorkflow = r.integer(n, 1, maxCount, keyMaxActiveTasks, "per_workflow")
	}
}
