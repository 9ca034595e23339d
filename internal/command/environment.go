package command

import (
	"path/filepath"
	"strings"
)

// environment is what all commands start with. It is prepared once, because each command adds some twenty variables,
// which should cost no more than copying.
type environment struct {
	vars  []string       // NAME=value, each name once
	index map[string]int // index of a name in vars
	path  []string       // directories in which programs are searched

	others bool // programs run as another user, who may not see what this process sees
}

// newEnvironment prepares NAME=value entries; the last entry of a name counts.
func newEnvironment(entries []string) environment {
	e := environment{index: make(map[string]int, len(entries))}
	for _, entry := range entries {
		e.add(entry)
	}
	return e
}

func (e *environment) add(entry string) {
	name, value := splitVar(entry)
	if i, ok := e.index[name]; ok {
		e.vars[i] = entry
	} else {
		e.index[name] = len(e.vars)
		e.vars = append(e.vars, entry)
	}
	if name == pathVar {
		e.path = filepath.SplitList(value)
	}
}

// value returns the value of a variable; empty if it is not set.
func (e *environment) value(name string) string {
	i, ok := e.index[foldName(name)]
	if !ok {
		return ""
	}
	_, value := splitVar(e.vars[i])
	return value
}

// with returns the environment with additional entries, which take precedence.
func (e *environment) with(entries []string) []string {
	vars := make([]string, len(e.vars), len(e.vars)+len(entries))
	copy(vars, e.vars)
	for _, entry := range entries {
		name, _ := splitVar(entry)
		if i, ok := e.index[name]; ok {
			vars[i] = entry
			continue
		}
		vars = append(vars, entry)
	}
	return vars
}

// replace changes a variable of e in an environment that with has returned, unless an additional entry has changed it.
func (e *environment) replace(vars []string, name string, change func(string) string) {
	if i, ok := e.index[foldName(name)]; ok && vars[i] == e.vars[i] {
		vars[i] = change(vars[i])
	}
}

// splitVar splits NAME=value. The name is in the case in which the system compares names. A name may begin with "=", as
// some of Windows do.
func splitVar(entry string) (name, value string) {
	if entry == "" {
		return "", ""
	}
	i := strings.IndexByte(entry[1:], '=')
	if i < 0 {
		return foldName(entry), ""
	}
	return foldName(entry[:i+1]), entry[i+2:]
}
