package cmd

import (
	"io"

	"github.com/trowel-project/trowel/internal/terminal"
)

// guardTerminals wraps each stream that is a terminal in a terminal.Writer. The returned function
// writes what these still hold.
func (e *Env) guardTerminals() (flush func()) {
	var guards []*terminal.Writer
	guard := func(w io.Writer, isTerminal bool) io.Writer {
		if !isTerminal {
			return w
		}
		guards = append(guards, terminal.NewWriter(w))
		return guards[len(guards)-1]
	}
	e.Stdout, e.Stderr = guard(e.Stdout, e.Terminals.Stdout), guard(e.Stderr, e.Terminals.Stderr)
	return func() {
		for _, g := range guards {
			g.Flush()
		}
	}
}

// unguarded returns the environment for a display that moves the cursor and makes all text harmless itself.
func (e Env) unguarded() Env {
	e.Stdout, e.Stderr = unguarded(e.Stdout), unguarded(e.Stderr)
	return e
}

func unguarded(w io.Writer) io.Writer {
	if g, ok := w.(*terminal.Writer); ok {
		return g.Behind()
	}
	return w
}
