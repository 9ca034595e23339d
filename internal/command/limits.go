package command

import "fmt"

// Limits are what a command may use. Zero is no limit.
type Limits struct {
	Memory int64   // bytes of all its processes together
	CPU    float64 // processors
	PIDs   int     // processes and threads at one time
	Disk   int64   // bytes of the project's files on this machine, with what was there before
}

// Any reports whether there is a limit.
func (l *Limits) Any() bool { return *l != Limits{} }

// Kinds of limits that a command can exceed. The error of its task has the same kind.
const (
	LimitMemory = "memory"
	LimitPIDs   = "pids"
	LimitDisk   = "disk"
)

// LimitError says that a command exceeded a limit.
type LimitError struct {
	Kind  string // LimitMemory, LimitPIDs or LimitDisk
	Limit int64  // bytes, or processes
	Peak  int64  // the most that was seen; zero if unknown
}

// Error names limit and peak.
func (e *LimitError) Error() string {
	amount := func(n int64) string {
		if e.Kind == LimitPIDs {
			return fmt.Sprint(n)
		}
		return bytesText(n)
	}
	what := map[string]string{
		LimitMemory: "memory", LimitPIDs: "processes", LimitDisk: "space for files",
	}[e.Kind]
	text := fmt.Sprintf("The command used more %s than its limit of %s", what, amount(e.Limit))
	if e.Peak > 0 {
		text += fmt.Sprintf("; its peak was %s", amount(e.Peak))
	}
	return text
}

// bytesText formats a size as a limit is written: "512MiB", and "1.5GiB" if that is no whole number.
func bytesText(n int64) string {
	units := []string{"KiB", "MiB", "GiB", "TiB"}
	if n < 1024 {
		return fmt.Sprintf("%d bytes", n)
	}
	size, unit := float64(n)/1024, 0
	for size >= 1024 && unit < len(units)-1 {
		size, unit = size/1024, unit+1
	}
	if size == float64(int64(size)) {
		return fmt.Sprintf("%d%s", int64(size), units[unit])
	}
	return fmt.Sprintf("%.1f%s", size, units[unit])
}
