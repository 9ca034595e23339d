// Command withpostgres runs a command with a PostgreSQL of its own, as in: withpostgres go test ./...
// The server's address is in TROWEL_TEST_POSTGRESQL, and the server ends with the command.
//
// If the variable is set already, the command runs with that server. Without PostgreSQL
// it runs without a server, except in CI.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/signal"

	"github.com/trowel-project/trowel/internal/store/storetest/pgtest"
)

func main() {
	if len(os.Args) < 2 {
		fmt.Fprintln(os.Stderr, "usage: withpostgres COMMAND [ARGUMENT...]")
		os.Exit(2)
	}
	code, err := run(context.Background(), os.Args[1:])
	if err != nil {
		fmt.Fprintln(os.Stderr, "withpostgres:", err)
		code = max(code, 1)
	}
	os.Exit(code)
}

// run returns the exit code of the command.
func run(ctx context.Context, argv []string) (code int, err error) {
	signal.Ignore(os.Interrupt) // the command gets it as well, and ends
	if os.Getenv(pgtest.Env) == "" {
		server, err := pgtest.New(ctx)
		if errors.Is(err, pgtest.ErrMissing) && os.Getenv("CI") != "true" {
			fmt.Fprintln(os.Stderr, "withpostgres:", err)
			return execute(ctx, argv)
		}
		if err != nil {
			return 1, err
		}
		if err := os.Setenv(pgtest.Env, server.URL()); err != nil {
			return 1, errors.Join(err, server.Close())
		}
		code, err := execute(ctx, argv)
		return code, errors.Join(err, server.Close())
	}
	return execute(ctx, argv)
}

func execute(ctx context.Context, argv []string) (int, error) {
	cmd := exec.CommandContext(ctx, argv[0], argv[1:]...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	err := cmd.Run()
	if exit, ok := errors.AsType[*exec.ExitError](err); ok {
		return exit.ExitCode(), nil
	}
	if err != nil {
		return 1, err
	}
	return 0, nil
}
