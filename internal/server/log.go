package server

import (
	"io"
	"net/http"

	"github.com/trowel-project/trowel/internal/api"
	"github.com/trowel-project/trowel/internal/tasklog"
)

// logs are the handlers of the output of tasks. reader is nil if none is kept.
type logs struct{ reader *tasklog.Reader }

// list lists the files of an attempt (server 2.6.8).
func (h *logs) list(c *call) (any, error) {
	s, err := ownAttempt(c)
	if err != nil || h.reader == nil {
		return api.LogFileCollection{}, err
	}
	files, err := h.reader.List(c.ctx(), s.Attempt.ID, c.query.Get("task"), c.query.Get("direct_download") != "false")
	return api.LogFileCollection{Files: listOf(files, logFileOf)}, err
}

func logFileOf(f tasklog.File) api.LogFile {
	shape := api.LogFile{
		FileName: f.Name, FileSize: f.SizeBytes, TaskName: f.TaskName, FileTime: api.Instant{Time: f.OpenedAt}, AgentID: f.AgentID,
	}
	if f.URL != "" {
		url := api.DirectURL(f.URL)
		shape.DirectURL = &url
	}
	return shape
}

// get answers with a file as it is by now, or with its address where its store gives one; that of a
// running task has no end yet.
func (h *logs) get(c *call) (any, error) {
	s, err := ownAttempt(c)
	if err != nil {
		return nil, err
	}
	if h.reader == nil {
		return nil, Errorf(http.StatusNotFound, "Log file not found")
	}
	if c.query.Get("direct_download") != "false" {
		url, err := h.reader.Address(c.ctx(), s.Attempt.ID, c.text())
		if err != nil {
			return nil, err
		}
		if url != "" {
			return elsewhere{url}, nil
		}
	}
	content, size, err := h.reader.Open(c.ctx(), s.Attempt.ID, c.text())
	if err != nil {
		return nil, err
	}
	return file{contentType: gzipType, sizeBytes: size, open: func() (io.ReadCloser, error) { return content, nil }}, nil
}
