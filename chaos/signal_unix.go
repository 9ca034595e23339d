//go:build unix

package main

import (
	"os"
	"syscall"
)

// suspend and resume hold a process up without its knowing.
func suspend(p *os.Process) error { return p.Signal(syscall.SIGSTOP) }
func resume(p *os.Process) error  { return p.Signal(syscall.SIGCONT) }
