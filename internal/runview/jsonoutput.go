package runview

import (
	"bytes"
	"log/slog"
	"slices"
	"strings"

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/logging"
	"github.com/trowel-project/trowel/internal/terminal"
)

// jsonOutput makes events of the output of one try: one for each piece that the task writes. A
// character that comes in two pieces is not split.
type jsonOutput struct {
	events *JSON
	lease  *trowel.Lease
	rest   []byte // the beginning of an incomplete character
}

// Write implements io.Writer. It waits if the reader of the events is slow.
func (o *jsonOutput) Write(data []byte) (int, error) {
	text := data
	if len(o.rest) > 0 {
		text = slices.Concat(o.rest, data)
	}
	whole := terminal.WholeRunes(text)
	o.emit(text[:whole])
	o.rest = bytes.Clone(text[whole:])
	o.events.spool.Wait()
	return len(data), nil
}

// Close emits the rest of an incomplete character.
func (o *jsonOutput) Close() error {
	o.emit(o.rest)
	o.rest = nil
	return nil
}

func (o *jsonOutput) emit(text []byte) {
	if len(text) == 0 {
		return
	}
	at := o.events.now().UTC().Format(jsonTime)
	o.events.spool.Add(func(pending []byte) []byte {
		e := beginEvent(pending, "output", at).
			text("task", o.lease.FullName).number("id", int64(o.lease.TaskID)).
			number("try", int64(o.lease.Try)).text("text", string(text))
		return append(e, "}\n"...)
	})
}

// jsonLog makes events of the log.
type jsonLog struct{ events *JSON }

// LogEntry implements entrySink.
func (w jsonLog) LogEntry(entry logging.Entry) {
	e := w.events.event("log", entry.At).text("level", strings.ToLower(entry.Level.String()))
	if entry.Task != "" {
		e = e.text("task", entry.Task)
	}
	w.events.add(e.text("message", entry.Message))
}

// Write implements io.Writer. Text has no level.
func (w jsonLog) Write(data []byte) (int, error) {
	w.LogEntry(logging.Entry{At: w.events.now(), Level: slog.LevelInfo, Message: strings.TrimSuffix(string(data), "\n")})
	return len(data), nil
}
