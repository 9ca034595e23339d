package tasklog

import (
	"context"
	"io"
	"log/slog"
	"strconv"
	"strings"
	"time"

	trowel "github.com/trowel-project/trowel"
)

// Class is the class in lines that are logged about tasks.
const Class = "trowel.agent"

// Layouts of instants in lines: with milliseconds in files, without on terminals (server 1.4, 5.2).
const (
	LayoutFile     = "2006-01-02 15:04:05.000 -0700"
	LayoutTerminal = "2006-01-02 15:04:05 -0700"
)

// AppendLine appends the beginning of a line, before the message: instant, level, logger and task (server 5.2). class
// may be empty.
func AppendLine(line []byte, at time.Time, layout string, level slog.Level, thread, class string) []byte {
	line = at.In(time.Local).AppendFormat(line, layout) //nolint:gosmopolitan // log lines show the system's time, as Digdag's
	line = append(line, " ["...)
	line = append(line, level.String()...)
	line = append(line, "] ("...)
	line = append(line, thread...)
	line = append(line, ')')
	if class != "" {
		line = append(line, ' ')
		line = append(line, class...)
	}
	return append(line, ": "...)
}

// noProject is the name of a project without a name.
const noProject = "----"

// ThreadName is the name of a task in lines, in the form of Digdag's threads (server 5.2). Tools look for the four ids
// in brackets.
func ThreadName(lease *trowel.Lease) string {
	project := lease.Context.Project.Name
	if project == "" {
		project = noProject
	}
	return strconv.FormatInt(int64(lease.TaskID), 10) + "@[0:" + project + ":" +
		strconv.FormatInt(int64(lease.Context.Session.ID), 10) + ":" +
		strconv.FormatInt(int64(lease.AttemptID), 10) + "]" + lease.FullName
}

// Handler writes log entries about a task as lines of its log, each with one Write. It implements slog.Handler.
type Handler struct {
	to     io.Writer
	level  slog.Level
	thread string
	attrs  string // " key=value" from WithAttrs
}

// NewHandler returns a Handler for entries of a level and above.
func NewHandler(to io.Writer, lease *trowel.Lease, level slog.Level) *Handler {
	return &Handler{to: to, level: level, thread: ThreadName(lease)}
}

// Enabled implements slog.Handler.
func (h *Handler) Enabled(_ context.Context, level slog.Level) bool { return level >= h.level }

// Handle implements slog.Handler.
func (h *Handler) Handle(_ context.Context, r slog.Record) error {
	line := AppendLine(make([]byte, 0, 160+len(r.Message)), r.Time, LayoutFile, r.Level, h.thread, Class)
	line = append(line, r.Message...)
	line = append(line, h.attrs...)
	r.Attrs(func(a slog.Attr) bool {
		line = append(line, attrText(a)...)
		return true
	})
	_, err := h.to.Write(append(line, '\n'))
	return err
}

func attrText(a slog.Attr) string { return " " + a.Key + "=" + a.Value.Resolve().String() }

// WithAttrs implements slog.Handler.
func (h *Handler) WithAttrs(attrs []slog.Attr) slog.Handler {
	c := *h
	var text strings.Builder
	text.WriteString(h.attrs)
	for _, a := range attrs {
		text.WriteString(attrText(a))
	}
	c.attrs = text.String()
	return &c
}

// WithGroup implements slog.Handler; entries have no groups.
func (h *Handler) WithGroup(string) slog.Handler { return h }
