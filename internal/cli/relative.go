package cli

import "path/filepath"

// seenFrom is a path as people in a folder write it: from there, if it is below.
func seenFrom(dir, path string) string {
	relative, err := filepath.Rel(dir, path)
	if err != nil || !filepath.IsLocal(relative) {
		return path
	}
	return relative
}
