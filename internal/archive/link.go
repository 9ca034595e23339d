package archive

import (
	"path"
	"slices"
	"strings"
)

// Limits of following links. A path through more links than the first leads nowhere, as in the
// system. The second is for all links of an archive together.
const (
	maxHops  = 40
	maxSteps = 1_000_000
)

// links are the symbolic links of an archive, by their names.
type links struct {
	targets map[string]string
	steps   int
}

// firstOutside returns the first of the named links that leaves the project, by itself or through
// others, or "" if there is none. Targets that do not exist are inside or outside as well.
func (l *links) firstOutside(names []string) string {
	for _, name := range names {
		if target, ok := l.targets[name]; ok && !l.inside(path.Dir(name), target) {
			return name
		}
	}
	return ""
}

// inside reports whether a target, seen from a folder that is not a link, stays inside the project. In an
// archive with too many links to follow none does.
func (l *links) inside(dir, target string) bool {
	var at []string // the present folder
	if dir != "." {
		at = strings.Split(dir, "/")
	}
	rest := strings.Split(target, "/")
	if target == "" || rest[0] == "" || len(target) > maxName { // absolute
		return false
	}
	for hops := 0; len(rest) > 0; {
		if l.steps++; l.steps > maxSteps {
			return false
		}
		element := rest[0]
		rest = rest[1:]
		switch element {
		case "", ".":
			continue
		case "..":
			if len(at) == 0 {
				return false
			}
			at = at[:len(at)-1]
			continue
		}
		next, isLink := l.targets[strings.Join(append(slices.Clip(at), element), "/")]
		if !isLink {
			at = append(at, element)
			continue
		}
		if hops++; hops > maxHops {
			return true // the system does not follow the link
		}
		if path.IsAbs(next) {
			return false
		}
		rest = append(strings.Split(next, "/"), rest...)
	}
	return true
}
