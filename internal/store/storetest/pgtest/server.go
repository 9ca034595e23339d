package pgtest

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/jackc/pgx/v5"

	"github.com/trowel-project/trowel/internal/store/postgres"
)

// Server is a PostgreSQL with an empty database, for tests. It is stopped and deleted when this process ends, however
// that happens.
type Server struct {
	bin  string // folder of its programs
	dir  string
	port int

	durable bool // it syncs to disk

	watch *exec.Cmd // stops the server and removes its files when life is closed
	life  io.Closer
}

// ErrMissing says that this machine has no PostgreSQL.
var ErrMissing = errors.New("there is no PostgreSQL: make setup installs it, or TROWEL_TEST_POSTGRESQL names a server")

// New starts a server on a free port of this machine. It does not sync to disk.
func New(ctx context.Context) (*Server, error) { return create(ctx, false) }

// NewDurable is New for measurements. The server syncs to disk, as PostgreSQL does by default.
func NewDurable(ctx context.Context) (*Server, error) { return create(ctx, true) }

func create(ctx context.Context, durable bool) (*Server, error) {
	bin, err := programs()
	if err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp("", "trowel-postgresql-")
	if err != nil {
		return nil, err
	}
	s := &Server{bin: bin, dir: dir, durable: durable}
	if err := s.guard(ctx); err != nil {
		return nil, errors.Join(err, os.RemoveAll(dir))
	}
	err = s.own(ctx)
	if err == nil {
		err = s.init(ctx)
	}
	if err == nil {
		s.port, err = freePort(ctx)
	}
	if err == nil {
		err = s.Start(ctx)
	}
	if err != nil {
		return nil, errors.Join(err, s.Close())
	}
	return s, nil
}

// guard starts a process that waits until this one ends, or Close is called.
func (s *Server) guard(ctx context.Context) (err error) {
	s.watch = exec.CommandContext(context.WithoutCancel(ctx), "sh", "-c", `trap '' INT TERM HUP; cat >/dev/null; "$@"; rm -rf "$0"`, s.dir)
	s.watch.Args = append(s.watch.Args, s.command(ctx, "pg_ctl", "-D", s.data(), "-m", "immediate", "-w", "stop").Args...)
	if s.life, err = s.watch.StdinPipe(); err != nil {
		return err
	}
	return s.watch.Start()
}

// Close stops the server and removes its files.
func (s *Server) Close() error { return errors.Join(s.life.Close(), s.watch.Wait()) }

// programs returns the folder of initdb and postgres: the newest of the versions that Debian installs
// side by side, or the one in the PATH.
func programs() (string, error) {
	found, err := filepath.Glob("/usr/lib/postgresql/*/bin/initdb")
	if err != nil {
		return "", err
	}
	version := func(path string) int {
		n, _ := strconv.Atoi(filepath.Base(filepath.Dir(filepath.Dir(path)))) // zero counts as the oldest
		return n
	}
	if len(found) > 0 {
		return filepath.Dir(slices.MaxFunc(found, func(a, b string) int { return version(a) - version(b) })), nil
	}
	path, err := exec.LookPath("initdb")
	if err != nil {
		return "", ErrMissing
	}
	return filepath.Dir(path), nil
}

// command returns a command that runs a program of PostgreSQL as another user if this one is root, which they refuse.
func (s *Server) command(ctx context.Context, name string, args ...string) *exec.Cmd {
	argv := append([]string{filepath.Join(s.bin, name)}, args...)
	if os.Geteuid() == 0 {
		argv = append([]string{"runuser", "-u", "postgres", "--"}, argv...)
	}
	cmd := exec.CommandContext(ctx, argv[0], argv[1:]...)
	cmd.Dir = s.dir
	return cmd
}

// own gives the folder to the user of the server.
func (s *Server) own(ctx context.Context) error {
	if os.Geteuid() != 0 {
		return nil
	}
	return run(exec.CommandContext(ctx, "chown", "postgres", s.dir))
}

