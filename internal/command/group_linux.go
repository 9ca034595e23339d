package command

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	trowel "github.com/trowel-project/trowel"
)

// Names of control groups below the one in which this process was started.
const (
	ownGroup = "agent"
	tryGroup = "try-"
)

// Groups makes a control group (cgroups(7), version 2) for each command. The kernel keeps its limits and counts what it uses.
// It is safe for concurrent use.
//
// A group with processes cannot have controllers for groups below it, so this process moves into a group of its own, beside
// those of its commands.
type Groups struct {
	dir string // of the group in which this process was started
	log *slog.Logger

	mu   sync.Mutex
	last int
	left []string // folders that could not be removed yet: processes of their commands run on
}

// controllers are what must be delegated. That of io counts what is written, and may be missing.
func controllers() []string { return []string{"memory", "cpu", "pids"} }

// OpenGroups prepares control groups. The error says why this process may not make any, and what to do.
func OpenGroups(log *slog.Logger) (*Groups, error) {
	dir, err := groupOfProcess()
	if err != nil {
		return nil, err
	}
	g := &Groups{dir: dir, log: log}
	if filepath.Base(dir) == ownGroup && hasControllers(filepath.Dir(dir)) == nil {
		g.dir = filepath.Dir(dir) // another program of this process has been here before
	} else if err := g.enter(); err != nil {
		return nil, err
	}
	g.removeOld()
	if err := g.try(); err != nil {
		return nil, fmt.Errorf("start a command in a control group: %w", err)
	}
	return g, nil
}

// Dir returns the folder of the group below which commands have theirs.
func (g *Groups) Dir() string { return g.dir }

// groupOfProcess returns the folder of the control group of this process.
func groupOfProcess() (string, error) {
	mounts, err := os.ReadFile("/proc/self/mountinfo")
	if err != nil {
		return "", err
	}
	own, err := os.ReadFile("/proc/self/cgroup")
	if err != nil {
		return "", err
	}
	path := ""
	for line := range strings.Lines(string(own)) {
		if rest, ok := strings.CutPrefix(line, "0::"); ok {
			path = strings.TrimSuffix(rest, "\n")
		}
	}
	for line := range strings.Lines(string(mounts)) {
		before, after, _ := strings.Cut(line, " - ")
		fields := strings.Fields(before)
		if !strings.HasPrefix(after, "cgroup2 ") || len(fields) < 5 || path == "" {
			continue
		}
		relative, err := filepath.Rel(fields[3], path)
		if err != nil || strings.HasPrefix(relative, "..") {
			continue
		}
		return filepath.Join(fields[4], relative), nil
	}
	return "", errors.New("this machine has no control groups of version 2")
}

// hasControllers returns an error unless groups below a folder have the controllers.
func hasControllers(dir string) error {
	return lists(filepath.Join(dir, "cgroup.subtree_control"), "the controller %s is not in use")
}

// lists returns an error unless a file lists all controllers.
func lists(file, without string) error {
	text, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	for _, name := range controllers() {
		if !slices.Contains(strings.Fields(string(text)), name) {
			return fmt.Errorf(without, name)
		}
	}
	return nil
}

// hintDelegate says how to let a service make control groups.
const hintDelegate = "; Delegate=yes in its unit allows it for a service of systemd"

// enter moves this process into a group of its own, and gives the groups beside it their controllers.
func (g *Groups) enter() error {
	if err := lists(filepath.Join(g.dir, "cgroup.controllers"), "this process may not use the controller %s in "+g.dir+hintDelegate); err != nil {
		return err
	}
	if _, err := os.Stat("/run/systemd/system"); err == nil && os.Geteuid() == 0 && !delegated(g.dir) {
		return fmt.Errorf("systemd has not delegated %s to this process%s", g.dir, hintDelegate)
	}
	own := filepath.Join(g.dir, ownGroup)
	if err := os.Mkdir(own, 0o755); err != nil && !errors.Is(err, fs.ErrExist) { //nolint:gosec // others may see it, as all groups
		return fmt.Errorf("this process may not make control groups%s: %w", hintDelegate, err)
	}
	self := strconv.Itoa(os.Getpid())
	if err := writeControl(own, "cgroup.procs", self); err != nil {
		os.Remove(own) //nolint:errcheck,gosec // it is empty
		return fmt.Errorf("move this process into %s%s: %w", own, hintDelegate, err)
	}
	if err := g.control(); err != nil {
		err = fmt.Errorf("use the controllers of %s, in which there may be other processes: %w", g.dir, err)
		return errors.Join(err, writeControl(g.dir, "cgroup.procs", self), os.Remove(own))
	}
	return nil
}

