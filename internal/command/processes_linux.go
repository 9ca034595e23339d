package command

import (
	"bytes"
	"os"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"
)

// canLook reports whether this system shows processes and what they use.
const canLook = true

// tick is the unit of processor time in /proc/PID/stat, the same on all machines (sysconf(3), USER_HZ).
const tick = 10 * time.Millisecond

// tree is the processes of a command: its first one, what descends from it, what is in its session, and what has its mark.
// A process that belonged to it once stays part of it, also when its parent has ended.
type tree struct {
	leader  int64          // when the first process began; zero before the first look
	members map[int]member // by process id
	gone    int64          // ticks of members that have ended
	// exact is the memory at the last exact measurement, and examined the sum of that of all members at that time.
	exact, examined int64
}

// member is a process of a tree.
type member struct {
	started, ticks int64
	escaped        bool // it has left the session
}

// escaped reports whether a process of a command had left its session at the last look.
func (t *processTable) escaped(v *supervision) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, m := range v.tree.members {
		if m.escaped {
			return true
		}
	}
	return false
}

// processTable finds the processes of commands.
type processTable struct {
	mu      sync.Mutex
	foreign map[int]int64 // processes that have no mark, and when each began
}

// forget frees what is only needed while commands run.
func (t *processTable) forget() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.foreign = nil
}

// look measures what the processes of commands use now. mark is what the marks of commands begin with.
func (t *processTable) look(list []*supervision, mark string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for v, members := range t.find(list, mark) {
		v.measure(members)
	}
}

// kill kills the processes of a command, and returns how many there were.
func (t *processTable) kill(v *supervision) (n int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for pid, p := range t.find([]*supervision{v}, v.supervisor.mark)[v] {
		if !p.dead && killProcess(pid, p.started) {
			n++
		}
	}
	return n
}

// killProcess kills a process, unless its id means another one by now.
func killProcess(pid int, started int64) bool {
	process, err := os.FindProcess(pid) // it is held, so that the id cannot get another meaning
	if err != nil {
		return false
	}
	defer process.Release() //nolint:errcheck // nothing depends on it
	now, err := processStart(pid)
	return err == nil && now == started && process.Signal(syscall.SIGKILL) == nil
}

// find returns the processes of commands.
func (t *processTable) find(list []*supervision, mark string) map[*supervision]map[int]aProcess {
	all := readProcesses()
	delete(all, os.Getpid())
	s := search{all: all, children: map[int][]int{}, sessions: map[int][]int{}, owner: map[int]*supervision{}, found: map[*supervision]map[int]aProcess{}}
	for pid, p := range all {
		s.children[p.parent] = append(s.children[p.parent], pid)
		s.sessions[p.session] = append(s.sessions[p.session], pid)
	}
	byNumber := make(map[int]*supervision, len(list))
	for _, v := range list {
		byNumber[v.number] = v
		s.known(v)
	}
	foreign := map[int]int64{}
	for pid, p := range all {
		if s.owner[pid] != nil {
			continue
		}
		if t.foreign[pid] == p.started {
			foreign[pid] = p.started
			continue
		}
		number, sure := markedCommand(pid, mark)
		if v := byNumber[number]; v != nil {
			s.claim(v, pid)
		} else if number == 0 && (sure || p.parent == kernelThreads) {
			foreign[pid] = p.started
		}
	}
	t.foreign = foreign
	return s.found
}

// search looks for the processes of commands among all processes.
type search struct {
	all                map[int]aProcess
	children, sessions map[int][]int
	owner              map[int]*supervision
	found              map[*supervision]map[int]aProcess
}

// known claims the processes that need no look at their marks.
func (s *search) known(v *supervision) {
	leader := v.child.proc.id()
	if p, ok := s.all[leader]; ok && (v.tree.leader == 0 || v.tree.leader == p.started) {
		v.tree.leader = p.started
		s.claim(v, leader)
	}
	for _, pid := range s.sessions[leader] {
		s.claim(v, pid)
	}
	for pid, m := range v.tree.members {
		if p, ok := s.all[pid]; ok && p.started == m.started {
			s.claim(v, pid)
		}
	}
}

// claim adds a process and all that descend from it.
func (s *search) claim(v *supervision, pid int) {
	if s.owner[pid] != nil {
		return
	}
	s.owner[pid] = v
	if s.found[v] == nil {
		s.found[v] = map[int]aProcess{}
	}
	s.found[v][pid] = s.all[pid]
	for _, child := range s.children[pid] {
		s.claim(v, child)
	}
}

