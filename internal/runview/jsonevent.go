package runview

import (
	"strconv"

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/engine"
	"github.com/trowel-project/trowel/internal/param"
)

// jsonTime is the format of instants in events: UTC with microseconds.
const jsonTime = "2006-01-02T15:04:05.000000Z"

// jsonEvent is an event that is being built, without its closing brace.
type jsonEvent []byte

// beginEvent begins an event with the keys that all events have.
func beginEvent(dst []byte, kind, at string) jsonEvent {
	dst = append(dst, `{"type":"`...)
	dst = append(dst, kind...)
	dst = append(dst, `","at":"`...)
	dst = append(dst, at...)
	return append(dst, '"')
}

func (e jsonEvent) key(key string) jsonEvent {
	e = append(e, ',', '"')
	e = append(e, key...)
	return append(e, '"', ':')
}

func (e jsonEvent) text(key, value string) jsonEvent {
	return param.AppendQuoted(e.key(key), value)
}

func (e jsonEvent) number(key string, value int64) jsonEvent {
	return strconv.AppendInt(e.key(key), value, 10)
}

// truth adds a key that is true. It leaves out one that is false.
func (e jsonEvent) truth(key string) jsonEvent { return append(e.key(key), "true"...) }

func (e jsonEvent) list(key string, values []string) jsonEvent {
	e = append(e.key(key), '[')
	for i, value := range values {
		if i > 0 {
			e = append(e, ',')
		}
		e = param.AppendQuoted(e, value)
	}
	return append(e, ']')
}

// taskEvent builds the event of a change, without its closing brace.
func taskEvent(dst []byte, c *engine.Change, at string) jsonEvent {
	row := c.Task
	e := beginEvent(dst, "task", at).
		text("task", row.FullName).number("id", int64(row.ID)).number("attempt_id", int64(row.AttemptID)).
		text("move", string(c.Transition))
	if c.New {
		e = append(e.number("parent_id", int64(row.ParentID)), `,"group":`...)
		e = strconv.AppendBool(e, row.Group)
	} else {
		e = e.text("from", c.From.String())
	}
	e = e.text("to", c.To.String())
	if !c.New && (c.From == trowel.TaskRunning || c.To == trowel.TaskRunning) {
		e = e.number("try", int64(row.Try))
	}
	if c.To == trowel.TaskRetryWaiting || c.To == trowel.TaskGroupRetryWaiting {
		e = e.text("retry_at", row.RetryAt.UTC().Format(jsonTime)).text("reason", string(row.WaitReason))
	}
	if message := ErrorMessage(row); message != "" && (c.Transition == trowel.TransitionError || c.Transition == trowel.TransitionFailureTasks) {
		e = e.text("message", message)
	}
	return e
}

// endEvent adds the end of the run.
func endEvent(e jsonEvent, end End) jsonEvent {
	status := end.Status
	switch {
	case end.Broken != nil:
		status = "broken"
	case end.Interrupted:
		status = "interrupted"
	}
	e = append(e.text("status", status).number("elapsed_ms", end.Elapsed.Milliseconds()), `,"failed":[`...)
	for i, failed := range end.Failed {
		if i > 0 {
			e = append(e, ',')
		}
		e = append(e, `{"task":`...)
		e = param.AppendQuoted(e, failed.Name)
		e = e.text("message", failed.Message).text("where", failed.Where).list("last_lines", failed.LastLines)
		if failed.Fix != "" {
			e = e.text("fix", failed.Fix)
		}
		e = append(e, '}')
	}
	e = append(e, ']')
	if end.DryRun {
		e = e.truth("dry_run")
	}
	if end.Broken != nil {
		e = e.text("cause", end.Broken.Error())
	}
	if end.Broken != nil || end.Interrupted {
		e = e.list("succeeded", end.Succeeded)
	}
	if end.StateDir != "" {
		e = e.text("state_dir", end.StateDir)
	}
	if end.Resume != "" {
		e = e.text("resume", end.Resume)
	}
	return e
}