// control gives the groups of commands their controllers.
func (g *Groups) control() error {
	if err := writeControl(g.dir, "cgroup.subtree_control", "+"+strings.Join(controllers(), " +")); err != nil {
		return err
	}
	writeControl(g.dir, "cgroup.subtree_control", "+io") //nolint:errcheck,gosec // it may not be delegated
	return nil
}

// delegated reports whether systemd has delegated a group: it says so in an attribute.
func delegated(dir string) bool {
	value := make([]byte, 8)
	for _, name := range []string{"user.delegate", "trusted.delegate"} {
		if n, err := unix.Getxattr(dir, name, value); err == nil && string(value[:n]) == "1" {
			return true
		}
	}
	return false
}

func writeControl(dir, file, text string) error {
	return os.WriteFile(filepath.Join(dir, file), []byte(text), 0) //nolint:gosec // the file is there
}

// removeOld ends what is left of the commands of a process that was killed here.
func (g *Groups) removeOld() {
	old, err := filepath.Glob(filepath.Join(g.dir, tryGroup+"*"))
	if err != nil {
		return
	}
	for _, dir := range old {
		owner, _, _ := strings.Cut(strings.TrimPrefix(filepath.Base(dir), tryGroup), "-")
		if _, err := os.Stat("/proc/" + owner); err != nil {
			(&group{dir: dir}).kill()
			g.remove(dir)
		}
	}
}

// try starts a command in a group and ends it, as the kernel may be too old for that.
func (g *Groups) try() error {
	one, err := g.add(Limits{})
	if err != nil {
		return err
	}
	defer one.discard()
	if _, err := os.Stat(filepath.Join(one.dir, "cgroup.kill")); err != nil {
		return errors.New("the kernel is older than 5.14")
	}
	pid, err := syscall.ForkExec("/bin/sh", []string{"sh", "-c", ":"}, &syscall.ProcAttr{
		Env: []string{}, Sys: &syscall.SysProcAttr{Setsid: true, UseCgroupFD: true, CgroupFD: int(one.folder.Fd())},
	})
	if err != nil {
		return err
	}
	_, err = (&process{pid: pid}).wait()
	return err
}

// group is the control group of one command.
type group struct {
	groups    *Groups
	dir       string
	folder    *os.File // the same, for the start of a process in it
	limits    Limits
	keepsPeak bool // the kernel counts the largest memory
}

// cpuPeriod is the time within which a group gets its share of the processors, in microseconds.
const cpuPeriod = 100_000

// add makes a group with limits.
func (g *Groups) add(limits Limits) (*group, error) {
	g.mu.Lock()
	left := g.left
	g.left = nil
	g.mu.Unlock()
	for _, dir := range left {
		g.remove(dir)
	}
	one := &group{groups: g, limits: limits}
	err := one.make()
	if err == nil {
		err = one.limit()
	}
	if err == nil {
		one.folder, err = os.Open(one.dir)
	}
	if err != nil {
		os.Remove(one.dir) //nolint:errcheck,gosec // it is empty
		return nil, fmt.Errorf("make a control group for the command: %w", err)
	}
	_, err = os.Stat(filepath.Join(one.dir, "memory.peak"))
	one.keepsPeak = err == nil
	return one, nil
}

// make makes the folder of a group, under a name that nothing else in this process has taken.
func (c *group) make() error {
	for {
		c.groups.mu.Lock()
		c.groups.last++
		c.dir = filepath.Join(c.groups.dir, fmt.Sprintf("%s%d-%d", tryGroup, os.Getpid(), c.groups.last))
		c.groups.mu.Unlock()
		if err := os.Mkdir(c.dir, 0o755); !errors.Is(err, fs.ErrExist) { //nolint:gosec // others may see it, as all groups
			return err
		}
	}
}

