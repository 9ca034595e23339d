package rest

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// withoutPlaces is the text of an error without the paths of this server's own files, which are for its log alone.
// Files of a project have relative paths, and stay.
func withoutPlaces(err error) string {
	text := err.Error()
	for _, place := range placesIn(err) {
		text = strings.ReplaceAll(text, place.with, place.without)
	}
	return text
}

// place is the part of an error's text that has a path of the server, and what is said in its place.
type place struct{ with, without string }

// placesIn are the places in all errors that one wraps.
func placesIn(err error) []place {
	switch failed := err.(type) { //nolint:errorlint // it walks all of them
	case nil:
		return nil
	case *fs.PathError:
		if filepath.IsAbs(failed.Path) {
			return []place{{failed.Error(), failed.Err.Error()}}
		}
	case *os.LinkError:
		if filepath.IsAbs(failed.Old) || filepath.IsAbs(failed.New) {
			return []place{{failed.Error(), failed.Err.Error()}}
		}
	case interface{ Unwrap() error }:
		return placesIn(failed.Unwrap())
	case interface{ Unwrap() []error }:
		var all []place
		for _, wrapped := range failed.Unwrap() {
			all = append(all, placesIn(wrapped)...)
		}
		return all
	}
	return nil
}
