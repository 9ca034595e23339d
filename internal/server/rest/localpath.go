package rest

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// withoutLocalPaths returns the text of an error without absolute paths of files. They belong in the log only. Files of a
// project have relative paths, and stay.
func withoutLocalPaths(err error) string {
	text := err.Error()
	for _, place := range localPathsIn(err) {
		text = strings.ReplaceAll(text, place.with, place.without)
	}
	return text
}

// localPath is a part of an error's text that has a path of the server, and the text without the path.
type localPath struct{ with, without string }

// localPathsIn finds the paths in an error and all errors that it wraps.
func localPathsIn(err error) []localPath {
	switch failed := err.(type) { //nolint:errorlint // it visits every wrapped error
	case nil:
		return nil
	case *fs.PathError:
		if filepath.IsAbs(failed.Path) {
			return []localPath{{failed.Error(), failed.Err.Error()}}
		}
	case *os.LinkError:
		if filepath.IsAbs(failed.Old) || filepath.IsAbs(failed.New) {
			return []localPath{{failed.Error(), failed.Err.Error()}}
		}
	case interface{ Unwrap() error }:
		return localPathsIn(failed.Unwrap())
	case interface{ Unwrap() []error }:
		var all []localPath
		for _, wrapped := range failed.Unwrap() {
			all = append(all, localPathsIn(wrapped)...)
		}
		return all
	}
	return nil
}
