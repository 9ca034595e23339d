package main

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/trowel-project/trowel/scripts/internal/table"
)

// part is the statements of one package.
type part struct{ statements, reached int }

func (p *part) add(b *block) {
	p.statements += b.statements
	if b.reached {
		p.reached += b.statements
	}
}

func (p *part) percent() string {
	if p == nil || p.statements == 0 {
		return ""
	}
	return fmt.Sprintf("%.1f %%", 100*float64(p.reached)/float64(p.statements))
}

// packageOf returns the folder of a file; the package at the top has that of the domain's name.
func packageOf(file string) string {
	if dir := path.Dir(file); dir != "." {
		return dir
	}
	return "trowel"
}

func byPackage(blocks []*block) map[string]*part {
	parts := map[string]*part{}
	for _, b := range blocks {
		name := packageOf(b.file)
		if parts[name] == nil {
			parts[name] = &part{}
		}
		parts[name].add(b)
	}
	return parts
}

// writeSummary prints all packages, and the functions with the most statements that nothing reached.
func writeSummary(w io.Writer, o options, unit, all []*block) error {
	ofUnit, ofAll := byPackage(unit), byPackage(all)
	var unitSum, sum part
	for _, b := range unit {
		unitSum.add(b)
	}
	for _, b := range all {
		sum.add(b)
	}
	var rows [][]string
	for _, name := range slices.Sorted(maps.Keys(ofAll)) {
		rows = append(rows, packageRow(name, ofUnit[name], ofAll[name]))
	}
	rows = append(rows, packageRow("altogether", &unitSum, &sum))
	if err := table.Write(w, []string{"package", "statements", "unit tests", "all suites", "not reached"}, rows); err != nil {
		return err
	}
	functions, err := functionsOf(o.root, all)
	if err != nil {
		return err
	}
	functions = worst(functions)
	if _, err := fmt.Fprint(w, "\nFunctions with the most statements that nothing reached\n\n"); err != nil {
		return err
	}
	rows = nil
	for _, f := range functions[:min(o.top, len(functions))] {
		rows = append(rows, []string{f.name, f.place(), strconv.Itoa(f.statements), strconv.Itoa(f.missed)})
	}
	return table.Write(w, []string{"function", "place", "statements", "not reached"}, rows)
}

func packageRow(name string, unit, all *part) []string {
	return []string{name, strconv.Itoa(all.statements), unit.percent(), all.percent(), strconv.Itoa(all.statements - all.reached)}
}

// worst returns the functions with statements that are not reached, those with the most first.
func worst(functions []*function) []*function {
	functions = slices.DeleteFunc(functions, func(f *function) bool { return f.missed == 0 })
	slices.SortStableFunc(functions, func(a, b *function) int { return cmp.Compare(b.missed, a.missed) })
	return functions
}

// writeDetails prints the functions of packages with the lines that nothing reached.
func writeDetails(w io.Writer, root string, all []*block, chosen *regexp.Regexp) error {
	all = slices.DeleteFunc(all, func(b *block) bool { return !chosen.MatchString(packageOf(b.file)) })
	if len(all) == 0 {
		return fmt.Errorf("-pkg: no package of the profile has a path that matches %q", chosen)
	}
	functions, err := functionsOf(root, all)
	if err != nil {
		return err
	}
	var rows [][]string
	for _, f := range worst(functions) {
		rows = append(rows, []string{f.name, f.place(), strconv.Itoa(f.statements), strconv.Itoa(f.missed), strings.Join(f.lines, " ")})
	}
	return table.Write(w, []string{"function", "place", "statements", "not reached", "lines"}, rows)
}
