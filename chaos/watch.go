package main

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"strings"

	"github.com/trowel-project/trowel/internal/api"
	"github.com/trowel-project/trowel/internal/client"
	"github.com/trowel-project/trowel/internal/param"
)

// look records the ends of attempts, and resumes those that should be resumed.
func (l *load) look(ctx context.Context) {
	for _, p := range l.open() {
		end, err := l.end(ctx, p.id)
		if err != nil {
			l.unexpected(ctx, fmt.Sprintf("look at attempt %d", p.id), err)
			return
		}
		if end == nil {
			continue
		}
		l.mu.Lock()
		p.seen = end
		l.counts["ends seen"]++
		l.mu.Unlock()
		if p.workflow == "resumable" && p.want == endError && end.Status == endError {
			l.resume(ctx, p)
		}
	}
}

// end returns how an attempt has ended, or nil if it has not.
func (l *load) end(ctx context.Context, id api.ID) (end *result, err error) {
	err = l.ask(ctx, func(ctx context.Context, c *client.Client) error {
		attempt, err := c.FindAttempt(ctx, id)
		if err != nil || !attempt.Done {
			return err
		}
		tasks, err := c.ListTasks(ctx, id)
		if err != nil {
			return err
		}
		end = &result{Status: attempt.Status, Finished: attempt.FinishedAt.String()}
		for _, t := range tasks.Tasks {
			line := fmt.Sprintf("%d %s %s %s", t.ID, t.FullName, t.State, t.UpdatedAt)
			if message, ok := t.Error.Get("message"); ok {
				line += fmt.Sprintf(" (%v)", message)
			}
			end.Tasks = append(end.Tasks, line)
		}
		return nil
	})
	return end, err
}

// resume starts the attempt again where it failed.
func (l *load) resume(ctx context.Context, p *promise) {
	var old *api.Attempt
	err := l.ask(ctx, func(ctx context.Context, c *client.Client) (err error) {
		old, err = c.FindAttempt(ctx, p.id)
		return err
	})
	if err != nil || old.Workflow.ID == nil {
		l.unexpected(ctx, "look at a failed attempt", err)
		return
	}
	name := "fixed"
	l.begin(ctx, api.AttemptRequest{
		WorkflowID: *old.Workflow.ID, SessionTime: api.Instant{Time: old.SessionTime.Time}, RetryAttemptName: &name,
		Resume: &api.Resume{Mode: api.ResumeFailed, AttemptID: p.id}, Params: param.Of("marks", l.marks, "fix", "yes"),
	}, p.workflow, endSuccess)
	l.count("resumes")
}

// readLog reads the files of an attempt that may still run. A text that was shown once must stay.
func (l *load) readLog(ctx context.Context) {
	open := l.open()
	if len(open) == 0 {
		return
	}
	id := open[rand.IntN(len(open))].id //nolint:gosec // no secret
	texts, err := l.logTexts(ctx, id, "")
	if err != nil {
		l.unexpected(ctx, fmt.Sprintf("read the log of attempt %d", id), err)
		return
	}
	for file, text := range texts {
		l.mu.Lock()
		before := l.logs[logKey{id, file}]
		l.logs[logKey{id, file}] = text
		l.counts["logs read"]++
		l.mu.Unlock()
		if !strings.HasPrefix(text, before) {
			l.violation("attempt %d: log %s was %q and is %q", id, file, before, text)
		}
	}
}

// logTexts returns the content of an attempt's files whose name begins with prefix.
func (l *load) logTexts(ctx context.Context, id api.ID, prefix string) (texts map[string]string, err error) {
	err = l.ask(ctx, func(ctx context.Context, c *client.Client) error {
		texts = map[string]string{}
		files, err := c.ListLogFiles(ctx, id, prefix)
		if err != nil {
			return err
		}
		for i := range files.Files {
			body, err := c.FetchLogFile(ctx, id, &files.Files[i])
			if err != nil {
				return err
			}
			data, err := io.ReadAll(body)
			if err = errors.Join(err, body.Close()); err != nil {
				return err
			}
			text, err := unzip(data)
			if err != nil {
				l.violation("attempt %d: log %s cannot be read: %v", id, files.Files[i].FileName, err)
			}
			texts[files.Files[i].FileName] = text
		}
		return nil
	})
	return texts, err
}

// unzip returns the text of a complete gzip file.
func unzip(data []byte) (string, error) {
	if len(data) == 0 {
		return "", nil
	}
	zip, err := gzip.NewReader(bytes.NewReader(data))
	if err != nil {
		return "", err
	}
	text, err := io.ReadAll(zip)
	return string(text), err
}
