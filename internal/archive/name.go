package archive

import (
	"path"
	"strings"
)

// maxElement is how long one element of a name may be, in bytes: what the file systems of Linux, macOS and
// Windows have.
const maxElement = 255

// longElement returns the first element of a name that is too long, empty if there is none.
func longElement(name string) string {
	for element := range strings.SplitSeq(name, "/") {
		if len(element) > maxElement {
			return element
		}
	}
	return ""
}

// maxPath is how long the whole name of a file may be, in bytes: agents have some more above it, and Linux opens
// paths of 4,096.
const maxPath = 3072

// maxName is how long a name or the target of a link may be, in bytes: what Linux opens.
const maxName = 4096

// cleanName returns the name of an entry as a slash path from the project's root, "." for the root.
// It is not ok if it leads out of the project.
func cleanName(name string) (clean string, ok bool) {
	if name == "" || path.IsAbs(name) || len(name) > maxName || strings.ContainsRune(name, 0) {
		return "", false
	}
	clean = path.Clean(name)
	return clean, clean != ".." && !strings.HasPrefix(clean, "../")
}

// compareNames orders names so that what is in a folder follows the folder at once: the separator
// comes before all other bytes.
func compareNames(a, b string) int {
	for i := range min(len(a), len(b)) {
		switch {
		case a[i] == b[i]:
		case a[i] == '/':
			return -1
		case b[i] == '/':
			return 1
		default:
			return int(a[i]) - int(b[i])
		}
	}
	return len(a) - len(b)
}
