package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// profile returns the name of the file with the profile of a bar.
func (b *bar) profile() string {
	return strings.NewReplacer(": ", "-", " ", "-", ",", "").Replace(b.name) + ".perf"
}

// profiled measures a bar, and records a profile of the processors meanwhile if options say so.
func (b *bench) profiled(one *bar) (results []result, err error) {
	if b.perf == "" {
		return one.measure(b)
	}
	if err := os.MkdirAll(b.perf, 0o755); err != nil {
		return nil, err
	}
	perf := exec.Command("perf", "record", "-a", "-g", "-F", "199", "-o", filepath.Join(b.perf, one.profile()))
	if err := perf.Start(); err != nil {
		return nil, fmt.Errorf("record a profile: %w", err)
	}
	defer func() {
		err = errors.Join(err, perf.Process.Signal(os.Interrupt))
		_ = perf.Wait() // it fails, as it was interrupted
	}()
	return one.measure(b)
}
