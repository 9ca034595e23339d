// Chaos proves that nothing is lost. It starts real servers, loads them over REST, and makes trouble:
// processes are killed at random moments, stopped and paused, the database goes away, the disk is
// full. It remembers each promise that a server has made (an answer of 2xx, an end that was shown, a
// line of a log). In the end a checker reads REST, the rows of the database and the files, and
// reports what was not kept.
//
//	make chaos
//	make chaos CHAOSFAULTS=1000 RUN=cluster
//	go run ./chaos -bin bin/trowel-chaos -run disk-full -keep /tmp/chaos
//
// All modes with 200 kills each take about 25 minutes on two cores, 1000 faults in the cluster about 14,
// and the short form in CI less than a minute. The program is built with the tag chaos, so that its clock
// can be wrong. docs/chaos.md describes what is done and checked.
//
// Modes are in mode.go, faults of the cluster in plan.go, the load in load.go, project.go and
// limits.go, and the final checks in check.go and verify. The seed decides which trouble comes and when. Processes and
// machine never react twice in the same way, so the same seed finds an error again only with luck.
//
// The modes on PostgreSQL need its programs (make setup installs them), and a full
// disk needs the right to mount a file system. A mode that cannot run says so.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"os/signal"
	"path/filepath"
	"regexp"
	"sync"
	"sync/atomic"
	"time"
)

func main() {
	ctx, cancel := signal.NotifyContext(context.Background(), os.Interrupt)
	err := run(ctx)
	cancel()
	if err != nil {
		fmt.Fprintln(os.Stderr, "chaos:", err)
		os.Exit(1)
	}
}

// options are the options of all modes.
type options struct {
	bin    string // the program, an absolute path
	dir    string // folder of all files
	kills  int
	faults int // of a cluster
	seed   uint64
}

// errSkipped says that a mode cannot run here.
var errSkipped = errors.New("skipped")

func run(ctx context.Context) error {
	bin := flag.String("bin", "bin/trowel", "the program")
	kills := flag.Int("kills", 200, "how often each mode makes trouble")
	faults := flag.Int("faults", 100, "how much goes wrong in a cluster")
	seed := flag.Uint64("seed", rand.Uint64(), "decides on the trouble") //nolint:gosec // no secret
	only := flag.String("run", ".", "expression that selects modes")
	together := flag.Bool("together", false, "play all modes at the same time")
	keep := flag.String("keep", "", "folder for all files, which stay; a temporary one otherwise")
	flag.Parse()
	selected, err := regexp.Compile(*only)
	if err != nil {
		return err
	}
	path, err := filepath.Abs(*bin)
	if err != nil {
		return err
	}
	dir, err := folder(*keep)
	if err != nil {
		return err
	}
	opts := options{bin: path, dir: dir, kills: *kills, faults: *faults, seed: *seed}
	fmt.Printf("seed %d\n", opts.seed)
	var playing sync.WaitGroup
	var broken atomic.Int64
	for _, m := range modes() {
		if !selected.MatchString(m.name) {
			continue
		}
		play := func() {
			if err := m.report(ctx, opts); err != nil {
				fmt.Fprintln(os.Stderr, err)
				broken.Add(1)
			}
		}
		if *together {
			playing.Go(play)
			continue
		}
		play()
	}
	playing.Wait()
	if n := broken.Load(); n > 0 {
		return fmt.Errorf("%d modes failed with seed %d, files are in %s", n, opts.seed, dir)
	}
	if *keep == "" {
		return os.RemoveAll(dir)
	}
	return nil
}

// report runs a mode and prints how long it took, or why it cannot run here.
func (m *mode) report(ctx context.Context, opts options) error {
	began := time.Now()
	err := m.play(ctx, opts)
	if errors.Is(err, errSkipped) && os.Getenv("CI") != "true" || errors.Is(err, errNoMount) {
		fmt.Printf("%-22s %v\n", m.name, err)
		return nil
	}
	fmt.Printf("%-22s %.0f s\n", m.name, time.Since(began).Seconds())
	if err != nil {
		return fmt.Errorf("%s: %w", m.name, err)
	}
	return nil
}

// folder returns an absolute path, and makes the folder if it is missing.
func folder(path string) (string, error) {
	if path == "" {
		return os.MkdirTemp("", "trowel-chaos-")
	}
	path, err := filepath.Abs(path)
	if err != nil {
		return "", err
	}
	return path, os.MkdirAll(path, 0o755) //nolint:gosec // for people to read
}

// sleep waits. It returns false if ctx ends first.
func sleep(ctx context.Context, d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return false
	case <-timer.C:
		return true
	}
}
