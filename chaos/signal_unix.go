//go:build unix

package main

import (
	"os"
	"syscall"
)

// suspend and resume pause a process without its noticing.
func suspend(p *os.Process) error { return p.Signal(syscall.SIGSTOP) }
func resume(p *os.Process) error  { return p.Signal(syscall.SIGCONT) }
