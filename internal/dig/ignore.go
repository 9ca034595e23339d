package dig

import (
	"errors"
	"io/fs"
	"path"
	"slices"
	"strings"
)

// ignoreFile is the file of patterns in a project's root (language L5).
const ignoreFile = ".digdagignore"

// Ignore has the patterns of a .digdagignore file, with the meaning that they have in git. A nil Ignore
// excludes nothing.
type Ignore struct{ patterns []pattern }

// pattern is one line. Its segments are matched against those of a path.
type pattern struct {
	except   bool // begins with "!": a path that matches is included after all
	dirOnly  bool // ends with "/"
	segments []string
}

// ReadIgnore reads the patterns of a project, if there are any.
func ReadIgnore(files fs.FS) (*Ignore, error) {
	data, err := fs.ReadFile(files, ignoreFile)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	return ParseIgnore(string(data)), nil
}

// ParseIgnore reads patterns, one on each line.
func ParseIgnore(text string) *Ignore {
	ignore := &Ignore{}
	for line := range strings.Lines(text) {
		if p, ok := parsePattern(strings.TrimRight(line, "\r\n")); ok {
			ignore.patterns = append(ignore.patterns, p)
		}
	}
	return ignore
}

func parsePattern(line string) (pattern, bool) {
	if strings.HasPrefix(line, "#") {
		return pattern{}, false
	}
	line = trimBlanks(line)
	var p pattern
	line, p.except = strings.CutPrefix(line, "!")
	line, p.dirOnly = strings.CutSuffix(line, "/")
	if line == "" {
		return pattern{}, false
	}
	anchored := strings.Contains(line, "/")
	line = strings.TrimPrefix(line, "/")
	p.segments = strings.Split(line, "/")
	if !anchored {
		p.segments = append([]string{"**"}, p.segments...)
	}
	return p, true
}

// trimBlanks removes blanks at the end, except one after a backslash.
func trimBlanks(line string) string {
	trimmed := strings.TrimRight(line, " \t")
	if strings.HasSuffix(trimmed, `\`) && len(trimmed) < len(line) {
		return line[:len(trimmed)+1]
	}
	return trimmed
}

// Excludes reports whether a file or folder is excluded. The name is a slash path from the project's
// root. Callers do not ask about the content of an excluded folder, which is excluded too.
func (i *Ignore) Excludes(name string, isDir bool) bool {
	if i == nil {
		return false
	}
	segments := strings.Split(name, "/")
	for _, p := range slices.Backward(i.patterns) {
		if (isDir || !p.dirOnly) && matchSegments(p.segments, segments) {
			return !p.except
		}
	}
	return false
}

// matchSegments matches the parts of a path. "**" stands for any number of them, and at the end of a
// pattern for at least one.
func matchSegments(pattern, name []string) bool {
	for len(pattern) > 0 {
		if pattern[0] == "**" {
			if len(pattern) == 1 {
				return len(name) > 0
			}
			for skip := range name {
				if matchSegments(pattern[1:], name[skip:]) {
					return true
				}
			}
			return false
		}
		if len(name) == 0 || !matchSegment(pattern[0], name[0]) {
			return false
		}
		pattern, name = pattern[1:], name[1:]
	}
	return len(name) == 0
}

// matchSegment matches one part. A malformed pattern matches nothing.
func matchSegment(pattern, name string) bool {
	ok, err := path.Match(strings.ReplaceAll(pattern, "[!", "[^"), name)
	return ok && err == nil
}
