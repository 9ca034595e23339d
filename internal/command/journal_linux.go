package command

import (
	"bytes"
	"errors"
	"os"
	"slices"
	"strconv"
	"strings"
	"syscall"
)

// bootID identifies this boot of the machine.
func bootID() string {
	id, err := os.ReadFile("/proc/sys/kernel/random/boot_id")
	if err != nil {
		return "unknown"
	}
	return strings.TrimSpace(string(id))
}

// processStart is when a process began, in ticks since the boot.
func processStart(pid int) (int64, error) {
	stat, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	if err != nil {
		return 0, err
	}
	p, ok := parseProcess(stat)
	if !ok {
		return 0, errors.New("no process")
	}
	return p.started, nil
}

// aProcess is a line of /proc/PID/stat (proc(5)).
type aProcess struct {
	parent, session int
	started         int64 // ticks since the boot
	dead            bool  // a zombie
	threads         int
	ticks           int64 // of the processor
}

func parseProcess(stat []byte) (p aProcess, ok bool) {
	i := bytes.LastIndexByte(stat, ')')
	if i < 0 {
		return p, false
	}
	fields := bytes.Fields(stat[i+1:])
	if len(fields) < 20 {
		return p, false
	}
	var errs [6]error
	p.parent, errs[0] = strconv.Atoi(string(fields[1]))
	p.session, errs[1] = strconv.Atoi(string(fields[3]))
	p.started, errs[2] = strconv.ParseInt(string(fields[19]), 10, 64)
	var user, system int64
	user, errs[3] = strconv.ParseInt(string(fields[11]), 10, 64)
	system, errs[4] = strconv.ParseInt(string(fields[12]), 10, 64)
	p.ticks = user + system
	p.threads, errs[5] = strconv.Atoi(string(fields[17]))
	p.dead = fields[0][0] == 'Z' || fields[0][0] == 'X'
	return p, errors.Join(errs[:]...) == nil
}

// kill kills what is left, and returns the number of processes. A session belongs to the journal if its first process is
// the noted one, or if one of its processes has the mark. Processes with the mark that began their own sessions belong
// to it too, and so does what was killed before and still dies. This process and its ancestors are spared, because a task
// may have started the server.
func (l *leftBehind) kill() (n int) {
	all := readProcesses()
	ours := map[int]bool{}
	marked := map[int]bool{}
	for pid, p := range all {
		if noted, ok := l.sessions[pid]; ok && noted == p.started && p.session == pid {
			ours[p.session] = true
		}
		if hasMark(pid, l.mark) {
			marked[pid], ours[p.session] = true, true
		}
	}
	above := os.Getpid()
	for ; above > 0 && all[above].parent != above; above = all[above].parent {
		delete(ours, all[above].session)
		p := all[above]
		p.dead = true
		all[above] = p
	}
	for pid, p := range all {
		started, dying := l.killed[pid] // a process that dies has no environment any more
		dying = dying && started == p.started
		if !p.dead && pid > 1 && (ours[p.session] || marked[pid] || dying) && syscall.Kill(pid, syscall.SIGKILL) == nil {
			l.killed[pid] = p.started
			n++
		}
	}
	return n
}

// readProcesses reads all processes of the machine, as far as /proc shows them.
func readProcesses() map[int]aProcess {
	all := map[int]aProcess{}
	dir, err := os.Open("/proc")
	if err != nil {
		return all
	}
	defer dir.Close() //nolint:errcheck // only read from
	names, err := dir.Readdirnames(-1)
	if err != nil {
		return all
	}
	for _, name := range names {
		pid, err := strconv.Atoi(name)
		if err != nil {
			continue
		}
		stat, err := os.ReadFile("/proc/" + name + "/stat")
		if err != nil {
			continue
		}
		if p, ok := parseProcess(stat); ok {
			all[pid] = p
		}
	}
	return all
}

// hasMark reports whether a process has the mark. It looks at the first variables of the environment, as far as the
// system shows them.
func hasMark(pid int, mark string) bool {
	environ, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/environ")
	if err != nil {
		return false
	}
	for entry := range bytes.SplitSeq(environ, []byte{0}) {
		if value, ok := bytes.CutPrefix(entry, []byte(markName+"=")); ok {
			return slices.ContainsFunc(bytes.Split(value, []byte{','}), func(one []byte) bool { return string(one) == mark })
		}
	}
	return false
}
