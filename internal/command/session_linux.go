package command

import (
	"bytes"
	"os"
	"slices"
	"strconv"
	"sync"
	"time"
)

// snapshotAge is for how long one reading of /proc serves: when a run is stopped, all of its commands
// ask at once.
const snapshotAge = 20 * time.Millisecond

// sessions knows the process groups of sessions.
type sessions struct {
	mu     sync.Mutex
	readAt time.Time
	byID   map[int][]int // process groups by session
}

// groups returns the process groups that have a process in a session. Processes that have ended and
// were not waited for do not count.
func (s *sessions) groups(session int) []int {
	s.mu.Lock()
	defer s.mu.Unlock()
	if time.Since(s.readAt) > snapshotAge {
		s.byID = readGroups()
		s.readAt = time.Now()
	}
	return s.byID[session]
}

func readGroups() map[int][]int {
	groups := map[int][]int{}
	dir, err := os.Open("/proc")
	if err != nil {
		return groups
	}
	defer dir.Close()                //nolint:errcheck // only read from
	names, _ := dir.Readdirnames(-1) //nolint:errcheck // what could be read serves
	for _, name := range names {
		if name[0] < '0' || name[0] > '9' {
			continue
		}
		stat, err := os.ReadFile("/proc/" + name + "/stat")
		if err != nil {
			continue
		}
		group, session, ok := parseStat(stat)
		if ok && !slices.Contains(groups[session], group) {
			groups[session] = append(groups[session], group)
		}
	}
	return groups
}

// parseStat takes process group and session out of a line of /proc/PID/stat (proc(5)): after the
// name in parentheses, which may hold anything, come state, parent, group and session.
func parseStat(stat []byte) (group, session int, ok bool) {
	i := bytes.LastIndexByte(stat, ')')
	if i < 0 {
		return 0, 0, false
	}
	fields := bytes.Fields(stat[i+1:])
	if len(fields) < 4 || fields[0][0] == 'Z' || fields[0][0] == 'X' {
		return 0, 0, false
	}
	group, err := strconv.Atoi(string(fields[2]))
	if err != nil {
		return 0, 0, false
	}
	session, err = strconv.Atoi(string(fields[3]))
	return group, session, err == nil
}
