package dig

import (
	"slices"

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/param"
)

// Keys that Trowel adds to tasks (control K103) and to workflows (control K104).
const (
	keyPool           = "_pool"
	keyPoolSlots      = "_pool_slots"
	keyPriorityWeight = "_priority_weight"
	keyWeightRule     = "_weight_rule"
	keyConcurrency    = "_concurrency"
	keyQueue          = "_queue"
	keyLimits         = "_limits"
	keyDefaults       = "_defaults"

	keyRate = "_rate" // not supported yet

	keyMaxActiveAttempts = "max_active_attempts"
	keyMaxActiveTasks    = "max_active_tasks"
)

// optionKeys returns the keys of tasks that decide who may run when, how many at the same time, and with how much. A
// task inherits them (control K106).
func optionKeys() []string {
	return []string{keyPool, keyPoolSlots, keyPriorityWeight, keyWeightRule, keyConcurrency, keyQueue, keyLimits}
}

// isOptionKey reports whether a key is one of optionKeys. It is called for every key of every task.
func isOptionKey(key string) bool {
	switch key {
	case keyPool, keyPoolSlots, keyPriorityWeight, keyWeightRule, keyConcurrency, keyQueue, keyLimits:
		return true
	}
	return false
}

// IsOption reports whether a key of a task's body is an option of Trowel, which templates and operators
// do not see (control K109).
func IsOption(key string) bool { return isOptionKey(key) || key == keyDefaults }

// Options are the options that apply to a task and to everything below it (control K105 to K107), as they
// are written. Nil means none. They are never changed, as tasks share them.
type Options struct {
	values   *param.Map // without those that null has reset
	retry    param.Value
	hasRetry bool // an operator task without _retry uses this one, from _defaults
	// plain is the nearest _queue that is not from _defaults. Handler trees inherit it.
	plain param.Value

	templated *param.Map // those whose values contain ${
}

// Below returns the options of a body whose parent has the options o. A body without options has the same as its
// parent.
func (o *Options) Below(body *param.Map) *Options {
	defaults, own := false, false
	for key := range body.All() {
		defaults = defaults || key == keyDefaults
		own = own || isOptionKey(key)
	}
	if !own && !defaults {
		return o
	}
	below := &Options{values: param.New()}
	if o != nil {
		below.values, below.retry, below.hasRetry, below.plain = o.values.Clone(), o.retry, o.hasRetry, o.plain
	}
	if defaults {
		value, _ := body.Get(keyDefaults)
		given, _ := value.(*param.Map)
		below.take(given)
		if retry, ok := given.Get(keyRetry); ok {
			below.retry, below.hasRetry = retry, retry != nil
		}
	}
	below.take(body)
	if queue, ok := body.Get(keyQueue); ok {
		below.plain = queue
	}
	return below.settled()
}

// take takes the options of a body. Null resets what was inherited.
func (o *Options) take(body *param.Map) {
	for key, value := range body.All() {
		switch {
		case !isOptionKey(key):
		case value == nil:
			o.values.Delete(key)
		case key == keyLimits:
			inherited, _ := o.values.Get(key)
			if all := takeLimits(inherited, value); all != nil {
				o.values.Set(key, all)
			} else {
				o.values.Delete(key)
			}
		default:
			o.values.Set(key, value)
		}
	}
}

// settled notes which values must be evaluated.
func (o *Options) settled() *Options {
	for key, value := range o.values.All() {
		if hasTemplate(value) {
			if o.templated == nil {
				o.templated = param.New()
			}
			o.templated.Set(key, value)
		}
	}
	if o.values.Len() == 0 && !o.hasRetry && o.plain == nil {
		return nil
	}
	return o
}

// Handler returns what a handler tree, such as ^error, inherits from the options of its owner: only the
// queue (control K111).
func (o *Options) Handler() *Options {
	if o == nil || o.plain == nil {
		return nil
	}
	h := &Options{values: param.Of(keyQueue, o.plain), plain: o.plain}
	return h.settled()
}

// Templated returns the options that must be evaluated before a call of Needs, or nil if there are
// none. They must not be changed.
func (o *Options) Templated() *param.Map {
	if o == nil {
		return nil
	}
	return o.templated
}

// Retry returns the _retry in _defaults, for operator tasks without their own. It covers
// failures of the task itself, never those of its subtree (control K107).
func (o *Options) Retry() (param.Value, bool) {
	if o == nil {
		return nil, false
	}
	return o.retry, o.hasRetry
}

// Weight returns an operator task's own weight, for the sums of weight rules. A weight that must
// be evaluated counts as 1.
func (o *Options) Weight() int {
	needs, _, err := o.Needs(nil, "")
	if err != nil {
		return 1
	}
	return needs.PriorityWeight()
}

// Needs returns what an operator task with these options needs, and its weight rule. The weight in it is only the
// task's own. evaluated has the values of Templated; an option that it lacks counts as not written. fullName is
// the task's. The error is an *Error of kind config (control K110).
func (o *Options) Needs(evaluated *param.Map, fullName string) (*trowel.Requirements, WeightRule, error) {
	if o == nil || o.values.Len() == 0 {
		return nil, WeightAbsolute, nil
	}
	values := o.values
	if o.templated != nil {
		values = values.Clone()
		for key := range o.templated.All() {
			if value, _ := evaluated.Get(key); value != nil {
				values.Set(key, value)
			} else {
				values.Delete(key)
			}
		}
	}
	r := optionReader{}
	needs, rule := r.needs(values, fullName)
	if len(r.errs) > 0 {
		return nil, WeightAbsolute, r.errs[0].err
	}
	return needs, rule, nil
}

// hasTemplate reports whether a value has a text with ${ in it.
func hasTemplate(v param.Value) bool {
	switch v := v.(type) {
	case string:
		return isTemplate(v)
	case param.List:
		return slices.ContainsFunc(v, hasTemplate)
	case *param.Map:
		for _, inner := range v.All() {
			if hasTemplate(inner) {
				return true
			}
		}
	}
	return false
}
