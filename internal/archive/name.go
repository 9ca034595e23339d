package archive

import (
	"path"
	"strings"
)

// maxElement is the largest length in bytes of one element of a name, which is the limit of file systems on Linux,
// macOS and Windows.
const maxElement = 255

// longElement returns the first element of a name that is too long, or "" if there is none.
func longElement(name string) string {
	for element := range strings.SplitSeq(name, "/") {
		if len(element) > maxElement {
			return element
		}
	}
	return ""
}

// maxPath is the largest length in bytes of the whole name of a file. Agents put a folder before it, and Linux opens
// paths of up to 4,096 bytes.
const maxPath = 3072

// maxName is the largest length in bytes of a name or of the target of a link, which is the limit of Linux.
const maxName = 4096

// cleanName returns the name of an entry as a slash path from the project's root, "." for the root.
// ok is false if it leads out of the project.
func cleanName(name string) (clean string, ok bool) {
	if name == "" || path.IsAbs(name) || len(name) > maxName || strings.ContainsRune(name, 0) {
		return "", false
	}
	clean = path.Clean(name)
	return clean, clean != ".." && !strings.HasPrefix(clean, "../")
}

// compareNames orders names so that the content of a folder comes directly after the folder: the separator
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
