// Package logging writes the log of a process in Digdag's form: it has the handler of log entries, and the file that
// rotates.
package logging

import (
	"bytes"
	"context"
	"io"
	"log/slog"
	"strings"
	"time"

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/tasklog"
	"github.com/trowel-project/trowel/internal/terminal"
)

// Handler writes log entries in Digdag's form (server 1.4). It is a slog.Handler.
type Handler struct {
	To     io.Writer
	Level  slog.Level
	Millis bool   // as in files
	Class  string // the logger's name, shown if there is no terminal; empty to leave it out
	Thread string
	task   string // full name of the task that entries are about, for displays; empty for the run
	attrs  string // " key=value" of With
	// Harmless removes control characters from entries, for a server or agent whose tasks write to the log.
	Harmless bool
}

// entrySink is a writer of a display that takes entries as they are, instead of Digdag's text.
type entrySink interface {
	// LogEntry shows an entry. It may be called from any goroutine and must not block.
	LogEntry(entry Entry)
}

// Entry is one entry of the log.
type Entry struct {
	At      time.Time
	Level   slog.Level
	Task    string // full name; empty if the entry is about the run as a whole
	Message string // followed by the attributes
}

// ParseLevel returns the level of --log-level. Unknown levels mean info, and so does trace, which slog does not have.
func ParseLevel(name string) slog.Level {
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

// ForTask returns a logger whose entries name the task as Digdag's threads do.
func (f *Handler) ForTask(lease *trowel.Lease) *slog.Logger {
	c := *f
	if c.Class != "" {
		c.Class = tasklog.Class
	}
	c.Thread, c.task = tasklog.ThreadName(lease), lease.FullName
	return slog.New(&c)
}

// Close closes the file of --log, if the entries go to one.
func (f *Handler) Close() error {
	if file, ok := f.To.(*File); ok {
		return file.Close()
	}
	return nil
}

// Enabled implements slog.Handler.
func (f *Handler) Enabled(_ context.Context, level slog.Level) bool { return level >= f.Level }

// Handle implements slog.Handler.
func (f *Handler) Handle(_ context.Context, r slog.Record) error {
	if sink, ok := f.To.(entrySink); ok {
		sink.LogEntry(Entry{At: r.Time, Level: r.Level, Task: f.task, Message: string(f.appendMessage(nil, &r))})
		return nil
	}
	layout := tasklog.LayoutTerminal
	if f.Millis {
		layout = tasklog.LayoutFile
	}
	line := tasklog.AppendLine(make([]byte, 0, 160), r.Time, layout, r.Level, f.Thread, f.Class)
	line = f.appendMessage(line, &r)
	if f.Harmless {
		line = appendEntry(make([]byte, 0, len(line)+1), line)
	}
	_, err := f.To.Write(append(line, '\n'))
	return err
}

// appendEntry appends an entry that can be shown on a terminal, now or later. Lines after the
// first are indented, so that no text in an entry looks like another entry.
func appendEntry(dst, entry []byte) []byte {
	for line := range bytes.SplitSeq(entry, []byte{'\n'}) {
		if len(dst) > 0 {
			dst = append(dst, "\n    "...)
		}
		dst = terminal.AppendClean(dst, bytes.TrimSuffix(line, []byte{'\r'}), false, nil)
	}
	return dst
}

func (f *Handler) appendMessage(dst []byte, r *slog.Record) []byte {
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
func (f *Handler) WithAttrs(attrs []slog.Attr) slog.Handler {
	c := *f
	var text strings.Builder
	text.WriteString(f.attrs)
	for _, a := range attrs {
		text.WriteString(attrText(a))
	}
	c.attrs = text.String()
	return &c
}

// WithGroup implements slog.Handler. Entries have no groups.
func (f *Handler) WithGroup(string) slog.Handler { return f }

// Print logs a line for people with Digdag's text.
func Print(ctx context.Context, log *slog.Logger, level slog.Level, line string) {
	log.LogAttrs(ctx, level, line) //nolint:sloglint // the whole line is the message
}
