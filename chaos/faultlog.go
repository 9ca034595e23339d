package main

import (
	"errors"
	"fmt"
	"os"
	"sync"
	"time"
)

// faultLog records which faults there were and when.
type faultLog struct {
	path  string
	began time.Time

	mu     sync.Mutex
	lines  []string
	counts map[string]int // by kind
}

func newFaultLog(path string) *faultLog {
	return &faultLog{path: path, began: time.Now(), counts: map[string]int{}}
}

// add records a fault that begins.
func (l *faultLog) add(f *fault, victim string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.counts[f.kind.name]++
	line := fmt.Sprintf("%s fault %d: %s: %s", time.Now().UTC().Format("15:04:05.000000"), f.number, victim, f.kind.name)
	if f.hold > 0 {
		line += fmt.Sprintf(" for %s", f.hold.Round(time.Millisecond))
	}
	if f.offset != 0 {
		line += fmt.Sprintf(" by %s", f.offset.Round(time.Millisecond))
	}
	l.lines = append(l.lines, line)
}

func (l *faultLog) total() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return len(l.lines)
}

// close writes the log to a file.
func (l *faultLog) close() (err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	file, err := os.Create(l.path)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	for _, line := range l.lines {
		if _, err := fmt.Fprintln(file, line); err != nil {
			return err
		}
	}
	return nil
}
