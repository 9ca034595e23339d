package api

// CommandLimits are what the commands of one try may use (docs/limits.md). A limit that is missing is none.
type CommandLimits struct {
	Memory int64   `json:"memory,omitempty"` // bytes
	CPU    float64 `json:"cpu,omitempty"`    // cores
	PIDs   int     `json:"pids,omitempty"`   // processes and threads
	Disk   int64   `json:"disk,omitempty"`   // bytes
}

// KeptLimits are the limits of commands that an agent keeps: some of "memory", "cpu", "pids" and "disk".
type KeptLimits struct {
	Names     List[string]  `json:"names"`     // for commands that run as its own processes
	Container List[string]  `json:"container"` // for commands of tasks that ask for a container
	Max       CommandLimits `json:"max"`       // its upper bounds
}
