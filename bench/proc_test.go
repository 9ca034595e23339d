package main

import (
	"os"
	"runtime"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestParseStat(t *testing.T) {
	t.Parallel()
	const rest = " S 17 42 42 0 -1 4194560 37966 581341 0 672 48 184 1322 683 10 -10 13 0 22 47353856 3945 18446744073709551615 1 1\n"
	want := processStat{pid: 42, parent: 17, own: (48 + 184) * 10 * time.Millisecond, children: (1322 + 683) * 10 * time.Millisecond}
	for _, name := range []string{"postgres", "a name", "tmux: server", "(sd-pam)", "a) S 1 2 (b", ""} {
		got, err := parseStat("42 (" + name + ")" + rest)
		if err != nil {
			t.Errorf("parseStat of %q: %v", name, err)
		}
		if diff := cmp.Diff(want, got, cmp.AllowUnexported(processStat{})); diff != "" {
			t.Errorf("parseStat of %q (-want +got):\n%s", name, diff)
		}
	}
	for _, line := range []string{"", "42", "42 (postgres", "42 (postgres) S 17", "x (postgres)" + rest, "42 (postgres) S 17 42 42 0 -1 4194560 37966 581341 0 672 x 184 1322 683"} {
		if got, err := parseStat(line); err == nil {
			t.Errorf("parseStat(%q) = %v, want an error", line, got)
		}
	}
}

// Ended children count once, with the process that waited for them; strangers do not count.
func TestTreeTime(t *testing.T) {
	t.Parallel()
	all := []processStat{
		{pid: 1, own: time.Hour, children: time.Hour},
		{pid: 12, parent: 11, own: 5 * time.Second, children: 7 * time.Second},
		{pid: 10, parent: 1, own: time.Second, children: 2 * time.Second},
		{pid: 11, parent: 10, own: 3 * time.Second},
		{pid: 20, parent: 1, own: time.Minute},
	}
	if got, want := treeTime(all, 10), 18*time.Second; got != want {
		t.Errorf("treeTime = %s, want %s", got, want)
	}
}

func TestProcessorTime(t *testing.T) {
	t.Parallel()
	if runtime.GOOS != "linux" {
		t.Skip("only Linux has /proc")
	}
	before, err := processorTime(os.Getpid())
	if err != nil {
		t.Fatal(err)
	}
	for used := before; used < before+5*tick; {
		if used, err = processorTime(os.Getpid()); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := processorTime(-1); err == nil {
		t.Error("processorTime of a process that is not there: want an error")
	}
}
