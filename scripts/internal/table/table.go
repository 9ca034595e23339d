// Package table prints aligned tables for the programs of developers.
package table

import (
	"fmt"
	"io"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Write prints the rows below their header. Columns of numbers are aligned to the right, all others to the left.
func Write(w io.Writer, header []string, rows [][]string) error {
	widths := make([]int, len(header))
	numeric := make([]bool, len(header))
	for i, name := range header {
		widths[i], numeric[i] = utf8.RuneCountInString(name), true
		for _, row := range rows {
			widths[i] = max(widths[i], utf8.RuneCountInString(row[i]))
			numeric[i] = numeric[i] && isNumber(row[i])
		}
	}
	for _, row := range append([][]string{header}, rows...) {
		var line strings.Builder
		for i, cell := range row {
			pad := strings.Repeat(" ", widths[i]-utf8.RuneCountInString(cell))
			if numeric[i] {
				line.WriteString(pad + cell + "  ")
			} else {
				line.WriteString(cell + pad + "  ")
			}
		}
		if _, err := fmt.Fprintln(w, strings.TrimRight(line.String(), " ")); err != nil {
			return err
		}
	}
	return nil
}

// isNumber reports whether the cell has digits and what stands beside them in figures, or is empty.
func isNumber(cell string) bool {
	return strings.IndexFunc(cell, func(r rune) bool { return !unicode.IsDigit(r) && !strings.ContainsRune(",. %-", r) }) < 0
}
