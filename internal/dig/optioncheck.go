package dig

import (
	"slices"
	"strings"

	"github.com/trowel-project/trowel/internal/param"
)

// insteadOfRate says what there is until keyRate is supported.
const insteadOfRate = "use _concurrency to bound how many run at the same time"

// checkOptions adds problems of the options in the body of a task (control K103, K107,
// K110).
func (c *compiler) checkOptions(index int, body *param.Map) {
	r := optionReader{unevaluated: true}
	r.body(body, c.tasks[index].Group)
	for i := range r.errs {
		c.options = append(c.options, r.errs[i].problem(index))
	}
}

// body reads all options of a body.
func (r *optionReader) body(body *param.Map, group bool) {
	own := param.New()
	for key, value := range body.All() {
		switch {
		case isOptionKey(key) && value != nil:
			own.Set(key, value)
		case key == keyDefaults && group:
			r.defaults(value)
		case key == keyDefaults:
			r.misplaced("belongs to a group, not to a task with an operator", key)
		case key == keyRate && !group:
			r.later(insteadOfRate, key)
		}
	}
	if own.Len() > 0 {
		r.own(own)
	}
}

// own reads the options of one body, or of one _defaults.
func (r *optionReader) own(own *param.Map) {
	r.needs(own, "")
	pool, named := own.Get(keyPool)
	if _, simple := param.AsString(pool); named && !simple && own.Has(keyPoolSlots) {
		r.wrongf([]string{keyPoolSlots}, "goes with one pool that is given by its name: write {name: ..., slots: ...} below _pool")
	}
}

// defaults reads _defaults (control K107).
func (r *optionReader) defaults(value param.Value) {
	if value == nil {
		return
	}
	object, ok := value.(*param.Map)
	if !ok {
		r.wrong(asError(param.NotObject(keyDefaults)), keyDefaults)
		return
	}
	in := optionReader{unevaluated: true}
	own := param.New()
	for key, value := range object.All() {
		switch {
		case isOptionKey(key):
			if value != nil {
				own.Set(key, value)
			}
		case key == keyRetry:
			in.retry(value)
		case key == keyRate:
			in.later(insteadOfRate, key)
		default:
			in.misplaced("does not belong into _defaults, which takes "+alternatives(append([]string{keyRetry}, optionKeys()...)), key)
		}
	}
	in.own(own)
	for _, e := range in.errs {
		e.path = append([]string{keyDefaults}, e.path...)
		r.errs = append(r.errs, e)
	}
}

func (r *optionReader) retry(value param.Value) {
	if value == nil || hasTemplate(value) {
		return
	}
	if _, err := ParseRetry(value); err != nil {
		r.wrong(asError(err), keyRetry)
	}
}

// misplaced refuses a key in a place where it has no meaning.
func (r *optionReader) misplaced(why string, path ...string) {
	err := configErrorf("Parameter '%s' %s", strings.Join(path, "."), why)
	r.errs = append(r.errs, optionError{path: slices.Clone(path), id: findingPlace, err: err})
}
