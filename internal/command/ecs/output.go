package ecs

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"strings"
)

const (
	// fullPage is from how many events or bytes on more are asked for at once, as an answer has at most 1 MiB, and mostPages is
	// how often.
	fullPage  = 1000
	fullBytes = 512 << 10
	mostPages = 100
	// tokenMark begins tokens that lead forward.
	tokenMark = "f/"
)

// copyOutput copies new output to that of the request. The end of the output is noted in the state.
func (w *watch) copyOutput(ctx context.Context) error {
	if w.state.logs == nil {
		return nil
	}
	for range mostPages {
		in := map[string]any{"logGroupName": w.state.logs.group, "logStreamName": w.state.logs.stream, "startFromHead": true}
		if w.state.token != "" {
			in["nextToken"] = tokenMark + w.state.token
		}
		var out logEvents
		err := w.client.call(ctx, serviceLogs(), "GetLogEvents", in, &out)
		if codeOf(err) == "ResourceNotFoundException" {
			w.log.DebugContext(ctx, "the container has not written anything yet", slog.String("stream", w.state.logs.stream))
			return nil
		}
		if err != nil {
			return err
		}
		if err := w.write(&out); err != nil {
			return err
		}
		next, before := strings.TrimPrefix(out.Next, tokenMark), w.state.token
		if next != "" {
			w.state.token = next
		}
		if next == before || !out.isFull() {
			return nil
		}
	}
	return nil
}

// isFull reports whether there may be more events at once.
func (e *logEvents) isFull() bool {
	size := 0
	for i := range e.Events {
		size += len(e.Events[i].Message)
	}
	return len(e.Events) >= fullPage || size >= fullBytes
}

// write writes events to the output of the request, but not the marker of its end.
func (w *watch) write(events *logEvents) error {
	var text strings.Builder
	for i := range events.Events {
		message := events.Events[i].Message
		if strings.TrimRight(message, "\r\n") == endMarker {
			w.state.marked = w.executor.now().Unix()
			continue
		}
		text.WriteString(message + "\n")
	}
	if _, err := io.WriteString(w.request.Output, text.String()); err != nil {
		return fmt.Errorf("write the output of the command: %w", err)
	}
	return nil
}
