package runview

import (
	"io"
	"strings"
	"sync"

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/flush"
	"github.com/trowel-project/trowel/internal/terminal"
)

// Plain shows a run as Digdag does: output of tasks and log lines on standard output, the result on
// standard error (server 1.9.2).
type Plain struct {
	stdout LockedWriter
	stderr io.Writer
}

// LockedWriter serializes the writes of several goroutines.
type LockedWriter struct {
	mu sync.Mutex
	To io.Writer
}

func (w *LockedWriter) Write(data []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.To.Write(data)
}

// Close does nothing: the stream outlives the task.
func (w *LockedWriter) Close() error { return nil }

// NewPlain returns a view that shows a run on these streams.
func NewPlain(stdout, stderr io.Writer) *Plain {
	return &Plain{stdout: LockedWriter{To: stdout}, stderr: stderr}
}

// Begin implements View. Digdag prints nothing.
func (p *Plain) Begin(Begin) {}

// Committed implements flush.Observer.
func (p *Plain) Committed(*flush.Batch) error { return nil }

// Open implements View.
func (p *Plain) Open(*trowel.Lease) io.WriteCloser { return &p.stdout }

// Log implements View.
func (p *Plain) Log() io.Writer { return &p.stdout }

// End implements View.
func (p *Plain) End(end End) {
	terminal.Say(p.stderr, "%s", resultText(end))
	if end.Nothing {
		terminal.Say(p.stderr, "%s\n", TextNothing)
	}
	sayInterruption(p.stderr, end)
	if end.Resume != "" {
		terminal.Say(p.stderr, "resume: %s\n", end.Resume)
	}
}

// Would implements View. It prints nothing: standard output is as in Digdag.
func (p *Plain) Would(*trowel.Lease, string) {}

// Stopping implements View.
func (p *Plain) Stopping() {}

// Abandon implements View.
func (p *Plain) Abandon(error) {}

// hintLines end every result (server 1.9.2).
const hintLines = `  * Use --session <daily | hourly | "yyyy-MM-dd[ HH:mm:ss]"> to not reuse the last session time.
  * Use --rerun, --start +NAME, or --goal +NAME argument to rerun skipped tasks.
`

// textDryRun replaces the line that says where task state is saved.
const textDryRun = "This was a dry run: nothing was run, and no task state is saved.\n"

// TextNothing is shown after a run that had nothing to do.
const TextNothing = "nothing to do: all tasks had succeeded before; --rerun runs them again"

// resultText returns Digdag's text about the end of a run (server 1.9.2), with the places of failed tasks
// and the last lines of their output inserted.
func resultText(end End) string {
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

// sayInterruption says why a run was broken off, and which tasks had succeeded.
func sayInterruption(w io.Writer, end End) {
	switch {
	case end.Broken != nil:
		terminal.Say(w, "error: the run cannot go on: %s\n", end.BrokenText)
	case end.Interrupted:
		terminal.Say(w, "error: interrupted\n")
	default:
		return
	}
	if len(end.Succeeded) == 0 {
		terminal.Say(w, "no task had succeeded\n")
		return
	}
	terminal.Say(w, "succeeded before:\n")
	for _, name := range end.Succeeded {
		terminal.Say(w, "  %s\n", name)
	}
}
