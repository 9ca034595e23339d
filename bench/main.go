// Bench measures what docs/performance.md promises: each bar as a figure, its limit, and the ratio
// to something measured in the same run. It starts the program as its users do.
//
//	go run ./bench -bin bin/trowel
//	go run ./bench -bin bin/trowel -record docs/performance.md
package main

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"text/tabwriter"
	"time"
)

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "error:", err)
		os.Exit(1)
	}
}

func run() (err error) {
	bin := flag.String("bin", "bin/trowel", "program to measure")
	record := flag.String("record", "", "file that gets a row with the figures, in each of its tables")
	only := flag.String("run", "", "measure only the bars whose name has this text")
	flag.Parse()
	if *record != "" && *only != "" {
		return errors.New("a row has all figures: -record does not go with -run")
	}
	path, err := filepath.Abs(*bin)
	if err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "trowel-bench-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir) //nolint:errcheck // left-overs in the temporary folder harm nobody
	b := &bench{bin: path, dir: dir}
	defer func() { err = errors.Join(err, b.close()) }()
	all := tables()
	measured := make([][]result, len(all))
	for i := range all {
		if measured[i], err = b.measure(all[i].bars, *only); err != nil {
			return err
		}
	}
	show(slices.Concat(measured...))
	if *record == "" {
		return nil
	}
	for i := range all {
		if err := addRow(*record, all[i].heading, measured[i]); err != nil {
			return err
		}
	}
	return nil
}

// measure measures the bars whose name has a text.
func (b *bench) measure(bars []bar, only string) ([]result, error) {
	var results []result
	for _, bar := range bars {
		if !strings.Contains(bar.name, only) {
			continue
		}
		fmt.Fprintf(os.Stderr, "measuring %s\n", bar.name)
		got, err := bar.measure(b)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", bar.name, err)
		}
		results = append(results, got...)
	}
	return results, nil
}

// result is one measured figure against its bar.
type result struct {
	name  string
	got   float64
	limit float64
	unit  string
	least bool   // the figure must reach the limit, not stay below it
	note  string // what it was compared with in the same run
}

func (r result) reached() bool {
	if r.least {
		return r.got >= r.limit
	}
	return r.got <= r.limit
}

// ratio is the figure over its limit, or the limit over the figure where more is better: up to 1 is
// good.
func (r result) ratio() float64 {
	if r.least {
		return r.limit / r.got
	}
	return r.got / r.limit
}

func (r result) String() string { return fmt.Sprintf("%.4g %s", r.got, r.unit) }

func show(results []result) {
	fmt.Printf("%s, %s/%s, %d cores\n\n", time.Now().Format("2006-01-02 15:04"), runtime.GOOS, runtime.GOARCH, runtime.NumCPU())
	w := tabwriter.NewWriter(os.Stdout, 0, 8, 2, ' ', 0)
	fmt.Fprintln(w, "bar\tfigure\tlimit\tratio\t\tcompared with")
	for _, r := range results {
		sign, verdict := "≤", "reached"
		if r.least {
			sign = "≥"
		}
		if !r.reached() {
			verdict = "MISSED"
		}
		fmt.Fprintf(w, "%s\t%s\t%s %.4g %s\t%.2f\t%s\t%s\n", r.name, r, sign, r.limit, r.unit, r.ratio(), verdict, r.note)
	}
	_ = w.Flush() // to a terminal or a pipe that nobody reads any more
}

// commit names what was measured, as far as git knows.
func commit() string {
	out, err := exec.Command("git", "describe", "--always", "--dirty").Output()
	if err != nil {
		return "unknown"
	}
	return strings.TrimSpace(string(out))
}

// addRow adds a dated row to the table of a Markdown file that ends a section, in the order of the
// figures.
func addRow(file, heading string, results []result) error {
	cells := []string{time.Now().Format(time.DateOnly), commit()}
	for _, r := range results {
		mark := ""
		if !r.reached() {
			mark = " (missed)"
		}
		cells = append(cells, r.String()+mark)
	}
	text, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	before, section, found := strings.Cut(string(text), heading+"\n")
	if !found {
		return fmt.Errorf("%s has no section %q", file, heading)
	}
	section, after, more := strings.Cut(section, "\n## ")
	if more {
		after = "\n\n## " + after
	}
	row := fmt.Sprintf("| %s |", strings.Join(cells, " | "))
	return os.WriteFile(file, []byte(before+heading+"\n"+strings.TrimRight(section, "\n")+"\n"+row+strings.TrimRight(after, "\n")+"\n"), 0o644)
}
