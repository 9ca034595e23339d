package command

import (
	"bytes"
	"os"
	"slices"
	"strconv"
	"sync"
	"syscall"
	"time"
)

// sessions knows the process groups of sessions.
type sessions struct {
	mu     sync.Mutex
	readAt time.Time     // when the last reading of /proc began
	byID   map[int][]int // process groups by session; nil if /proc cannot be read
}

// alive reports whether a session has a process. Zombies do not count: where nobody waits for orphans, as in some
// containers, they stay for ever, and kill(2) still finds them.
func (s *sessions) alive(session int) bool {
	groups := s.groups(session)
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.byID == nil {
		return syscall.Kill(-session, 0) == nil
	}
	return len(groups) > 0
}

// groups returns the process groups that have a process in a session. Zombies do not count. When a run is stopped, all
// of its commands ask at once; all that asked before a read of /proc began share its result.
func (s *sessions) groups(session int) []int {
	asked := time.Now()
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.readAt.After(asked) {
		s.readAt = time.Now()
		s.byID = readGroups()
	}
	return s.byID[session]
}

func readGroups() map[int][]int {
	dir, err := os.Open("/proc")
	if err != nil {
		return nil
	}
	defer dir.Close() //nolint:errcheck // only read from
	names, err := dir.Readdirnames(-1)
	if err != nil {
		return nil
	}
	var groups map[int][]int // stays nil where /proc is empty
	for _, name := range names {
		if name[0] < '0' || name[0] > '9' {
			continue
		}
		stat, err := os.ReadFile("/proc/" + name + "/stat")
		if err != nil {
			continue
		}
		group, session, ok := parseStat(stat)
		if groups == nil {
			groups = map[int][]int{}
		}
		if ok && !slices.Contains(groups[session], group) {
			groups[session] = append(groups[session], group)
		}
	}
	return groups
}

// parseStat parses process group and session in a line of /proc/PID/stat (proc(5)). After the name in parentheses, which
// may contain anything, come state, parent, group and session.
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
