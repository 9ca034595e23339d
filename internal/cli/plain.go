package cli

import (
	"io"
	"strings"
	"sync"

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/flush"
)

// plain shows a run as Digdag does: output of tasks and log lines on standard output, the result on
// standard error (server 1.9.2).
type plain struct {
	stdout lockedWriter
	stderr io.Writer
}

// lockedWriter keeps the writes of several goroutines apart.
type lockedWriter struct {
	mu sync.Mutex
	to io.Writer
}

func (w *lockedWriter) Write(data []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.to.Write(data)
}

// Close does nothing: the stream outlives the task.
func (w *lockedWriter) Close() error { return nil }

// newPlain shows a run on these streams.
func newPlain(stdout, stderr io.Writer) *plain {
	return &plain{stdout: lockedWriter{to: stdout}, stderr: stderr}
}

func (p *plain) Begin(runBegin) {}

func (p *plain) Committed(*flush.Batch) error { return nil }

func (p *plain) Open(*trowel.Lease) io.WriteCloser { return &p.stdout }

func (p *plain) Log() io.Writer { return &p.stdout }

func (p *plain) End(end runEnd) {
	say(p.stderr, "%s", resultText(end))
	if end.Nothing {
		say(p.stderr, "%s\n", textNothing)
	}
	sayInterruption(p.stderr, end)
	if end.Resume != "" {
		say(p.stderr, "resume: %s\n", end.Resume)
	}
}

// Would says nothing: standard output is Digdag's.
func (p *plain) Would(*trowel.Lease, string) {}

func (p *plain) Stopping() {}

func (p *plain) Abandon(error) {}

// hintLines end every result (server 1.9.2).
const hintLines = `  * Use --session <daily | hourly | "yyyy-MM-dd[ HH:mm:ss]"> to not reuse the last session time.
  * Use --rerun, --start +NAME, or --goal +NAME argument to rerun skipped tasks.
`

// textDryRun stands in the place of where task state is saved.
const textDryRun = "This was a dry run: nothing was run, and no task state is saved.\n"

// textNothing is about a run that had nothing to do.
const textNothing = "nothing to do: all tasks had succeeded before; --rerun runs them again"

// resultText is Digdag's text of how a run ended (server 1.9.2), with the places of failed tasks
// and the last lines of their output between its lines.
func resultText(end runEnd) string {
	var text strings.Builder
	if end.Status == "success" && end.DryRun {
		return "Success. " + textDryRun + hintLines
	}
	if end.Status == "success" {
		text.WriteString("Success.")
		if end.StateDir != "" {
			text.WriteString(" Task state is saved at " + end.StateDir + " directory.")
		}
		return text.String() + "\n" + hintLines
	}
	if len(end.Failed) == 0 {
		return ""
	}
	text.WriteString("error: \n")
	for _, f := range end.Failed {
		text.WriteString("  * " + f.Name + ":\n    " + f.Message + "\n")
		if f.Where != "" {
			text.WriteString("    at " + f.Where + "\n")
		}
		if f.Fix != "" {
			text.WriteString("    fix: " + f.Fix + "\n")
		}
	}
	text.WriteString("\n")
	if end.DryRun {
		return text.String() + textDryRun
	}
	if end.StateDir == "" {
		return text.String() + "\n"
	}
	return text.String() + "Task state is saved at " + end.StateDir + " directory.\n" + hintLines
}

// sayInterruption says why a run did not come to its end, and what had succeeded.
func sayInterruption(w io.Writer, end runEnd) {
	switch {
	case end.Broken != nil:
		say(w, "error: the run cannot go on: %s\n", end.BrokenText)
	case end.Interrupted:
		say(w, "error: interrupted\n")
	default:
		return
	}
	if len(end.Succeeded) == 0 {
		say(w, "no task had succeeded\n")
		return
	}
	say(w, "succeeded before:\n")
	for _, name := range end.Succeeded {
		say(w, "  %s\n", name)
	}
}
