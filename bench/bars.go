package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"time"
)

// bar is a promise and how it is measured.
type bar struct {
	name    string
	measure func(*bench) ([]result, error)
	look    string // where to look first when it is missed
}

// table is the bars that share a table in docs/performance.md.
type table struct {
	heading string // of the section that ends with it
	bars    []bar
}

func tables() []table {
	return []table{
		{"## Recorded: trowel run", runBars()},
		{"## Recorded: trowel server", serverBars()},
		{"## Recorded: cost of a task", costBars()},
		{"## Recorded: limits of a server", doorBars()},
		{"## Recorded: many servers, many agents", manyBars()},
		{"## Recorded: SQL", sqlBars()},
		{"## Recorded: containers", containerBars()},
	}
}

func runBars() []bar {
	return []bar{
		{name: "hello", measure: hello},
		{name: "chain", measure: chains},
		{name: "parallel sh", measure: parallelShell},
		{name: "parallel echo", measure: parallelEcho},
		{name: "100,000 tasks", measure: hundredThousand},
		{name: "check", measure: checkThousand},
	}
}

// config raises Digdag's limit of 1,000 tasks.
const config = "executor.task_max_run = 1000000\n"

// hello is one echo>, the whole process, against an empty Python program.
func hello(b *bench) ([]result, error) {
	dir, err := b.project("hello", "hello.dig", "+hello:\n  echo>: hello\n")
	if err != nil {
		return nil, err
	}
	ours, err := median(31, func() (sample, error) { return b.trowel(dir, "run", "hello.dig", "--rerun") })
	if err != nil {
		return nil, err
	}
	python, err := pythonInterpreter()
	if err != nil {
		return nil, err
	}
	empty, err := median(31, func() (sample, error) { return b.process(dir, python, "-c", "pass") })
	if err != nil {
		return nil, err
	}
	note := fmt.Sprintf("python3 -c pass: %.4g ms", millis(empty.wall))
	return []result{
		{name: "hello: whole process", got: millis(ours.wall), limit: 40, unit: "ms", note: note},
		{name: "hello: against python3", got: millis(ours.wall) / millis(empty.wall), limit: 3, unit: "x", note: note},
		{name: "hello: largest RSS", got: ours.rssMB, limit: 55, unit: "MB"},
	}, nil
}

// pythonInterpreter is the interpreter itself: what is on the PATH may be a slow script in front of
// it.
func pythonInterpreter() (string, error) {
	out, err := exec.Command("python3", "-c", "import sys; print(sys.executable)").Output()
	if err != nil {
		return "", fmt.Errorf("find python3: %w", err)
	}
	return strings.TrimSpace(string(out)), nil
}

// chains are echo> tasks one after the other: the time must grow with their number, not faster.
func chains(b *bench) ([]result, error) {
	short, err := b.chain(40)
	if err != nil {
		return nil, err
	}
	long, err := b.chain(200)
	if err != nil {
		return nil, err
	}
	each := fmt.Sprintf("%.3g ms a task more", (millis(long.wall)-millis(short.wall))/160)
	return []result{
		{name: "chain of 40 echo>", got: short.wall.Seconds(), limit: 0.15, unit: "s"},
		{name: "chain of 200 echo>", got: long.wall.Seconds(), limit: 0.35, unit: "s", note: each},
	}, nil
}

func (b *bench) chain(n int) (sample, error) {
	dir, err := b.project(fmt.Sprintf("chain%d", n), "chain.dig", repeat(n, "+t%d:\n  echo>: task %[1]d\n"))
	if err != nil {
		return sample{}, err
	}
	return median(11, func() (sample, error) { return b.trowel(dir, "run", "chain.dig", "--rerun") })
}

func repeat(n int, format string) string {
	var text strings.Builder
	for i := range n {
		fmt.Fprintf(&text, format, i)
	}
	return text.String()
}

// parallelShell runs 800 shells at once, against starting as many by hand. Each task makes and removes files, so
// the note tells the same in memory, where that costs next to nothing.
func parallelShell(b *bench) ([]result, error) {
	part, note, err := b.shells(b.dir)
	if err != nil {
		return nil, err
	}
	if dir, err := os.MkdirTemp("/dev/shm", "trowel-bench-"); err == nil { // else there is none
		defer os.RemoveAll(dir) //nolint:errcheck // left-overs in the temporary folder harm nobody
		inMemory, _, err := b.shells(dir)
		if err != nil {
			return nil, err
		}
		note += fmt.Sprintf("; %.4g x with files in memory", inMemory)
	}
	return []result{{name: "800 parallel sh>: part of raw fork and exec", got: part, limit: 0.6, unit: "x", least: true, note: note}}, nil
}

