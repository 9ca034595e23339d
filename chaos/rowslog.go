package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"time"

	"github.com/trowel-project/trowel/internal/blob"
	"github.com/trowel-project/trowel/internal/blob/file"
	"github.com/trowel-project/trowel/internal/tasklog"
)

// logBlobs opens the folder of logs. It returns nil if they are in the database.
func (c *rows) logBlobs() (blob.Store, error) {
	if !c.mode.files {
		return nil, nil //nolint:nilnil // as tasklog wants it
	}
	return file.New(filepath.Join(c.dataDir, "logs"), time.Now())
}

// log reads the file of one try, which was opened while it ran. In a cluster agents
// and servers have different clocks, so there any complete file of the task is accepted.
func (c *rows) log(ctx context.Context, reader *tasklog.Reader, p printed) error {
	files, err := reader.List(ctx, p.attempt, p.try.FullName+"@", false)
	if err != nil {
		return err
	}
	var broken error
	for _, f := range files {
		if c.cluster == nil && (f.OpenedAt.Before(p.try.StartedAt) || f.OpenedAt.After(p.try.EndedAt)) {
			continue
		}
		body, _, err := reader.Open(ctx, p.attempt, f.Name)
		if err != nil {
			return err
		}
		data, err := io.ReadAll(body)
		if err = errors.Join(err, body.Close()); err != nil {
			return err
		}
		text, err := unzip(data)
		if err == nil {
			err = whole(text)
		}
		if err == nil {
			return nil
		}
		broken = fmt.Errorf("the log %s: %w", f.Name, err)
		if c.cluster == nil {
			break
		}
	}
	if broken == nil {
		broken = errors.New("there is no log")
	}
	c.violation("attempt %d: try %d of %s: %v", p.attempt, p.try.Number, p.try.FullName, broken)
	return nil
}

// whole checks that a log has all numbered lines, in order.
func whole(text string) error {
	seen, total := 0, 0
	for line := range strings.Lines(text) {
		var n, of int
		if _, err := fmt.Sscanf(line, "line %d of %d", &n, &of); err != nil {
			continue
		}
		if n != seen+1 {
			return fmt.Errorf("line %d comes after line %d of %d", n, seen, of)
		}
		seen, total = n, of
	}
	if seen == 0 || seen != total {
		return fmt.Errorf("it ends with line %d of %d", seen, total)
	}
	return nil
}
