package daemon

import (
	"log/slog"
	"strings"

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/engine"
	"github.com/trowel-project/trowel/internal/flush"
	"github.com/trowel-project/trowel/internal/telemetry"
)

// reasonBytes is how much of a failure's message is logged. The task's own log has all of it.
const reasonBytes = 300

// attemptLog writes to a server's log that attempts start, are asked to stop and end, and
// which of their tasks fail for good. It is a flush.Listener.
type attemptLog struct{ log *slog.Logger }

// Heard implements flush.Listener.
func (l attemptLog) Heard(batch *flush.Batch) {
	for i := range batch.Started {
		a := &batch.Started[i]
		attrs := append(attemptAttrs(batch, a), slog.String("cause", a.Cause))
		if a.Name != "" {
			attrs = append(attrs, slog.String("name", a.Name))
		}
		if a.Actor != "" {
			attrs = append(attrs, slog.String("actor", a.Actor))
		}
		l.log.Info("attempt started", attrs...)
	}
	for i := range batch.Changes {
		l.change(batch, &batch.Changes[i])
	}
	for i := range batch.Timeouts {
		t := &batch.Timeouts[i]
		l.log.Warn("limit of time passed, the attempt is killed",
			append(attemptAttrs(batch, &t.Attempt), slog.String("limit", t.Message))...)
	}
	for i := range batch.Killed {
		l.log.Info("attempt kill requested", attemptAttrs(batch, &batch.Killed[i])...)
	}
	for i := range batch.Ended {
		a := &batch.Ended[i]
		attrs := append(attemptAttrs(batch, a),
			slog.String("status", a.Flags.Status()), slog.Int64(telemetry.KeyDurationMS, a.FinishedAt.Sub(a.CreatedAt).Milliseconds()))
		if a.Flags&(trowel.AttemptSuccess|trowel.AttemptCancelRequested) == 0 {
			l.log.Warn("attempt ended", attrs...) // a failure deserves attention, unlike a kill
			continue
		}
		l.log.Info("attempt ended", attrs...)
	}
}

// change logs a task that has failed for good. It does not log the groups that fail with it.
func (l attemptLog) change(batch *flush.Batch, c *engine.Change) {
	if c.To != trowel.TaskError || c.Task.Error.Len() == 0 {
		return
	}
	message, _ := c.Task.Error.Get("message")
	text, _ := message.(string)
	attrs := []any{slog.Int64(telemetry.KeyAttemptID, int64(c.Task.AttemptID))}
	if s := batch.Context(c.Task.AttemptID); s != nil {
		attrs = append(attrs, slog.String(telemetry.KeyProject, s.Project.Name))
	}
	l.log.Warn("task failed", append(attrs, slog.String(telemetry.KeyTask, c.Task.FullName),
		slog.Int(telemetry.KeyTry, c.Task.Try), slog.String(telemetry.KeyError, shortLine(text)))...)
}

// shortLine returns the beginning of a text as one line.
func shortLine(text string) string {
	text = strings.Join(strings.Fields(text), " ")
	if len(text) <= reasonBytes {
		return text
	}
	return strings.ToValidUTF8(text[:reasonBytes], "") + "..."
}

// attemptAttrs returns log attributes that identify an attempt.
func attemptAttrs(batch *flush.Batch, a *trowel.Attempt) []any {
	attrs := []any{slog.Int64(telemetry.KeyAttemptID, int64(a.ID))}
	if s := batch.Context(a.ID); s != nil {
		attrs = append(attrs, slog.String(telemetry.KeyProject, s.Project.Name), slog.String(telemetry.KeyWorkflow, s.Workflow.Name),
			slog.String("session_time", s.Session.Time.Format(trowel.SessionTimeLayout)))
	}
	return attrs
}
