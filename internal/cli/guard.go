package cli

import (
	"io"
	"os"
)

// guardTerminals puts a terminalWriter before each stream that is a terminal. The returned function
// writes what they hold back.
func (e *Env) guardTerminals() (flush func()) {
	var guards []*terminalWriter
	guard := func(w io.Writer, isTerminal bool) io.Writer {
		if !isTerminal {
			return w
		}
		guards = append(guards, newTerminalWriter(w))
		return guards[len(guards)-1]
	}
	e.Stdout, e.Stderr = guard(e.Stdout, e.Terminals.Stdout), guard(e.Stderr, e.Terminals.Stderr)
	return func() {
		for _, g := range guards {
			g.flush()
		}
	}
}

// unguarded is the environment for a display that moves the cursor, and cleans all text itself.
func (e Env) unguarded() Env {
	e.Stdout, e.Stderr = unguarded(e.Stdout), unguarded(e.Stderr)
	return e
}

func unguarded(w io.Writer) io.Writer {
	if g, ok := w.(*terminalWriter); ok {
		return g.behind()
	}
	return w
}

// fileBehind is the file that a stream ends in, nil if that is none.
func fileBehind(w io.Writer) *os.File {
	switch w := w.(type) {
	case *os.File:
		return w
	case *terminalWriter:
		return fileBehind(w.behind())
	case *keptWriter:
		return fileBehind(w.w)
	}
	return nil
}
