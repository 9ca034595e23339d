package textutil

import "path/filepath"

// RelativePath is a path as people in a folder write it: from there, if it is below.
func RelativePath(dir, path string) string {
	relative, err := filepath.Rel(dir, path)
	if err != nil || !filepath.IsLocal(relative) {
		return path
	}
	return relative
}