// kernelThreads is the parent of all threads of the kernel.
const kernelThreads = 2

// markedCommand returns the number of the command whose mark a process has, or zero. It is not sure about a process that
// shows no environment, as it is about to become another program.
func markedCommand(pid int, mark string) (number int, sure bool) {
	environ, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/environ")
	if err != nil {
		return 0, true // this process may not see it
	}
	for entry := range bytes.SplitSeq(environ, []byte{0}) {
		value, ok := bytes.CutPrefix(entry, []byte(markName+"="))
		if !ok {
			continue
		}
		for one := range strings.SplitSeq(string(value), ",") {
			if rest, ours := strings.CutPrefix(one, mark+"."); ours {
				if n, err := strconv.Atoi(rest); err == nil {
					return n, true
				}
			}
		}
		return 0, true
	}
	return 0, len(environ) > 0
}

// measure notes what the processes of a command use.
func (v *supervision) measure(all map[int]aProcess) {
	now := make(map[int]member, len(all))
	var memory, ticks int64
	processes := 0
	for pid, p := range all {
		now[pid] = member{p.started, p.ticks, p.session != v.child.proc.id()}
		ticks += p.ticks
		if !p.dead {
			memory += memoryOf(pid)
			processes += p.threads
		}
	}
	for pid, m := range v.tree.members {
		if now[pid].started != m.started {
			v.tree.gone += m.ticks
		}
	}
	v.tree.members = now
	if limit := v.limits.Memory; len(all) > 1 && (limit > 0 && memory > limit || memory > v.tree.examined+v.tree.examined/16) {
		v.tree.examined = memory
		memory = exactMemory(all)
		v.tree.exact = memory
	} else if len(all) > 1 {
		memory = v.tree.exact + max(memory-v.tree.examined, 0)
	}
	v.note(memory, processes, time.Duration(ticks+v.tree.gone)*tick)
}

// exactMemory sums up the memory of processes. What several of them share counts once.
func exactMemory(all map[int]aProcess) (sum int64) {
	for pid, p := range all {
		if p.dead {
			continue
		}
		rollup, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/smaps_rollup")
		own, ok := kilobytes(rollup, "Pss_Anon:", "Pss_Shmem:", "SwapPss:")
		if err != nil || !ok {
			own = memoryOf(pid) // this process may not see more
		}
		sum += own
	}
	return sum
}

// memoryOf returns the memory of a process without that of files, which the system takes back when it needs some. Memory that
// it shares with others is part of it.
func memoryOf(pid int) int64 {
	status, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/status")
	if err != nil {
		return 0
	}
	if sum, ok := kilobytes(status, "RssAnon:", "RssShmem:", "VmSwap:"); ok {
		return sum
	}
	sum, _ := kilobytes(status, "VmRSS:", "VmSwap:")
	return sum
}

// kilobytes sums up lines such as "RssAnon:   12 kB" of a file of /proc, in bytes. ok reports whether the first of them is
// there.
func kilobytes(text []byte, names ...string) (sum int64, ok bool) {
	for i, name := range names {
		at := bytes.Index(text, []byte("\n"+name))
		if at < 0 {
			continue
		}
		line, _, _ := bytes.Cut(text[at+1+len(name):], []byte("\n"))
		n, err := strconv.ParseInt(string(bytes.TrimSpace(bytes.TrimSuffix(line, []byte("kB")))), 10, 64)
		if err == nil {
			sum += n << 10
			ok = ok || i == 0
		}
	}
	return sum, ok
}

// mostQuick is the largest number of processes that lookQuickly looks at.
const mostQuick = 32

// lookQuickly measures the memory of a process and of what descends from it, without a look at all processes.
func lookQuickly(leader int) (sum int64) {
	list := []int{leader}
	for i := 0; i < len(list) && i < mostQuick; i++ {
		id := strconv.Itoa(list[i])
		sum += memoryOf(list[i])
		children, err := os.ReadFile("/proc/" + id + "/task/" + id + "/children")
		if err != nil {
			continue
		}
		for child := range strings.FieldsSeq(string(children)) {
			if pid, err := strconv.Atoi(child); err == nil {
				list = append(list, pid)
			}
		}
	}
	return sum
}
