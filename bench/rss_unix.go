//go:build unix

package main

import (
	"os"
	"runtime"
	"syscall"
)

// maxRSS returns the largest resident set of an ended process in MB. Linux counts in kilobytes, macOS in
// bytes.
func maxRSS(state *os.ProcessState) float64 {
	usage, ok := state.SysUsage().(*syscall.Rusage)
	if !ok {
		return 0
	}
	if runtime.GOOS == "darwin" {
		return float64(usage.Maxrss) / 1e6
	}
	return float64(usage.Maxrss) * 1024 / 1e6
}
