package main

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"sync/atomic"
	"time"

	"github.com/trowel-project/trowel/internal/store/storetest/pgtest"
)

// bench is the program to measure and a folder to work in.
type bench struct {
	bin, dir string

	waitingOver time.Duration // in which the tasks of the bar of waiting ones are started
	scale       float64       // factor for everything of which there is a million
	perf        string        // folder for profiles; empty for none

	postgres           *pgtest.Server // nil before it is needed
	databases, servers int            // how many were made
	agents             int
	files              int // how many files the next server may open; zero for as many as this process
	sessions           atomic.Int64
	tasksPerSecond     float64 // throughput of one server on PostgreSQL; zero before it is measured
}

// close closes what bars share.
func (b *bench) close() error {
	if b.postgres == nil {
		return nil
	}
	err := b.postgres.Close()
	b.postgres = nil
	return err
}

// sample has the figures of one run of a program.
type sample struct {
	wall  time.Duration
	first time.Duration // until the first byte of standard output
	rssMB float64       // largest resident set
}

// project makes a folder with files, given as names and contents in turn.
func (b *bench) project(name string, files ...string) (string, error) {
	return projectIn(b.dir, name, files...)
}

func projectIn(parent, name string, files ...string) (string, error) {
	dir := filepath.Join(parent, name)
	for i := 0; i < len(files); i += 2 {
		path := filepath.Join(dir, files[i])
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			return "", err
		}
		if err := os.WriteFile(path, []byte(files[i+1]), 0o644); err != nil {
			return "", err
		}
	}
	return dir, nil
}

// trowel runs the program in a folder, with standard output in a file as when a user redirects it.
func (b *bench) trowel(dir string, args ...string) (sample, error) {
	return b.process(dir, append([]string{b.bin}, args...)...)
}

// stdout returns the file with the standard output of the last run.
func (b *bench) stdout() string { return filepath.Join(b.dir, "stdout") }

// process runs a command with its own environment.
func (b *bench) process(dir string, args ...string) (sample, error) {
	return b.processIn(b.environment(), dir, args...)
}

// processIn runs a command with an environment.
func (b *bench) processIn(environ []string, dir string, args ...string) (sample, error) {
	cmd := exec.Command(args[0], args[1:]...)
	cmd.Dir = dir
	cmd.Env = environ
	out, err := os.Create(b.stdout())
	if err != nil {
		return sample{}, err
	}
	defer out.Close() //nolint:errcheck // its content does not matter
	var stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = out, &stderr
	begun := time.Now()
	err = cmd.Run()
	s := sample{wall: time.Since(begun)}
	if err != nil {
		return s, fmt.Errorf("%v: %w\n%s", args, err, stderr.Bytes())
	}
	s.rssMB = maxRSS(cmd.ProcessState)
	return s, nil
}

// trowelFirst is trowel with a pipe for standard output, to measure when its first byte comes.
func (b *bench) trowelFirst(dir string, args ...string) (sample, error) {
	cmd := exec.Command(b.bin, args...)
	cmd.Dir = dir
	cmd.Env = b.environment()
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	pipe, err := cmd.StdoutPipe()
	if err != nil {
		return sample{}, err
	}
	begun := time.Now()
	if err := cmd.Start(); err != nil {
		return sample{}, err
	}
	var s sample
	if _, err := io.ReadFull(pipe, make([]byte, 1)); err == nil {
		s.first = time.Since(begun)
	}
	_, errRead := io.Copy(io.Discard, pipe)
	err = cmd.Wait()
	s.wall = time.Since(begun)
	if err != nil || errRead != nil {
		return s, fmt.Errorf("%v: %w %w\n%s", args, err, errRead, stderr.Bytes())
	}
	s.rssMB = maxRSS(cmd.ProcessState)
	return s, nil
}

// median repeats a measurement and returns the sample with the median time.
func median(n int, measure func() (sample, error)) (sample, error) {
	samples := make([]sample, n)
	for i := range samples {
		var err error
		if samples[i], err = measure(); err != nil {
			return sample{}, err
		}
	}
	slices.SortFunc(samples, func(a, b sample) int { return int(a.wall - b.wall) })
	return samples[n/2], nil
}

func millis(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }
