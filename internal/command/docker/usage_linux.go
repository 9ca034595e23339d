package docker

import (
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	trowel "github.com/trowel-project/trowel"
)

// groupRoot is where the kernel shows control groups.
const groupRoot = "/sys/fs/cgroup"

// controlGroup has the folders of a container's control groups. With version 2 all are the same.
type controlGroup struct {
	memory, cpu, io, pids string
	second                bool // version 2
}

// findGroup returns the control groups of a container; nil if there are none here.
func findGroup(id string) *controlGroup {
	if _, err := os.Stat(filepath.Join(groupRoot, "cgroup.controllers")); err == nil {
		dir := findFolder(groupRoot, id)
		if dir == "" {
			return nil
		}
		return &controlGroup{memory: dir, cpu: dir, io: dir, pids: dir, second: true}
	}
	memory := filepath.Join(groupRoot, "memory")
	dir := findFolder(memory, id)
	if dir == "" {
		return nil
	}
	of := func(controller string) string {
		return filepath.Join(groupRoot, controller, strings.TrimPrefix(dir, memory))
	}
	return &controlGroup{memory: dir, cpu: of("cpuacct"), io: of("blkio"), pids: of("pids")}
}

// findFolder returns the folder below root that has an id in its name; empty if there is none.
func findFolder(root, id string) (found string) {
	for _, name := range []string{"docker/" + id, "system.slice/docker-" + id + ".scope", "machine.slice/libpod-" + id + ".scope"} {
		if _, err := os.Stat(filepath.Join(root, name)); err == nil {
			return filepath.Join(root, name)
		}
	}
	_ = filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return nil //nolint:nilerr // it is gone
		}
		if entry.IsDir() && strings.Contains(entry.Name(), id) && !strings.Contains(entry.Name(), "conmon") {
			found = path
			return fs.SkipAll
		}
		return nil
	})
	return found
}

// read adds what the container has used so far. processes is set if it could not have more processes.
func (g *controlGroup) read(usage *trowel.Usage, processes *bool) {
	if g.second {
		usage.PeakMemory = max(usage.PeakMemory, numberIn(g.memory, "memory.peak"), numberIn(g.memory, "memory.current"))
		usage.CPUTime = max(usage.CPUTime, time.Duration(fieldIn(g.cpu, "cpu.stat", "usage_usec"))*time.Microsecond)
		usage.BytesWritten = max(usage.BytesWritten, sumIn(g.io, "io.stat", "wbytes="))
	} else {
		usage.PeakMemory = max(usage.PeakMemory, numberIn(g.memory, "memory.max_usage_in_bytes"))
		usage.CPUTime = max(usage.CPUTime, time.Duration(numberIn(g.cpu, "cpuacct.usage")))
		usage.BytesWritten = max(usage.BytesWritten, sumIn(g.io, "blkio.throttle.io_service_bytes", "Write "))
	}
	*processes = *processes || fieldIn(g.pids, "pids.events", "max") > 0
}

// numberIn returns the number that a file consists of; zero if it cannot be read.
func numberIn(dir, name string) int64 {
	text, err := os.ReadFile(filepath.Join(dir, name))
	if err != nil {
		return 0
	}
	n, _ := strconv.ParseInt(strings.TrimSpace(string(text)), 10, 64) // zero without one
	return n
}

// fieldIn returns the number after a word that begins a line.
func fieldIn(dir, name, word string) int64 {
	text, err := os.ReadFile(filepath.Join(dir, name))
	if err != nil {
		return 0
	}
	for line := range strings.Lines(string(text)) {
		if key, value, ok := strings.Cut(strings.TrimSpace(line), " "); ok && key == word {
			n, _ := strconv.ParseInt(value, 10, 64) // as above
			return n
		}
	}
	return 0
}

// sumIn returns the sum of the numbers that follow a text.
func sumIn(dir, name, before string) (sum int64) {
	text, err := os.ReadFile(filepath.Join(dir, name))
	if err != nil {
		return 0
	}
	for _, part := range strings.Split(string(text), before)[1:] {
		if fields := strings.Fields(part); len(fields) > 0 {
			n, _ := strconv.ParseInt(fields[0], 10, 64) // as above
			sum += n
		}
	}
	return sum
}