// shells is the part of the raw rate at which 800 tasks run a shell, with a project in a folder.
func (b *bench) shells(parent string) (part float64, note string, err error) {
	const n = 800
	dir, err := projectIn(parent, "shells", "shells.dig", "_parallel: true\n"+repeat(n, "+t%d:\n  sh>: \"true\"\n"), "script.sh", "true")
	if err != nil {
		return 0, "", err
	}
	var ours, raw sample
	ours, err = median(5, func() (sample, error) {
		var err error
		if raw, err = b.rawShells(filepath.Join(dir, "script.sh"), n, raw); err != nil {
			return sample{}, err
		}
		return b.trowel(dir, "run", "shells.dig", "--rerun")
	})
	if err != nil {
		return 0, "", err
	}
	rate, rawRate := n/ours.wall.Seconds(), n/raw.wall.Seconds()
	return rate / rawRate, fmt.Sprintf("%.4g tasks/s, raw %.4g/s", rate, rawRate), nil
}

// rawShells starts n shells, as many at a time as is fastest here, and returns the faster of this
// time and the best so far.
func (b *bench) rawShells(script string, n int, best sample) (sample, error) {
	begun := time.Now()
	work := make(chan struct{}, n)
	for range n {
		work <- struct{}{}
	}
	close(work)
	var running sync.WaitGroup
	errs := make([]error, 4)
	for i := range errs {
		running.Go(func() {
			for range work {
				errs[i] = errors.Join(errs[i], exec.Command("/bin/sh", script).Run())
			}
		})
	}
	running.Wait()
	s := sample{wall: time.Since(begun)}
	if best.wall != 0 && best.wall < s.wall {
		s = best
	}
	return s, errors.Join(errs...)
}

// parallelEcho is throughput: 20,000 tasks without output of their own processes. It counts from the
// first line of output to the end of the process, a little more than from the first ready task to
// the end of the root.
func parallelEcho(b *bench) ([]result, error) {
	const n = 20000
	dir, err := b.project("echoes", "echoes.dig", "_parallel: true\n"+repeat(n, "+t%d: {echo>: task %[1]d}\n"), "bench.properties", config)
	if err != nil {
		return nil, err
	}
	s, err := median(5, func() (sample, error) {
		return b.trowelFirst(dir, "run", "echoes.dig", "--no-save", "-l", "error", "-c", "bench.properties")
	})
	if err != nil {
		return nil, err
	}
	file, err := median(5, func() (sample, error) {
		return b.trowel(dir, "run", "echoes.dig", "--no-save", "-l", "error", "-c", "bench.properties")
	})
	if err != nil {
		return nil, err
	}
	return []result{{
		name: "20,000 parallel echo>", got: n / (file.wall - s.first).Seconds(), limit: 20000, unit: "tasks/s", least: true,
		note: fmt.Sprintf("whole process %.3g s, first output after %.3g s", file.wall.Seconds(), s.first.Seconds()),
	}}, nil
}

// hundredThousand is one large workflow. Time must grow with the number of tasks, not faster.
func hundredThousand(b *bench) ([]result, error) {
	var quarter, full sample
	for _, size := range []struct {
		n  int
		to *sample
	}{{25000, &quarter}, {100000, &full}} {
		dir, err := b.project(fmt.Sprintf("large%d", size.n), "large.dig",
			"_parallel: true\n"+repeat(size.n, "+t%d: {echo>: task %[1]d}\n"), "bench.properties", config)
		if err != nil {
			return nil, err
		}
		*size.to, err = median(3, func() (sample, error) {
			return b.trowelFirst(dir, "run", "large.dig", "--no-save", "-l", "error", "-c", "bench.properties")
		})
		if err != nil {
			return nil, err
		}
	}
	growth := full.wall.Seconds() / quarter.wall.Seconds() / 4
	return []result{
		{name: "100,000 tasks: first one starts", got: full.first.Seconds(), limit: 3, unit: "s"},
		{name: "100,000 tasks: largest RSS", got: full.rssMB, limit: 500, unit: "MB"},
		{name: "100,000 tasks: time a task, against 25,000", got: growth, limit: 1.25, unit: "x", note: fmt.Sprintf("%.3g s in all", full.wall.Seconds())},
	}, nil
}

// checkThousand checks a project of 1,000 files.
func checkThousand(b *bench) ([]result, error) {
	const text = `timezone: UTC

_export:
  table: events

+extract:
  sh>: echo extract ${session_date}
+load:
  _parallel: true
  +a: {echo>: "a ${table}"}
  +b: {echo>: "b ${table}"}
+report:
  echo>: done
  _error:
    echo>: failed
`
	var files []string
	for i := range 1000 {
		files = append(files, fmt.Sprintf("w%d.dig", i), text)
	}
	dir, err := b.project("thousand", files...)
	if err != nil {
		return nil, err
	}
	s, err := median(5, func() (sample, error) { return b.trowel(dir, "check") })
	if err != nil {
		return nil, err
	}
	return []result{{name: "check of 1,000 files", got: s.wall.Seconds(), limit: 1, unit: "s"}}, nil
}
