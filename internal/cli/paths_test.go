package cli_test

import (
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

var (
	mdItem      = regexp.MustCompile(`\n\s*\n|\n *(?:[-*]|\d+\.) `)
	mdBold      = regexp.MustCompile(`\*\*([a-z]+)\*\*`)
	pathForm    = regexp.MustCompile(`^[\w.*-]+(/[\w.*-]+)*/?$`)
	pathWord    = regexp.MustCompile(`[A-Z]+`)
	pathSuffix  = regexp.MustCompile(`\.(go|md|sh|sql|yml)$`)
	pathFolders = []string{"bench", "chaos", "cmd", "conformance", "docs", "examples", "internal", "scripts"}
)

// Files and folders that the pages for developers name exist. A path counts from the top or from internal. A file without
// a folder is in a package that its paragraph names in bold or by a path. Capitals stand for any text: internal/api/NOUN.go.
func TestNamedPaths(t *testing.T) {
	t.Parallel()
	const root = "../.."
	packages := packageFolders(t, root)
	checked := 0
	for _, page := range []string{"ARCHITECTURE.md", "CONTRIBUTING.md"} {
		text := "\n" + prose(t, filepath.Join(root, page))
		for _, item := range mdItem.Split(text, -1) {
			for _, name := range namedPaths(item, packages) {
				checked++
				if !pathExists(root, name, roomsOf(item, packages), packages) {
					t.Errorf("%s names `%s`, which does not exist; it says: %.80q", page, name, strings.TrimSpace(item))
				}
			}
		}
	}
	if checked < 100 {
		t.Errorf("%d paths were checked, want 100", checked)
	}
}

// packageFolders returns the folders below internal, as their paths from there.
func packageFolders(t *testing.T, root string) []string {
	t.Helper()
	var folders []string
	internal := filepath.Join(root, "internal")
	err := filepath.WalkDir(internal, func(name string, entry fs.DirEntry, err error) error {
		if err == nil && entry.IsDir() && entry.Name() == "testdata" {
			return filepath.SkipDir
		}
		if err == nil && entry.IsDir() && name != internal {
			folders = append(folders, filepath.ToSlash(strings.TrimPrefix(name, internal+string(filepath.Separator))))
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return folders
}

// namedPaths returns what is in backticks in an item and has the form of a path: it ends as files do, or begins with a
// folder of ours and goes on.
func namedPaths(item string, packages []string) []string {
	var names []string
	for _, code := range mdCode.FindAllString(item, -1) {
		name := strings.Trim(code, "`")
		first, _, isPath := strings.Cut(name, "/")
		ours := isPath && (slices.Contains(pathFolders, first) || slices.Contains(packages, first))
		if pathForm.MatchString(name) && (ours || pathSuffix.MatchString(name)) {
			names = append(names, name)
		}
	}
	return names
}

// roomsOf returns the packages that an item names.
func roomsOf(item string, packages []string) []string {
	var rooms []string
	for _, m := range mdBold.FindAllStringSubmatch(item, -1) {
		rooms = append(rooms, m[1])
	}
	for _, name := range namedPaths(item, packages) {
		if room := path.Dir(strings.TrimPrefix(name, "internal/")); slices.Contains(packages, room) {
			rooms = append(rooms, room)
		}
	}
	return rooms
}

// pathExists reports whether a file or folder has that name, in the rooms if the name has no folder and there are any.
func pathExists(root, name string, rooms, packages []string) bool {
	if exists(root, name) || exists(root, "internal/"+name) {
		return true
	}
	if strings.Contains(name, "/") {
		return false
	}
	if len(rooms) == 0 {
		rooms = packages
	}
	return slices.ContainsFunc(rooms, func(room string) bool { return exists(root, "internal/"+room+"/"+name) })
}

// exists reports whether the path is there as it is written, or with any text in the place of words in capitals.
func exists(root, name string) bool {
	name = filepath.Join(root, filepath.FromSlash(name))
	if _, err := os.Stat(name); err == nil {
		return true
	}
	found, err := filepath.Glob(pathWord.ReplaceAllString(name, "*"))
	return err == nil && len(found) > 0
}
