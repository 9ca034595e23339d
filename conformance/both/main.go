// Both runs the recorded REST cases against a server on a SQLite file and against one on PostgreSQL,
// which it starts and ends itself. With -agent all tasks run on one remote agent, instead of in the
// server.
//
//	go run ./conformance/both -bin bin/trowel
//	go run ./conformance/both -bin bin/trowel -agent
package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/trowel-project/trowel/internal/store/postgres"
	"github.com/trowel-project/trowel/internal/store/storetest/pgtest"
)

func main() {
	bin := flag.String("bin", "bin/trowel", "the program")
	cases := flag.String("cases", "conformance/cases", "folder of the cases")
	only := flag.String("run", ".", "expression that selects cases")
	differs := flag.String("differs", "conformance/differs", "file of the cases that differ on purpose")
	databases := flag.String("databases", "sqlite,postgresql", "what to run on")
	remote := flag.Bool("agent", false, "run tasks on a remote agent")
	flag.Parse()
	args := []string{"-cases", *cases, "-differs", *differs, "-run", *only}
	if err := run(context.Background(), *bin, args, strings.Split(*databases, ","), *remote); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// run replays the cases on each database; args are those of the runner of cases.
func run(ctx context.Context, bin string, args, databases []string, remote bool) error {
	tmp, err := os.MkdirTemp("", "trowel-conformance-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(tmp)
	conform := filepath.Join(tmp, "conform")
	if err := command(ctx, "go", "build", "-o", conform, "conformance/conform.go"); err != nil {
		return err
	}
	var errs []error
	for _, database := range databases {
		fmt.Printf("on %s:\n", database)
		settings, end, err := prepare(ctx, database, filepath.Join(tmp, database))
		if err == nil {
			if remote {
				settings = append(settings, "agent.enabled = false")
			}
			err = errors.Join(replay(ctx, bin, conform, args, settings, remote), end())
		}
		if err != nil {
			errs = append(errs, fmt.Errorf("%s: %w", database, err))
		}
	}
	return errors.Join(errs...)
}

// prepare makes the settings of a server on a database, and starts that if need be.
func prepare(ctx context.Context, database, dir string) (settings []string, end func() error, err error) {
	settings = []string{"digdag.secret-encryption-key = MDEyMzQ1Njc4OTAxMjM0NQ==", "server.port = 0"}
	settings = append(settings, "server.runtime-info.path = "+filepath.Join(dir, "runtime.json"))
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, nil, err
	}
	if database == "sqlite" {
		return append(settings, "database.type = sqlite", "database.path = "+dir), func() error { return nil }, nil
	}
	server, err := pgtest.New(ctx)
	if err != nil {
		return nil, nil, err
	}
	return append(settings, databaseSettings(server.Options())...), server.Close, nil
}

func databaseSettings(o postgres.Options) []string {
	return []string{
		"database.type = postgresql", "database.host = " + o.Host, "database.port = " + strconv.Itoa(o.Port),
		"database.user = " + o.User, "database.password = " + o.Password, "database.database = " + o.Database,
	}
}

// replay starts a server, and an agent if there is to be one, runs all cases and ends them.
func replay(ctx context.Context, bin, conform string, args, settings []string, remote bool) error {
	var dir string
	for _, line := range settings {
		if path, found := strings.CutPrefix(line, "server.runtime-info.path = "); found {
			dir = filepath.Dir(path)
		}
	}
	file := filepath.Join(dir, "server.properties")
	if err := os.WriteFile(file, []byte(strings.Join(settings, "\n")+"\n"), 0o600); err != nil {
		return err
	}
	var log bytes.Buffer
	server := exec.CommandContext(ctx, bin, "server", "-c", file)
	server.Stdout, server.Stderr = &log, &log
	if err := server.Start(); err != nil {
		return err
	}
	ended := make(chan error, 1)
	go func() { ended <- server.Wait() }()
	endpoint, err := await(filepath.Join(dir, "runtime.json"), ended)
	stopAgent := func() {}
	if err == nil && remote {
		stopAgent, err = startAgent(ctx, bin, endpoint, dir)
	}
	if err == nil {
		err = command(ctx, conform, append([]string{"-endpoint", endpoint, "-parallel", "8"}, args...)...)
	}
	stopAgent()
	if errStop := server.Process.Signal(syscall.SIGTERM); errStop == nil {
		<-ended
	}
	if err != nil {
		err = fmt.Errorf("%w\nthe end of the server's log:\n%s", err, tail(log.String()))
	}
	return err
}

// startAgent begins a remote agent, whose log goes to agent.log in a folder. stop ends it.
func startAgent(ctx context.Context, bin, endpoint, dir string) (stop func(), err error) {
	agent := exec.CommandContext(ctx, bin, "agent", "--server", endpoint, "--slots", "256", "--workspace", dir, "--log", filepath.Join(dir, "agent.log"))
	if err := agent.Start(); err != nil {
		return nil, err
	}
	return func() {
		if err := agent.Process.Signal(syscall.SIGTERM); err == nil {
			_ = agent.Wait()
		}
	}, nil
}

// await returns the address of a server once it listens.
func await(file string, ended chan error) (string, error) {
	for range 300 {
		select {
		case err := <-ended:
			ended <- err
			return "", fmt.Errorf("the server ended: %v", err)
		case <-time.After(100 * time.Millisecond):
		}
		text, err := os.ReadFile(file)
		if err != nil {
			continue
		}
		var info struct {
			Local []struct {
				Host string
				Port int
			} `json:"local_addresses"`
		}
		if err := json.Unmarshal(text, &info); err != nil {
			return "", err
		}
		return fmt.Sprintf("http://%s:%d", info.Local[0].Host, info.Local[0].Port), nil
	}
	return "", errors.New("the server does not listen")
}

func tail(text string) string { return text[max(0, len(text)-4000):] }

func command(ctx context.Context, name string, args ...string) error {
	c := exec.CommandContext(ctx, name, args...)
	c.Stdout, c.Stderr = os.Stdout, os.Stderr
	if err := c.Run(); err != nil {
		return fmt.Errorf("%s: %w", filepath.Base(name), err)
	}
	return nil
}
