package dig

import (
	"fmt"
	"io/fs"

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/param"
)

const poolUnknown = "There is no pool '%s': tasks that name it wait until it is created" // control K803

// UnknownPools warns about pools that workflows name without an expression and that are not known. The
// id of these findings is pool-unknown (control K803, K121). The default pool is always known. For files and dir
// see LoadFS. Findings are sorted by file and place.
func UnknownPools(files fs.FS, dir string, known func(name string) bool) []Finding {
	in := &inspection{knownPool: known, only: findingPool}
	return in.run(&Project{Dir: dir, files: files})
}

// unknownPools warns about the pools that one body names.
func (in *inspection) unknownPools(t tree, index int) {
	body := t.compiler.tasks[index].Local
	defaults, _ := body.Get(keyDefaults)
	in.unknownPoolsOf(t, index, body, keyPool)
	if object, ok := defaults.(*param.Map); ok {
		in.unknownPoolsOf(t, index, object, keyDefaults, keyPool)
	}
}

func (in *inspection) unknownPoolsOf(t tree, index int, body *param.Map, path ...string) {
	value, _ := body.Get(keyPool)
	for _, name := range poolNames(value) {
		if name == trowel.DefaultPool || in.knownPool(name) {
			continue
		}
		in.tellAt(t, index, findingPool, fmt.Sprintf(poolUnknown, name), "create it, or name another", path...)
	}
}

// poolNames returns the names in a value of _pool that need no evaluation.
func poolNames(value param.Value) []string {
	var names []string
	list, ok := value.(param.List)
	if !ok {
		list = param.List{value}
	}
	for _, item := range list {
		if object, ok := item.(*param.Map); ok {
			item, _ = object.Get("name")
		}
		if name, ok := param.AsString(item); ok && !isTemplate(name) {
			names = append(names, name)
		}
	}
	return names
}
