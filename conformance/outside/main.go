// Outside replays the recorded traffic with outside systems (conformance/wire) with a server on PostgreSQL, which it starts
// and ends itself, and with a remote agent that runs all tasks.
//
//	go run ./conformance/outside -bin bin/trowel -wire /tmp/wire -run '^(td|bq)-'
//
// The runner of the cases starts one server for each group of settings, as "PROGRAM server --memory --port N --config FILE
// --task-log DIR". PROGRAM is a script here that runs this program again, which gives the server a database of its own in
// place of --memory, and starts the agent.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"slices"
	"syscall"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/trowel-project/trowel/internal/store/storetest/pgtest"
)

func main() {
	bin := flag.String("bin", "bin/trowel", "the program")
	wire := flag.String("wire", "", "the runner of the cases")
	cases := flag.String("cases", "conformance/wire/cases", "folder of the cases")
	differs := flag.String("differs", "conformance/differs", "file of the cases that differ on purpose")
	only := flag.String("run", ".", "expression that selects cases")
	database := flag.String("database", "", "how the script reaches PostgreSQL, as URL")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	var err error
	if *database == "" {
		err = replay(ctx, *bin, *wire, "-cases", *cases, "-differs", *differs, "-run", *only)
	} else {
		err = serve(ctx, *bin, *database, flag.Args())
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// replay runs the cases with a script as their program.
func replay(ctx context.Context, bin, wire string, args ...string) error {
	dir, err := os.MkdirTemp("", "trowel-outside-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	self, err := os.Executable()
	if err == nil {
		bin, err = filepath.Abs(bin)
	}
	if err != nil {
		return err
	}
	server, err := pgtest.New(ctx)
	if err != nil {
		return err
	}
	script := filepath.Join(dir, "trowel")
	text := fmt.Sprintf("#!/bin/sh\nexec '%s' -bin '%s' -database '%s' -- \"$@\"\n", self, bin, server.URL())
	err = os.WriteFile(script, []byte(text), 0o755)
	if err == nil {
		runner := exec.CommandContext(ctx, wire, append([]string{"-bin", script}, args...)...)
		runner.Stdout, runner.Stderr = os.Stdout, os.Stderr
		err = runner.Run()
	}
	return errors.Join(err, server.Close())
}

// serve runs a server and its agent until ctx ends. args are those of the runner of cases. What is no server is run as it is.
func serve(ctx context.Context, bin, database string, args []string) error {
	port, config := valueOf(args, "--port"), valueOf(args, "--config")
	memory := slices.Index(args, "--memory")
	if len(args) == 0 || args[0] != "server" || memory < 0 || config == "" {
		return run(ctx, bin, args...)
	}
	settings, err := os.ReadFile(config)
	if err != nil {
		return err
	}
	lines, err := settingsOf(ctx, database)
	if err != nil {
		return err
	}
	file := filepath.Join(filepath.Dir(config), "postgresql.properties")
	if err := os.WriteFile(file, append(settings, lines...), 0o600); err != nil {
		return err
	}
	args = slices.Delete(slices.Clone(args), memory, memory+1)
	args[slices.Index(args, config)] = file
	ended := make(chan error, 2)
	go func() { ended <- run(ctx, bin, args...) }()
	go func() {
		ended <- run(ctx, bin, "agent", "--server", "http://127.0.0.1:"+port, "--config", config, "--slots", "64", "--workspace", filepath.Dir(config))
	}()
	err = <-ended
	return errors.Join(err, <-ended)
}

func valueOf(args []string, option string) string {
	if i := slices.Index(args, option); i >= 0 && i+1 < len(args) {
		return args[i+1]
	}
	return ""
}

// settingsOf makes a database and returns the lines that name it.
func settingsOf(ctx context.Context, url string) (lines []byte, err error) {
	connection, err := pgx.Connect(ctx, url)
	if err != nil {
		return nil, err
	}
	defer connection.Close(ctx)
	o, name := connection.Config(), fmt.Sprintf("outside_%d", time.Now().UnixNano())
	if _, err := connection.Exec(ctx, "CREATE DATABASE "+name); err != nil {
		return nil, err
	}
	return fmt.Appendf(nil, "\ndatabase.type = postgresql\ndatabase.host = %s\ndatabase.port = %d\ndatabase.user = %s\ndatabase.password = %s\ndatabase.database = %s\nagent.enabled = false\n",
		o.Host, o.Port, o.User, o.Password, name), nil
}

// run runs a program until it ends, or ctx does, and then asks it to end.
func run(ctx context.Context, bin string, args ...string) error {
	c := exec.CommandContext(ctx, bin, args...)
	c.Stdout, c.Stderr = os.Stdout, os.Stderr
	c.Cancel = func() error { return c.Process.Signal(syscall.SIGTERM) }
	c.WaitDelay = 2 * time.Second
	if err := c.Run(); err != nil && ctx.Err() == nil {
		return fmt.Errorf("%s %s: %w", filepath.Base(bin), args[0], err)
	}
	return nil
}
