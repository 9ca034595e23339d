package server

import (
	"io"
	"net/http"

	"github.com/trowel-project/trowel/internal/api"
	"github.com/trowel-project/trowel/internal/tasklog"
)

// getLogFiles lists the files of an attempt (server 2.6.8).
func getLogFiles(c *call) (any, error) {
	s, err := c.attempt()
	if err != nil || c.opts.Logs == nil {
		return api.LogFileCollection{}, err
	}
	files, err := c.opts.Logs.List(c.ctx(), s.Attempt.ID, c.query.Get("task"), c.query.Get("direct_download") != "false")
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

// getLogFile answers with a file as it is by now, or with its address where its store gives one; that of a
// running task has no end yet.
func getLogFile(c *call) (any, error) {
	s, err := c.attempt()
	if err != nil {
		return nil, err
	}
	if c.opts.Logs == nil {
		return nil, Errorf(http.StatusNotFound, "Log file not found")
	}
	if c.query.Get("direct_download") != "false" {
		url, err := c.opts.Logs.Address(c.ctx(), s.Attempt.ID, c.text())
		if err != nil {
			return nil, err
		}
		if url != "" {
			return elsewhere{url}, nil
		}
	}
	content, size, err := c.opts.Logs.Open(c.ctx(), s.Attempt.ID, c.text())
	if err != nil {
		return nil, err
	}
	return file{contentType: gzipType, sizeBytes: size, open: func() (io.ReadCloser, error) { return content, nil }}, nil
}
