package cli

import (
	"bytes"
	"context"
	"io"
	"log/slog"
	"strings"
	"time"

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/tasklog"
)

// logFormat writes log entries in Digdag's form (server 1.4). It is a slog.Handler.
type logFormat struct {
	to     io.Writer
	level  slog.Level
	millis bool   // as in files
	class  string // what logs, shown where there is no terminal; empty to leave it out
	thread string
	task   string // full name of the task that the entries are about, for displays; empty for the run
	attrs  string // " key=value" of With
	// harmless entries have no control characters: of a server or agent, whose tasks write to it.
	harmless bool
}

// entrySink is a writer of a display that takes entries as such, in place of Digdag's text.
type entrySink interface {
	// LogEntry shows an entry. It is called from any goroutine and does not wait.
	LogEntry(entry logEntry)
}

// logEntry is one entry of the log.
type logEntry struct {
	At      time.Time
	Level   slog.Level
	Task    string // full name; empty if the entry is about the run as a whole
	Message string // with the attributes behind it
}

// levels of --log-level. slog has no trace.
func logLevel(name string) slog.Level {
	switch name {
	case "error":
		return slog.LevelError
	case "warn":
		return slog.LevelWarn
	case "debug", "trace":
		return slog.LevelDebug
	default:
		return slog.LevelInfo
	}
}

// forTask returns a logger whose entries name the task as Digdag's threads do.
func (f *logFormat) forTask(lease *trowel.Lease) *slog.Logger {
	c := *f
	if c.class != "" {
		c.class = tasklog.Class
	}
	c.thread, c.task = tasklog.ThreadName(lease), lease.FullName
	return slog.New(&c)
}

// close closes the file of --log, if the entries go to one.
func (f *logFormat) close() error {
	if file, ok := f.to.(*logFile); ok {
		return file.Close()
	}
	return nil
}

// Enabled implements slog.Handler.
func (f *logFormat) Enabled(_ context.Context, level slog.Level) bool { return level >= f.level }

// Handle implements slog.Handler.
func (f *logFormat) Handle(_ context.Context, r slog.Record) error {
	if sink, ok := f.to.(entrySink); ok {
		sink.LogEntry(logEntry{At: r.Time, Level: r.Level, Task: f.task, Message: string(f.appendMessage(nil, &r))})
		return nil
	}
	layout := tasklog.LayoutTerminal
	if f.millis {
		layout = tasklog.LayoutFile
	}
	line := tasklog.AppendLine(make([]byte, 0, 160), r.Time, layout, r.Level, f.thread, f.class)
	line = f.appendMessage(line, &r)
	if f.harmless {
		line = appendEntry(make([]byte, 0, len(line)+1), line)
	}
	_, err := f.to.Write(append(line, '\n'))
	return err
}

// appendEntry appends an entry that a terminal may show, now or when the file is looked at. What follows its
// first line is indented, so that no text in an entry looks like another entry.
func appendEntry(dst, entry []byte) []byte {
	for line := range bytes.SplitSeq(entry, []byte{'\n'}) {
		if len(dst) > 0 {
			dst = append(dst, "\n    "...)
		}
		dst = appendClean(dst, bytes.TrimSuffix(line, []byte{'\r'}), false, nil)
	}
	return dst
}

func (f *logFormat) appendMessage(dst []byte, r *slog.Record) []byte {
	dst = append(dst, r.Message...)
	dst = append(dst, f.attrs...)
	r.Attrs(func(a slog.Attr) bool {
		dst = append(dst, attrText(a)...)
		return true
	})
	return dst
}

func attrText(a slog.Attr) string {
	value := a.Value.Resolve()
	if value.Kind() == slog.KindTime {
		return " " + a.Key + "=" + value.Time().Format(trowel.SessionTimeLayout)
	}
	return " " + a.Key + "=" + value.String()
}

// WithAttrs implements slog.Handler.
func (f *logFormat) WithAttrs(attrs []slog.Attr) slog.Handler {
	c := *f
	var text strings.Builder
	text.WriteString(f.attrs)
	for _, a := range attrs {
		text.WriteString(attrText(a))
	}
	c.attrs = text.String()
	return &c
}

// WithGroup implements slog.Handler; entries have no groups.
func (f *logFormat) WithGroup(string) slog.Handler { return f }

// tell logs a line for people, whose text is Digdag's.
func tell(ctx context.Context, log *slog.Logger, level slog.Level, line string) {
	log.LogAttrs(ctx, level, line) //nolint:sloglint // the whole line is the message
}
