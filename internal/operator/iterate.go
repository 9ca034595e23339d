package operator

import (
	"github.com/trowel-project/trowel/internal/dig"
	"github.com/trowel-project/trowel/internal/param"
)

// Iterations builds the body of the ^sub task of a loop. It has one task for each iteration, with the body _do
// and its own variables. What iterations have in common is shared, not copied.
type Iterations struct {
	do     *param.Map
	export *param.Map // _export of do; nil until it is read
	sub    *param.Map
}

// NewIterations reads _do, which is required. That counts as reading all keys (operators 1.17).
func NewIterations(params *param.Reader) (*Iterations, error) {
	params.UseAll()
	do, err := params.MapOf("_do")
	if err != nil {
		return nil, err
	}
	return &Iterations{do: do, sub: param.New()}, nil
}

// readExport reads the _export of _do, if there are iterations.
func (it *Iterations) readExport() error {
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

// Add adds an iteration. Its variables replace those of the same names in _do's _export.
func (it *Iterations) Add(name string, variables *param.Map) error {
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

// Finish returns the outcome. It copies _parallel of the loop as it is, unless it is false (language
// O6). Then even a loop without iterations makes a task.
func (it *Iterations) Finish(params *param.Reader) (Outcome, error) {
	parallel, err := dig.ParseParallel(params.Map())
	if err != nil {
		return Outcome{}, err
	}
	if parallel.On {
		value, _ := params.Value("_parallel")
		it.sub.Set("_parallel", value)
	}
	return Generate(it.sub)
}
