package main

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/trowel-project/trowel/scripts/internal/table"
)

// writeSummary prints the figures of all packages. Lists of the largest have so many rows, all if it is 0.
func writeSummary(w io.Writer, packages []*source, top int) error {
	all := make([]*figures, len(packages))
	circles := make([]int, len(packages))
	for i, p := range packages {
		var err error
		if all[i], err = count(p); err != nil {
			return err
		}
		circles[i] = len(referencesOf(p).circle())
	}
	for _, part := range []struct {
		title  string
		header []string
		rows   [][]string
	}{
		{"Packages", []string{"package", "files", "with tests", "lines", "lines of tests", "circle", "of files"}, packageRows(packages, all, circles)},
		{"Methods of a receiver", []string{"receiver", "methods", "files"}, first(top, receiverRows(packages, all))},
		{"Fields of a struct", []string{"struct", "fields"}, first(top, fieldRows(packages, all))},
		{fmt.Sprintf("Texts of %d characters or more that stand twice or more", longText), []string{"places", "text", "where"}, first(top, textRows(all))},
		{"Altogether", []string{"figure", "count"}, totalRows(packages, all)},
	} {
		if _, err := fmt.Fprintf(w, "%s\n\n", part.title); err != nil {
			return err
		}
		if err := table.Write(w, part.header, part.rows); err != nil {
			return err
		}
		if _, err := fmt.Fprintln(w); err != nil {
			return err
		}
	}
	return nil
}

func first(top int, rows [][]string) [][]string {
	if top > 0 && len(rows) > top {
		return rows[:top]
	}
	return rows
}

// packageRows has a row for each package, those with the most files first.
func packageRows(packages []*source, all []*figures, circles []int) [][]string {
	order := make([]int, len(packages))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int {
		return cmp.Or(packages[b].size()-packages[a].size(), strings.Compare(packages[a].path, packages[b].path))
	})
	rows := make([][]string, len(order))
	for i, at := range order {
		p, f := packages[at], all[at]
		circle, share := "", ""
		if circles[at] > 0 {
			circle, share = strconv.Itoa(circles[at]), percent(circles[at], p.size())
		}
		rows[i] = []string{p.path, strconv.Itoa(p.size()), strconv.Itoa(p.size() + len(p.tests)), strconv.Itoa(f.lines), strconv.Itoa(f.testLines), circle, share}
	}
	return rows
}

// size is how many files the package has for all systems, without tests.
func (s *source) size() int { return len(s.files) + len(s.others) }

func percent(part, whole int) string {
	if whole == 0 {
		return ""
	}
	return fmt.Sprintf("%d %%", (100*part+whole/2)/whole)
}

func receiverRows(packages []*source, all []*figures) [][]string {
	var rows [][]string
	for i, f := range all {
		for name, r := range f.receivers {
			rows = append(rows, []string{packages[i].path + "." + name, strconv.Itoa(r.methods), strconv.Itoa(len(r.files))})
		}
	}
	return largest(rows)
}

func fieldRows(packages []*source, all []*figures) [][]string {
	var rows [][]string
	for i, f := range all {
		for name, fields := range f.fields {
			rows = append(rows, []string{packages[i].path + "." + name, strconv.Itoa(fields)})
		}
	}
	return largest(rows)
}

// largest sorts rows by the number in their second cell, then by name.
func largest(rows [][]string) [][]string {
	slices.SortFunc(rows, func(a, b []string) int {
		return cmp.Or(number(b[1])-number(a[1]), strings.Compare(a[0], b[0]))
	})
	return rows
}

func number(text string) int {
	n, _ := strconv.Atoi(text) // written by this program
	return n
}

func textRows(all []*figures) [][]string {
	found := repeatedTexts(all)
	rows := make([][]string, len(found))
	for i, r := range found {
		rows[i] = []string{strconv.Itoa(len(r.places)), shorten(r.text), strings.Join(r.places, " ")}
	}
	return rows
}

// shorten returns a text that fits into a column.
func shorten(text string) string {
	runes := []rune(strconv.Quote(text))
	if len(runes) > 60 {
		return string(runes[:57]) + `..."`
	}
	return string(runes)
}

func totalRows(packages []*source, all []*figures) [][]string {
	var files, tests, lines, testLines, exported, withComment int
	for i, f := range all {
		files, tests = files+packages[i].size(), tests+len(packages[i].tests)
		lines, testLines = lines+f.lines, testLines+f.testLines
		exported, withComment = exported+f.exported, withComment+f.withComment
	}
	return [][]string{
		{"packages", strconv.Itoa(len(packages))},
		{"files", strconv.Itoa(files)},
		{"files of tests", strconv.Itoa(tests)},
		{"lines", strconv.Itoa(lines)},
		{"lines of tests", strconv.Itoa(testLines)},
		{"texts that stand twice or more", strconv.Itoa(len(repeatedTexts(all)))},
		{"exported fields of structs", strconv.Itoa(exported)},
		{"exported fields with a comment", percent(withComment, exported)},
	}
}

// writeDetails prints which files of a package are in its circle, and by which names each file refers to others of it.
func writeDetails(w io.Writer, p *source) error {
	refs := referencesOf(p)
	circle := refs.circle()
	if len(circle) == 0 {
		_, err := fmt.Fprintf(w, "%s: no files refer to each other in a circle\n\n", p.path)
		return err
	}
	if _, err := fmt.Fprintf(w, "%s: %d of %d files refer to each other in a circle\n\n", p.path, len(circle), p.size()); err != nil {
		return err
	}
	var rows [][]string
	for _, from := range circle {
		for _, to := range circle {
			names := refs[from][to]
			if len(names) == 0 {
				continue
			}
			rows = append(rows, []string{from, to, strconv.Itoa(len(names)), strings.Join(slices.Sorted(maps.Keys(names)), " ")})
		}
	}
	if err := table.Write(w, []string{"file", "refers to", "names", ""}, rows); err != nil {
		return err
	}
	if outside := outside(p, circle); len(outside) > 0 {
		if _, err := fmt.Fprintf(w, "\nnot in the circle: %s\n", strings.Join(outside, " ")); err != nil {
			return err
		}
	}
	_, err := fmt.Fprintln(w)
	return err
}

// outside returns the files of the package that are not in its circle.
func outside(p *source, circle []string) []string {
	var names []string
	for _, f := range p.files {
		names = append(names, p.fileName(f.Pos()))
	}
	for _, other := range p.others {
		names = append(names, path.Base(other))
	}
	slices.Sort(names)
	return slices.DeleteFunc(names, func(name string) bool { return slices.Contains(circle, name) })
}
