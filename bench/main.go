// Bench measures what docs/performance.md promises: each bar as a figure, its limit, and the ratio
// to something measured in the same run. It starts the program as users do.
//
//	go run ./bench -bin bin/trowel
//	go run ./bench -bin bin/trowel -record docs/performance.md
//	go run ./bench -compare main~1,main -run 'server: tasks'
package main

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
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

// options are the options of the command line.
type options struct {
	bin, record, run, perf string
	scale                  float64
	compare                string
	rounds                 int
	waitingOver            time.Duration
}

func readOptions() (*options, error) {
	var o options
	flag.StringVar(&o.bin, "bin", "bin/trowel", "program to measure")
	flag.StringVar(&o.record, "record", "", "file that gets a row with the figures, in each of its tables")
	flag.StringVar(&o.run, "run", "", "measure only the bars whose name has this regular expression")
	flag.StringVar(&o.perf, "perf", "", "folder for a profile of the whole machine during each bar, by `perf record`")
	flag.Float64Var(&o.scale, "scale", 1, "part of the million rows of the bars with a million")
	flag.StringVar(&o.compare, "compare", "", "measure two commits in turn: A,B; a dot is the work tree")
	flag.IntVar(&o.rounds, "rounds", 5, "how often each of the two is measured")
	flag.DurationVar(&o.waitingOver, "waiting-over", 10*time.Minute, "how long the start of the tasks of the bar of waiting ones takes")
	flag.Parse()
	if o.record != "" && (o.run != "" || o.compare != "" || o.scale != 1) {
		return nil, errors.New("a row has all figures: -record does not go with -run, -compare and -scale")
	}
	return &o, nil
}

func run() (err error) {
	o, err := readOptions()
	if err != nil {
		return err
	}
	chosen, err := regexp.Compile(o.run)
	if err != nil {
		return err
	}
	bin, err := filepath.Abs(o.bin)
	if err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "trowel-bench-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir) //nolint:errcheck // left-overs in the temporary folder harm nobody
	b := &bench{bin: bin, dir: dir, scale: o.scale, perf: o.perf, waitingOver: o.waitingOver}
	defer func() { err = errors.Join(err, b.close()) }()
	if o.compare != "" {
		return b.compare(o.compare, o.rounds, chosen)
	}
	all := tables()
	measured := make([][]result, len(all))
	var failures []error
	for i := range all {
		var err error
		measured[i], err = b.measure(all[i].bars, chosen)
		failures = append(failures, err)
	}
	show(slices.Concat(measured...))
	if err := errors.Join(failures...); err != nil || o.record == "" {
		return err
	}
	of := commit() // before a new row changes a file of it
	for i := range all {
		if err := addRow(o.record, all[i].heading, of, measured[i]); err != nil {
			return err
		}
	}
	return nil
}

// measure measures the chosen bars. If one cannot be measured, it goes on with the others.
func (b *bench) measure(bars []bar, chosen *regexp.Regexp) ([]result, error) {
	var results []result
	var errs []error
	for _, bar := range bars {
		if !chosen.MatchString(bar.name) {
			continue
		}
		begun := time.Now()
		got, err := b.profiled(&bar)
		if err != nil {
			errs = append(errs, fmt.Errorf("%s: %w", bar.name, err))
		}
		fmt.Fprintf(os.Stderr, "%s: measured in %.0f s\n", bar.name, time.Since(begun).Seconds())
		for i := range got {
			got[i].bar = &bar
		}
		results = append(results, got...)
	}
	return results, errors.Join(errs...)
}

// result is one measured figure against its bar.
type result struct {
	name  string
	got   float64
	limit float64
	unit  string
	least bool   // the figure must be at least the limit, not at most
	note  string // what it was compared with in the same run
	bar   *bar   // that it belongs to
}

func (r result) reached() bool {
	if r.least {
		return r.got >= r.limit
	}
	return r.got <= r.limit
}

// ratio returns the figure over its limit, or the limit over the figure where more is better. Up to 1 is
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
	hints(results)
}

// hints prints how to find out why bars were missed.
func hints(results []result) {
	told := map[*bar]bool{}
	for _, r := range results {
		if r.reached() || told[r.bar] {
			continue
		}
		told[r.bar] = true
		fmt.Printf("\n%s was missed. Profile it:\n  go run ./bench -run '^%s$' -perf DIR\n  perf report -i 'DIR/%s'\n", r.bar.name, r.bar.name, r.bar.profile())
		if r.bar.look != "" {
			fmt.Printf("  %s\n", r.bar.look)
		}
	}
}

// commit returns the name of the measured commit, as far as git knows it.
func commit() string {
	out, err := exec.Command("git", "describe", "--always", "--dirty").Output()
	if err != nil {
		return "unknown"
	}
	return strings.TrimSpace(string(out))
}

// addRow adds a dated row for a commit to the table at the end of a section in a Markdown file, in the order of the
// figures.
func addRow(file, heading, commit string, results []result) error {
	cells := []string{time.Now().Format(time.DateOnly), commit}
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
