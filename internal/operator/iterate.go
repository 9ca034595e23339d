package operator

import (
	"github.com/trowel-project/trowel/internal/dig"
	"github.com/trowel-project/trowel/internal/param"
)

// iterations builds the body of the ^sub task of a loop: one task an iteration, each with the body _do
// and variables of its own. What iterations have in common is shared, not copied.
type iterations struct {
	do     *param.Map
	export *param.Map // _export of do, once it was read
	sub    *param.Map
}

// newIterations reads _do, which must be there. That counts as reading all keys (operators 1.17).
func newIterations(params *param.Reader) (*iterations, error) {
	params.UseAll()
	do, err := params.MapOf("_do")
	if err != nil {
		return nil, err
	}
	return &iterations{do: do, sub: param.New()}, nil
}

// readExport reads the _export of _do, once it is known that there are iterations.
func (it *iterations) readExport() error {
	if it.export != nil {
		return nil
	}
	export, err := param.NewReader(it.do).OptMap("_export")
	if err != nil {
		return err
	}
	it.export = param.Merged(param.New(), export)
	return nil
}

// add adds an iteration. Its variables replace those of the same names in _do's _export.
func (it *iterations) add(name string, variables *param.Map) error {
	if err := it.readExport(); err != nil {
		return err
	}
	if it.export.Len() > 0 {
		export := it.export.Clone()
		for key, value := range variables.All() {
			export.Set(key, value)
		}
		variables = export
	}
	task := it.do.Clone()
	task.Set("_export", variables)
	it.sub.Set(name, task)
	return nil
}

// finish returns the outcome. _parallel of the loop is copied as it is, unless it is false (language
// O6); then even a loop without iterations makes a task.
func (it *iterations) finish(params *param.Reader) (Outcome, error) {
	parallel, err := dig.ParseParallel(params.Map())
	if err != nil {
		return Outcome{}, err
	}
	if parallel.On {
		value, _ := params.Value("_parallel")
		it.sub.Set("_parallel", value)
	}
	return generate(it.sub)
}
