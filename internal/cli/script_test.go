package cli_test

import (
	"context"
	"os"
	"os/exec"
	"syscall"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/trowel-project/trowel/internal/cli"
	"github.com/trowel-project/trowel/internal/cli/cmd"
	"github.com/trowel-project/trowel/internal/store/storetest/pgtest"
)

// TestMain makes this test program the one that scripts run as trowel and digdag.
func TestMain(m *testing.M) {
	run := func() { os.Exit(cli.Run(context.Background(), cmd.ProcessEnv())) }
	testscript.Main(withPostgres{m}, map[string]func(){"trowel": run, "digdag": run})
}

// withPostgres ends the PostgreSQL that tests start.
type withPostgres struct{ m *testing.M }

func (w withPostgres) Run() int { return pgtest.Main(w.m) }

// TestScripts runs the commands of testdata/script as a user would type them.
func TestScripts(t *testing.T) {
	t.Parallel()
	testscript.Run(t, testscript.Params{
		Dir: "testdata/script",
		Setup: func(env *testscript.Env) error {
			env.Setenv("HOME", env.WorkDir)
			env.Setenv("XDG_CONFIG_HOME", env.WorkDir+"/.config")
			env.Setenv("TZ", "UTC")
			return nil
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"interrupt": interrupt,
			"hangup":    hangup,
		},
		RequireUniqueNames: true,
	})
}

// interrupt runs a command, sends it SIGINT once a file has appeared, and again when a second one
// has, and checks its exit code: interrupt CODE FILE[,FILE] COMMAND...
func interrupt(ts *testscript.TestScript, neg bool, args []string) {
	signaled(ts, neg, args, os.Interrupt)
}

// hangup is interrupt with SIGHUP and SIGTERM at once, as when a terminal is closed.
func hangup(ts *testscript.TestScript, neg bool, args []string) {
	signaled(ts, neg, args, syscall.SIGHUP, syscall.SIGTERM)
}

func signaled(ts *testscript.TestScript, neg bool, args []string, signals ...os.Signal) {
	if neg || len(args) < 3 {
		ts.Fatalf("usage: interrupt CODE FILE[,FILE] COMMAND...")
	}
	cmd := exec.Command(args[2], args[3:]...)
	cmd.Dir = ts.Getenv("WORK")
	cmd.Env = []string{"HOME=" + ts.Getenv("HOME"), "PATH=" + ts.Getenv("PATH"), "TZ=UTC", "GOCOVERDIR=" + ts.Getenv("GOCOVERDIR")}
	cmd.Stdout, cmd.Stderr = ts.Stdout(), ts.Stderr()
	ts.Check(cmd.Start())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		_ = cmd.Wait() // the exit code is checked
	}()
	for _, file := range splitFiles(args[1]) {
		if !appears(ts.MkAbs(file), ended) {
			ts.Fatalf("the command ended before %s appeared", file)
		}
		for _, s := range signals {
			ts.Check(cmd.Process.Signal(s))
		}
	}
	select {
	case <-ended:
	case <-time.After(30 * time.Second):
		ts.Check(cmd.Process.Kill())
		ts.Fatalf("the command did not end")
	}
	if got := cmd.ProcessState.ExitCode(); got != atoi(ts, args[0]) {
		ts.Fatalf("exit code %d, want %s", got, args[0])
	}
}
