// Package mariadbtest starts a MariaDB for tests. Only tests import it.
package mariadbtest

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"sync/atomic"
	"testing"
	"time"

	_ "github.com/go-sql-driver/mysql" // driver "mysql"
)

// Password is that of the user trowel.
const Password = "open sesame"

// Server is a MariaDB that is stopped and deleted when this process ends, however that happens. The user trowel may do anything.
type Server struct {
	Port int

	dir       string
	watch     *exec.Cmd // stops the server and removes its files when life is closed
	life      io.Closer
	databases atomic.Int64
}

// ErrMissing says that this machine has no MariaDB.
var ErrMissing = errors.New("there is no MariaDB: make setup installs it")

// Start starts a server for the tests of a package, which call Close at their end. It takes about four seconds.
func Start(ctx context.Context) (*Server, error) {
	program, err := exec.LookPath("mariadbd")
	if err != nil {
		if program = "/usr/sbin/mariadbd"; !isFile(program) {
			return nil, ErrMissing
		}
	}
	s := &Server{}
	if s.dir, err = os.MkdirTemp("", "trowel-mariadb-"); err != nil {
		return nil, err
	}
	if err := s.run(ctx, program); err != nil {
		return nil, errors.Join(err, s.Close())
	}
	return s, nil
}

func isFile(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

func (s *Server) run(ctx context.Context, program string) error {
	if os.Geteuid() == 0 { // it refuses to run as root
		if out, err := exec.CommandContext(ctx, "chown", "mysql", s.dir).CombinedOutput(); err != nil {
			return fmt.Errorf("chown: %w: %s", err, out)
		}
	}
	data := filepath.Join(s.dir, "data")
	install := s.command(ctx, "mariadb-install-db", "--no-defaults", "--datadir="+data, "--auth-root-authentication-method=normal", "--skip-test-db", "--skip-name-resolve")
	if out, err := install.CombinedOutput(); err != nil {
		return fmt.Errorf("mariadb-install-db: %w: %s", err, out)
	}
	var err error
	if s.Port, err = freePort(ctx); err != nil {
		return err
	}
	accounts := "CREATE USER trowel@'%' IDENTIFIED BY '" + Password + "';\nGRANT ALL ON *.* TO trowel@'%' WITH GRANT OPTION;"
	first := filepath.Join(s.dir, "first.sql")
	if err := os.WriteFile(first, []byte(accounts+"\n"), 0o644); err != nil { //nolint:gosec // the server reads it as another user
		return err
	}
	server := s.command(ctx, program, "--no-defaults", "--datadir="+data, "--bind-address=127.0.0.1", fmt.Sprintf("--port=%d", s.Port),
		"--socket="+filepath.Join(s.dir, "socket"), "--init-file="+first, "--skip-log-bin", "--innodb-flush-log-at-trx-commit=0", "--innodb-buffer-pool-size=32M")
	// The shell waits until its input ends, that is until this process does.
	s.watch = exec.CommandContext(context.WithoutCancel(ctx), "sh", "-c", `trap '' INT TERM HUP; "$@" >"$0/log" 2>&1 & cat >/dev/null; kill -9 $!; wait; rm -rf "$0"`, s.dir)
	s.watch.Args = append(s.watch.Args, server.Args...)
	if s.life, err = s.watch.StdinPipe(); err != nil {
		return err
	}
	if err := s.watch.Start(); err != nil {
		return err
	}
	return s.await(ctx)
}

// command returns a command that runs as the user of the server if this one is root.
func (s *Server) command(ctx context.Context, argv ...string) *exec.Cmd {
	if os.Geteuid() == 0 {
		// setpriv becomes the program, so that the one who starts it can end it.
		argv = append([]string{"setpriv", "--reuid=mysql", "--regid=mysql", "--clear-groups", "--"}, argv...)
	}
	cmd := exec.CommandContext(ctx, argv[0], argv[1:]...)
	cmd.Dir = s.dir
	return cmd
}

func freePort(ctx context.Context) (int, error) {
	l, err := (&net.ListenConfig{}).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return 0, err
	}
	address, _ := l.Addr().(*net.TCPAddr)
	return address.Port, l.Close()
}

// await returns when the server answers.
func (s *Server) await(ctx context.Context) error {
	db, err := s.open("")
	if err != nil {
		return err
	}
	defer db.Close() //nolint:errcheck // it was only to look
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for begun := time.Now(); ; <-tick.C {
		if err = db.PingContext(ctx); err == nil {
			return nil
		}
		if time.Since(begun) > 30*time.Second {
			text, _ := os.ReadFile(filepath.Join(s.dir, "log"))
			return fmt.Errorf("start MariaDB: %w\n%s", err, text)
		}
	}
}

func (s *Server) open(database string) (*sql.DB, error) {
	return sql.Open("mysql", fmt.Sprintf("trowel:%s@tcp(127.0.0.1:%d)/%s", Password, s.Port, database))
}

// Database makes an empty database for one test.
func (s *Server) Database(tb testing.TB) (name string, db *sql.DB) {
	tb.Helper()
	name = fmt.Sprintf("test%d", s.databases.Add(1))
	all, err := s.open("")
	if err == nil {
		_, err = all.ExecContext(tb.Context(), "CREATE DATABASE "+name)
		err = errors.Join(err, all.Close())
	}
	if err == nil {
		db, err = s.open(name)
	}
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { _ = db.Close() })
	return name, db
}

// Close stops the server and removes its files.
func (s *Server) Close() error {
	if s.life == nil {
		return os.RemoveAll(s.dir)
	}
	return errors.Join(s.life.Close(), s.watch.Wait())
}
