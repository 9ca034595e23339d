package main

import (
	"bufio"
	"cmp"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// block is a stretch of statements that are executed together, of one file.
type block struct {
	file                string // relative to the module
	line, column        int    // where it begins
	endLine, statements int
	reached             bool
}

// profileLine is file:line.column,line.column statements count.
var profileLine = regexp.MustCompile(`^(.+):(\d+)\.(\d+),(\d+)\.\d+ (\d+) (\d+)$`)

// readProfile returns the blocks of a profile in the order of files and lines. A block that stands there several times is
// reached if one of them is.
func readProfile(path, module string) ([]*block, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close() //nolint:errcheck // it is only read
	known := map[string]*block{}
	lines := bufio.NewScanner(f)
	for lines.Scan() {
		text := lines.Text()
		if strings.HasPrefix(text, "mode: ") {
			continue
		}
		parts := profileLine.FindStringSubmatch(text)
		if parts == nil {
			return nil, fmt.Errorf("%s: no line of a profile: %s", path, text)
		}
		place := text[:strings.IndexByte(text, ' ')]
		if known[place] == nil {
			known[place] = &block{
				file: strings.TrimPrefix(parts[1], module+"/"), line: number(parts[2]), column: number(parts[3]),
				endLine: number(parts[4]), statements: number(parts[5]),
			}
		}
		known[place].reached = known[place].reached || parts[6] != "0"
	}
	if err := lines.Err(); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return slices.SortedFunc(maps.Values(known), func(a, b *block) int {
		return cmp.Or(strings.Compare(a.file, b.file), a.line-b.line, a.column-b.column)
	}), nil
}

func number(digits string) int {
	n, _ := strconv.Atoi(digits) // the expression took nothing else
	return n
}

// modulePath returns the path of the module in a folder.
func modulePath(root string) (string, error) {
	text, err := os.ReadFile(filepath.Join(root, "go.mod"))
	if err != nil {
		return "", err
	}
	for line := range strings.Lines(string(text)) {
		if path, found := strings.CutPrefix(line, "module "); found {
			return strings.TrimSpace(path), nil
		}
	}
	return "", errors.New("go.mod names no module")
}
