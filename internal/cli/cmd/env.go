package cmd

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"golang.org/x/term"

	"github.com/trowel-project/trowel/internal/config"
	"github.com/trowel-project/trowel/internal/fix"
)

// Env is all that commands see of their process, so that tests can run commands in
// theirs. ProcessEnv returns the real one.
type Env struct {
	// Args are the arguments as in os.Args, with the program's own name first.
	Args []string
	// Stdin is read by the commands that ask for input.
	Stdin io.Reader
	// Stdout gets what a command produces, Stderr the banner, usage, hints and errors.
	Stdout, Stderr io.Writer
	// Terminals says which of the streams are terminals.
	Terminals Terminals
	// Dir is the working folder, absolute. Relative paths of the command line start here.
	Dir string
	// Environ is the environment as in os.Environ, each entry KEY=VALUE. If a key occurs more than once, its last value
	// is used.
	Environ []string
	// Now returns the time, in the zone of the system.
	Now func() time.Time
	// AskSecret shows a prompt on the user's terminal and reads a line from it without echo. It
	// fails if there is no terminal.
	AskSecret func(prompt string) (string, error)
}

// Terminals says which streams of a process are terminals.
type Terminals struct{ Stdin, Stdout, Stderr bool }

// ProcessEnv returns the Env of this process.
func ProcessEnv() Env {
	dir, err := os.Getwd()
	if err != nil {
		dir = "." // a removed folder: relative paths fail one by one, with their names
	}
	return Env{
		Args:   os.Args,
		Stdin:  os.Stdin,
		Stdout: os.Stdout,
		Stderr: os.Stderr,
		Terminals: Terminals{
			Stdin:  term.IsTerminal(int(os.Stdin.Fd())),
			Stdout: term.IsTerminal(int(os.Stdout.Fd())),
			Stderr: term.IsTerminal(int(os.Stderr.Fd())),
		},
		Dir:       dir,
		Environ:   os.Environ(),
		Now:       processClock(),
		AskSecret: askOnTerminal,
	}
}

// Lookup returns the value of an environment variable and whether it is set.
func (e Env) Lookup(name string) (string, bool) {
	return config.LookupEnv(e.Environ, name)
}

// LookupText returns an environment variable. One that is empty counts as not set.
func (e Env) LookupText(name string) (string, bool) {
	value, _ := e.Lookup(name)
	return value, value != ""
}

// Path returns the absolute path of a file that the command line names.
func (e Env) Path(name string) string {
	return config.PathFrom(e.Dir, name)
}

// ReadFile reads a file that the command line names. A missing one is a *fix.MissingFileError.
func (e Env) ReadFile(name string) ([]byte, error) {
	return fix.ReadNamed(e.Path(name), name)
}

// programName returns the name that usage and hints show: digdag if the program was called by that
// name, for example through a link, else trowel.
func (e Env) programName() string {
	if len(e.Args) > 0 {
		name := filepath.Base(e.Args[0])
		if runtime.GOOS == "windows" {
			name = strings.TrimSuffix(strings.ToLower(name), ".exe")
		}
		if name == "digdag" {
			return name
		}
	}
	return "trowel"
}

// askOnTerminal asks on standard input if it is a terminal, else on the terminal that controls the
// process.
func askOnTerminal(prompt string) (string, error) {
	in, out := os.Stdin, io.Writer(os.Stderr)
	if !term.IsTerminal(int(in.Fd())) {
		tty, err := os.OpenFile("/dev/tty", os.O_RDWR, 0)
		if err != nil {
			return "", errors.New("there is no terminal to ask on")
		}
		defer func() { _ = tty.Close() }() // nothing was written that could be lost
		in, out = tty, tty
	}
	if _, err := fmt.Fprint(out, prompt); err != nil {
		return "", fmt.Errorf("ask on the terminal: %w", err)
	}
	line, err := term.ReadPassword(int(in.Fd()))
	if _, errOut := fmt.Fprintln(out); err == nil {
		err = errOut
	}
	if err != nil {
		return "", fmt.Errorf("read from the terminal: %w", err)
	}
	return string(line), nil
}
