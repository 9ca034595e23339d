package dig

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/trowel-project/trowel/internal/param"
)

// Texts of Additions: what Digdag does with a key of Trowel (control K102).
const (
	digdagGroup    = "Digdag refuses '%s' on a group"
	digdagTop      = "Digdag refuses '%s' at the top level of a file"
	digdagOperator = "Digdag hands '%s' to the operator, which ignores it"
	digdagInner    = "Digdag ignores '%s' below %s"
)

// Additions lists the parts of Trowel's language that the workflows of a local folder use and Digdag does not have,
// sorted by file and place, with what Digdag does with them (control K121). It returns nothing for a folder that cannot
// be read; Load says why.
func Additions(dir string) []Finding {
	absolute, err := filepath.Abs(dir)
	if err != nil {
		return nil
	}
	in := &inspection{only: findingDigdag}
	return in.run(&Project{Dir: absolute, files: os.DirFS(absolute)})
}

// additions reports the keys of one task that Digdag does not have.
func (in *inspection) additions(t tree, index int) {
	task := &t.compiler.tasks[index]
	top := len(t.prefix) == 0 && task.Parent < 0
	for key, value := range task.Local.All() {
		text := ""
		limit := task.Group && slices.Contains(controlKeys(), key)
		switch {
		case key == keyRetry:
			in.innerAdditions(t, index, key, value, "limit", "interval", "interval_type", "max_interval")
		case key == keyParallel:
			in.innerAdditions(t, index, key, value, "limit")
		case !IsOption(key) && !limit:
		case top:
			text = digdagTop
		case task.Group:
			text = digdagGroup
		default:
			text = digdagOperator
		}
		if text != "" {
			in.tellAt(t, index, findingDigdag, fmt.Sprintf(text, key), "", key)
		}
	}
}

// innerAdditions reports the keys of an object that Digdag does not know, except the given ones.
func (in *inspection) innerAdditions(t tree, index int, key string, value param.Value, known ...string) {
	object, _ := value.(*param.Map)
	for inner := range object.All() {
		if !slices.Contains(known, inner) {
			in.tellAt(t, index, findingDigdag, fmt.Sprintf(digdagInner, inner, key), "", key, inner)
		}
	}
}
