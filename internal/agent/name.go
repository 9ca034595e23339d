package agent

import (
	"os"
	"strconv"
)

// ProcessName is the name of this process in the names of logs: PID@HOST.
func ProcessName() string { return strconv.Itoa(os.Getpid()) + "@" + HostName() }

// HostName is the name of this machine.
func HostName() string {
	host, err := os.Hostname()
	if err != nil {
		return "localhost"
	}
	return host
}
