package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"text/tabwriter"
)

// compare measures bars with the programs of two commits in turn, in several rounds, and shows how much they
// differ. The order changes with each round, so that a machine that becomes slower affects both.
func (b *bench) compare(commits string, rounds int, chosen *regexp.Regexp) error {
	names := strings.Split(commits, ",")
	if len(names) != 2 || rounds < 1 {
		return fmt.Errorf("%q in %d rounds: -compare takes two commits, as in -compare main~1,main", commits, rounds)
	}
	var programs []string
	for i, name := range names {
		program, err := b.build(name, i)
		if err != nil {
			return err
		}
		programs = append(programs, program)
	}
	var bars []bar
	for _, table := range tables() {
		bars = append(bars, table.bars...)
	}
	var measured [2]map[string][]result
	var failures []error
	for round := range rounds {
		for turn := range names {
			side := (round + turn) % 2
			fmt.Fprintf(os.Stderr, "round %d of %d: %s\n", round+1, rounds, names[side])
			b.bin, b.tasksPerSecond = programs[side], 0
			results, err := b.measure(bars, chosen)
			if err := errors.Join(err, b.close()); err != nil { // each program has its own database
				failures = append(failures, fmt.Errorf("%s: %w", names[side], err))
			}
			if measured[side] == nil {
				measured[side] = map[string][]result{}
			}
			for _, r := range results {
				measured[side][r.name] = append(measured[side][r.name], r)
			}
		}
	}
	showDifferences(names, differences(measured[0], measured[1]))
	return errors.Join(failures...)
}

// build builds the program of a commit, or of the work tree if commit is a dot.
func (b *bench) build(commit string, i int) (string, error) {
	source := "."
	if commit != "." {
		source = filepath.Join(b.dir, fmt.Sprintf("commit%d", i))
		if err := os.Mkdir(source, 0o755); err != nil {
			return "", err
		}
		archive := filepath.Join(b.dir, "commit.tar")
		for _, args := range [][]string{{"git", "archive", "-o", archive, commit}, {"tar", "-x", "-C", source, "-f", archive}} {
			if out, err := exec.Command(args[0], args[1:]...).CombinedOutput(); err != nil {
				return "", fmt.Errorf("take out commit %s: %w\n%s", commit, err, out)
			}
		}
	}
	program := filepath.Join(b.dir, fmt.Sprintf("trowel%d", i))
	cmd := exec.Command("go", "build", "-trimpath", "-o", program, "./cmd/trowel")
	cmd.Dir = source
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("build commit %s: %w\n%s", commit, err, out)
	}
	return program, nil
}

// difference has the values of one figure with two commits.
type difference struct {
	name, unit        string
	first, second     float64 // medians of all rounds
	ratio, least, top float64 // the second over the first in each round: median, smallest and largest
	verdict           string
}

// differences returns the figures that both have in all rounds, by name.
func differences(first, second map[string][]result) []difference {
	var all []difference
	for name, a := range first {
		b := second[name]
		if len(a) != len(b) {
			continue
		}
		var ratios []float64
		for i := range a {
			ratios = append(ratios, b[i].got/a[i].got)
		}
		d := difference{
			name: name, unit: a[0].unit, first: middle(figures(a)), second: middle(figures(b)), ratio: middle(ratios), least: slices.Min(ratios), top: slices.Max(ratios),
		}
		switch {
		case len(ratios) < 3 || (d.least <= 1 && d.top >= 1):
			d.verdict = "not clear"
		case (d.least > 1) == a[0].least:
			d.verdict = "better"
		default:
			d.verdict = "worse"
		}
		all = append(all, d)
	}
	slices.SortFunc(all, func(x, y difference) int { return strings.Compare(x.name, y.name) })
	return all
}

func figures(results []result) []float64 {
	var got []float64
	for _, r := range results {
		got = append(got, r.got)
	}
	return got
}

// middle returns the median. For an even number of values it is the mean of the two in the middle.
func middle(values []float64) float64 {
	sorted := slices.Sorted(slices.Values(values))
	n := len(sorted)
	return (sorted[(n-1)/2] + sorted[n/2]) / 2
}

func showDifferences(names []string, all []difference) {
	w := tabwriter.NewWriter(os.Stdout, 0, 8, 2, ' ', 0)
	fmt.Fprintf(w, "bar\t%s\t%s\tsecond ÷ first\tspread\t\n", names[0], names[1])
	for _, d := range all {
		fmt.Fprintf(w, "%s\t%.4g %s\t%.4g %s\t%.3f\t%.3f to %.3f\t%s\n", d.name, d.first, d.unit, d.second, d.unit, d.ratio, d.least, d.top, d.verdict)
	}
	_ = w.Flush() // to a terminal or a pipe that nobody reads any more
}
