//go:build unix

package command_test

import (
	"io"
	"os"
	"path/filepath"
	"sync"
	"syscall"
	"testing"

	"github.com/trowel-project/trowel/internal/command"
)

// parallel is the number of commands that run at one time in the benchmarks.
const parallel = 800

func runner(b *testing.B) string {
	b.Helper()
	dir := b.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "runner.sh"), []byte("true"), 0o600); err != nil {
		b.Fatal(err)
	}
	return dir
}

// BenchmarkLocalRun runs "/bin/sh runner.sh" many times in parallel. Its bar is 0.6 x BenchmarkRawExec.
func BenchmarkLocalRun(b *testing.B) { benchmarkLocal(b, nil) }

// BenchmarkLocalRunNoted does so with a journal, as a server does. The bar is the same.
func BenchmarkLocalRunNoted(b *testing.B) {
	journal, err := command.OpenJournal(filepath.Join(b.TempDir(), "processes"), nil)
	if err != nil {
		b.Fatal(err)
	}
	benchmarkLocal(b, journal)
}

func benchmarkLocal(b *testing.B, journal *command.Journal) {
	b.Helper()
	dir := runner(b)
	local := command.NewLocal(command.LocalOptions{Env: os.Environ(), Journal: journal})
	var vars []string
	for i := range 25 {
		vars = append(vars, "trowel_variable_"+string(rune('a'+i))+"=some value of a parameter")
	}
	inParallel(b, func() error {
		_, err := local.Run(b.Context(), &command.Request{
			Project: dir, WorkDir: ".", Env: vars,
			Args: []string{"/bin/sh", "runner.sh"}, Output: io.Discard,
		})
		return err
	})
}

// BenchmarkRawExec is the limit: the same program, started and waited for with nothing around it.
func BenchmarkRawExec(b *testing.B) {
	dir := runner(b)
	null, err := os.OpenFile(os.DevNull, os.O_RDWR, 0)
	if err != nil {
		b.Fatal(err)
	}
	defer null.Close() //nolint:errcheck // nothing was written
	env := os.Environ()
	inParallel(b, func() error {
		pid, err := syscall.ForkExec("/bin/sh", []string{"/bin/sh", "runner.sh"}, &syscall.ProcAttr{
			Dir: dir, Env: env, Files: []uintptr{null.Fd(), null.Fd(), null.Fd()},
		})
		if err != nil {
			return err
		}
		var status syscall.WaitStatus
		_, err = syscall.Wait4(pid, &status, 0, nil)
		return err
	})
}

func inParallel(b *testing.B, run func() error) {
	b.Helper()
	work := make(chan struct{})
	var wg sync.WaitGroup
	for range min(parallel, b.N) {
		wg.Go(func() {
			for range work {
				if err := run(); err != nil {
					b.Error(err)
				}
			}
		})
	}
	b.ResetTimer()
	for range b.N {
		work <- struct{}{}
	}
	close(work)
	wg.Wait()
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "commands/s")
}
