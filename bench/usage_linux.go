package main

import (
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"
)

// usage is what a running process uses.
type usage struct {
	rssMB, peakMB float64       // resident set, and the largest so far
	cpu           time.Duration // since its start, of all threads
}

// usage reads what the server uses now.
func (s *server) usage() (usage, error) {
	dir := fmt.Sprintf("/proc/%d/", s.cmd.Process.Pid)
	status, err := os.ReadFile(dir + "status")
	if err != nil {
		return usage{}, err
	}
	u := usage{rssMB: kilobytes(string(status), "VmRSS:"), peakMB: kilobytes(string(status), "VmHWM:")}
	tasks, err := os.ReadDir(dir + "task")
	if err != nil {
		return usage{}, err
	}
	for _, task := range tasks {
		text, err := os.ReadFile(dir + "task/" + task.Name() + "/schedstat")
		if err != nil {
			return usage{}, err
		}
		nanos, _, _ := strings.Cut(string(text), " ")
		n, err := strconv.ParseInt(nanos, 10, 64)
		if err != nil {
			return usage{}, fmt.Errorf("read schedstat: %w", err)
		}
		u.cpu += time.Duration(n)
	}
	return u, nil
}

// kilobytes returns a field of /proc/PID/status, in MB.
func kilobytes(status, name string) float64 {
	_, rest, _ := strings.Cut(status, name)
	number, _, _ := strings.Cut(strings.TrimSpace(rest), " ")
	n, _ := strconv.ParseFloat(number, 64) // zero if there is none
	return n * 1024 / 1e6
}