// init makes the files of the database. If this version can do that, texts are not sorted by their bytes, as in most
// databases.
func (s *Server) init(ctx context.Context) error {
	args := []string{"-D", s.data(), "-A", "trust", "-U", user, "-E", "UTF8", "--locale=C", "--no-sync"}
	err := run(s.command(ctx, "initdb", append(args, "--locale-provider=icu", "--icu-locale=en")...))
	if err == nil {
		return nil
	}
	return run(s.command(ctx, "initdb", args...)) // before version 15, or without ICU
}

const user = "trowel"

func (s *Server) data() string { return filepath.Join(s.dir, "data") }

// Start starts the server after Stop, and returns when it accepts connections.
func (s *Server) Start(ctx context.Context) error {
	settings := []string{"-h 127.0.0.1", "-p " + strconv.Itoa(s.port), "-k " + s.dir, "-c max_connections=300"}
	if !s.durable {
		settings = append(settings, "-c fsync=off", "-c full_page_writes=off", "-c shared_buffers=64MB", "-c deadlock_timeout=100ms")
	}
	err := run(s.command(ctx, "pg_ctl", "-D", s.data(), "-l", s.LogFile(), "-w", "-o", strings.Join(settings, " "), "start"))
	if err != nil {
		text, _ := os.ReadFile(s.LogFile())
		return fmt.Errorf("start PostgreSQL: %w\n%s", err, text)
	}
	return nil
}

// AddUser adds a user who needs a password (SCRAM), unlike others.
func (s *Server) AddUser(ctx context.Context, name, password string) error {
	file := filepath.Join(s.data(), "pg_hba.conf")
	rules, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	rule := "host all " + name + " 127.0.0.1/32 scram-sha-256\n"
	if err := os.WriteFile(file, append([]byte(rule), rules...), 0o600); err != nil { // it keeps its owner
		return err
	}
	conn, err := pgx.Connect(ctx, s.URL())
	if err != nil {
		return err
	}
	create := "CREATE ROLE " + pgx.Identifier{name}.Sanitize() + " LOGIN PASSWORD '" + strings.ReplaceAll(password, "'", "''") + "'"
	for _, statement := range []string{"SET password_encryption = 'scram-sha-256'", create, "SELECT pg_reload_conf()"} {
		if _, more := conn.Exec(ctx, statement); err == nil {
			err = more
		}
	}
	return errors.Join(err, conn.Close(ctx))
}

// Stop stops the server at once, as kill -9 would: what is not committed is lost.
func (s *Server) Stop(ctx context.Context) error {
	return run(s.command(ctx, "pg_ctl", "-D", s.data(), "-m", "immediate", "-w", "stop"))
}

// LogFile returns where the server writes its log.
func (s *Server) LogFile() string { return filepath.Join(s.dir, "log") }

// PID returns the process of the server, which is the parent of those that serve connections.
func (s *Server) PID() (int, error) {
	text, err := os.ReadFile(filepath.Join(s.data(), "postmaster.pid"))
	if err != nil {
		return 0, err
	}
	pid, _, _ := strings.Cut(string(text), "\n")
	return strconv.Atoi(pid)
}

// Options returns how to connect to the server's database.
func (s *Server) Options() postgres.Options {
	return postgres.Options{Host: "127.0.0.1", Port: s.port, User: user, Database: "postgres"}
}

// run runs a command and waits for it, but not for processes that it starts in the background.
func run(cmd *exec.Cmd) error {
	out, err := os.CreateTemp("", "trowel-postgresql-out-")
	if err != nil {
		return err
	}
	defer func() { _ = errors.Join(out.Close(), os.Remove(out.Name())) }()
	cmd.Stdout, cmd.Stderr = out, out
	if err := cmd.Run(); err != nil {
		text, _ := os.ReadFile(out.Name())
		return fmt.Errorf("%s: %w\n%s", strings.Join(cmd.Args, " "), err, text)
	}
	return nil
}

func freePort(ctx context.Context) (int, error) {
	l, err := (&net.ListenConfig{}).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return 0, err
	}
	defer func() { _ = l.Close() }()
	addr, _ := l.Addr().(*net.TCPAddr)
	return addr.Port, nil
}
