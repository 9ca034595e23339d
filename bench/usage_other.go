//go:build !linux

package main

import (
	"errors"
	"time"
)

// usage is what a running process uses.
type usage struct {
	rssMB, peakMB float64
	cpu           time.Duration
}

// usage is only known on Linux.
func (s *server) usage() (usage, error) {
	return usage{}, errors.New("what a running server takes can be measured on Linux only")
}
