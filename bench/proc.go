package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
)

// tick is the unit of processor time in /proc/PID/stat: Linux shows programs a hundred a second, whatever it
// counts in itself.
const tick = 10 * time.Millisecond

// processStat is what a line of /proc/PID/stat says about a process.
type processStat struct {
	pid, parent int
	own         time.Duration // processor time of the process, user and system
	children    time.Duration // that of its children that have ended
}

// parseStat reads the line of /proc/PID/stat. The name of the program stands in parentheses and may hold spaces
// and parentheses itself, so the other fields are counted from the last one.
func parseStat(line string) (p processStat, err error) {
	end := strings.LastIndexByte(line, ')')
	pid, _, found := strings.Cut(line, " (")
	if !found || end < 0 {
		return p, fmt.Errorf("%q is no line of /proc/PID/stat", line)
	}
	fields := strings.Fields(line[end+1:]) // the first is the third of the line: the state
	if len(fields) < 15 {
		return p, fmt.Errorf("%q is no line of /proc/PID/stat", line)
	}
	var errs []error
	number := func(text string) int {
		n, err := strconv.Atoi(text)
		errs = append(errs, err)
		return n
	}
	p.pid, p.parent = number(pid), number(fields[1])
	p.own = time.Duration(number(fields[11])+number(fields[12])) * tick
	p.children = time.Duration(number(fields[13])+number(fields[14])) * tick
	return p, errors.Join(errs...)
}

// processorTime is what a process and all that it has started have used so far, also those of them that have
// ended. Linux alone tells it.
func processorTime(root int) (time.Duration, error) {
	files, err := filepath.Glob("/proc/[0-9]*/stat")
	if err != nil {
		return 0, err
	}
	var all []processStat
	for _, file := range files {
		line, err := os.ReadFile(file)
		if err != nil {
			continue // it has ended since
		}
		p, err := parseStat(string(line))
		if err != nil {
			return 0, err
		}
		all = append(all, p)
	}
	if !slices.ContainsFunc(all, func(p processStat) bool { return p.pid == root }) {
		return 0, fmt.Errorf("processor time of process %d: /proc does not have it", root)
	}
	return treeTime(all, root), nil
}

// treeTime is the processor time of a process and of all below it.
func treeTime(all []processStat, root int) time.Duration {
	var sum time.Duration
	for _, p := range all {
		switch root {
		case p.pid:
			sum += p.own + p.children
		case p.parent:
			sum += treeTime(all, p.pid)
		}
	}
	return sum
}