// limit sets the limits of a group. Memory may not go to the disk instead, and if it does not suffice all processes of the
// command end, not one of them.
func (c *group) limit() error {
	var errs []error
	set := func(file, text string) { errs = append(errs, writeControl(c.dir, file, text)) }
	if n := c.limits.Memory; n > 0 {
		set("memory.max", strconv.FormatInt(n, 10))
		set("memory.oom.group", "1")
		if err := writeControl(c.dir, "memory.swap.max", "0"); !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, fs.ErrPermission) {
			errs = append(errs, err)
		}
	}
	if n := c.limits.CPU; n > 0 {
		set("cpu.max", fmt.Sprintf("%d %d", max(int64(n*cpuPeriod), 1000), cpuPeriod))
	}
	if n := c.limits.PIDs; n > 0 {
		set("pids.max", strconv.Itoa(n))
	}
	return errors.Join(errs...)
}

// memory returns what the group uses now.
func (c *group) memory() int64 { return c.number("memory.current") }

// kill kills all processes of the group.
func (c *group) kill() {
	writeControl(c.dir, "cgroup.kill", "1") //nolint:errcheck,gosec // the group is gone if it fails
}

// end notes what the command has used, and removes the group. failed reports whether the command has failed. It returns the
// limit that ended it, or made it fail; nil for none.
func (c *group) end(usage *trowel.Usage, failed bool) (why *LimitError) {
	usage.PeakMemory = max(usage.PeakMemory, c.number("memory.peak"))
	usage.CPUTime = max(usage.CPUTime, time.Duration(c.entry("cpu.stat", "usage_usec"))*time.Microsecond)
	usage.BytesWritten = max(usage.BytesWritten, c.written())
	switch {
	case c.limits.Memory > 0 && c.entry("memory.events", "oom_kill") > 0:
		why = &LimitError{Kind: LimitMemory, Limit: c.limits.Memory, Peak: usage.PeakMemory}
	case c.limits.PIDs > 0 && failed && c.entry("pids.events", "max") > 0:
		why = &LimitError{Kind: LimitPIDs, Limit: int64(c.limits.PIDs), Peak: max(c.number("pids.peak"), int64(c.limits.PIDs))}
	}
	c.discard()
	return why
}

// discard removes the group.
func (c *group) discard() {
	c.folder.Close() //nolint:errcheck,gosec // only its place was needed
	c.groups.remove(c.dir)
}

// remove removes the folder of a group. If processes of its command run on, that is left for later.
func (g *Groups) remove(dir string) {
	for pause := time.Millisecond; ; pause *= 4 {
		err := os.Remove(dir)
		if err == nil || errors.Is(err, fs.ErrNotExist) {
			return
		}
		if pause > 64*time.Millisecond || populated(dir) {
			break
		}
		<-time.After(pause)
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	g.left = append(g.left, dir)
}

// populated reports whether a group has processes.
func populated(dir string) bool { return (&group{dir: dir}).entry("cgroup.events", "populated") > 0 }

// number reads a file with one number; zero if it is not there.
func (c *group) number(file string) int64 {
	text, err := os.ReadFile(filepath.Join(c.dir, file))
	if err != nil {
		return 0
	}
	n, _ := strconv.ParseInt(string(bytes.TrimSpace(text)), 10, 64)
	return n
}

// entry reads a number of a file with a name and a number in each line; zero if it is not there.
func (c *group) entry(file, name string) int64 {
	text, err := os.ReadFile(filepath.Join(c.dir, file))
	if err != nil {
		return 0
	}
	for line := range strings.Lines(string(text)) {
		if value, ok := strings.CutPrefix(line, name+" "); ok {
			n, _ := strconv.ParseInt(strings.TrimSpace(value), 10, 64)
			return n
		}
	}
	return 0
}

// written returns how much the group has written to all devices.
func (c *group) written() (sum int64) {
	text, err := os.ReadFile(filepath.Join(c.dir, "io.stat"))
	if err != nil {
		return 0
	}
	for field := range strings.FieldsSeq(string(text)) {
		if value, ok := strings.CutPrefix(field, "wbytes="); ok {
			n, _ := strconv.ParseInt(value, 10, 64)
			sum += n
		}
	}
	return sum
}

// join lets a process start in the group.
func (c *group) join(attr *syscall.SysProcAttr) {
	if c != nil {
		attr.UseCgroupFD, attr.CgroupFD = true, int(c.folder.Fd())
	}
}

// outputBlock is the unit in which the kernel counts what a process writes to disks.
const outputBlock = 512

// bytesWritten returns how much a process has written to disks.
func bytesWritten(used *syscall.Rusage) int64 { return used.Oublock * outputBlock }
