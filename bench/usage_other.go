//go:build !linux

package main

import (
	"errors"
	"time"
)

// usage is what a running process takes.
type usage struct {
	rssMB, peakMB float64
	cpu           time.Duration
}

// usage is known on Linux only.
func (s *server) usage() (usage, error) {
	return usage{}, errors.New("what a running server takes can be measured on Linux only")
}
