package v1

import (
	"io"
	"net/http"

	"github.com/trowel-project/trowel/internal/api"
	"github.com/trowel-project/trowel/internal/server/document"
	"github.com/trowel-project/trowel/internal/server/find"
	"github.com/trowel-project/trowel/internal/server/rest"
	"github.com/trowel-project/trowel/internal/tasklog"
)

// logs are the handlers of task logs. reader is nil if there are none.
type logs struct{ reader *tasklog.Reader }

// list answers with the log files of an attempt (server 2.6.8).
func (h *logs) list(c *rest.Call) (any, error) {
	s, err := find.ReadAttempt(c)
	if err != nil || h.reader == nil {
		return api.LogFileCollection{}, err
	}
	files, err := h.reader.List(c.Ctx(), s.Attempt.ID, c.Query.Get("task"), c.Query.Get("direct_download") != "false")
	return api.LogFileCollection{Files: document.List(files, logFileOf)}, err
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

// get answers with a log file, or with its address if its storage has one. The file of a running task ends where its
// output ends so far.
func (h *logs) get(c *rest.Call) (any, error) {
	s, err := find.ReadAttempt(c)
	if err != nil {
		return nil, err
	}
	if h.reader == nil {
		return nil, rest.Errorf(http.StatusNotFound, "Log file not found")
	}
	if c.Query.Get("direct_download") != "false" {
		url, err := h.reader.Address(c.Ctx(), s.Attempt.ID, c.PathText())
		if err != nil {
			return nil, err
		}
		if url != "" {
			return rest.Redirect{URL: url}, nil
		}
	}
	content, size, err := h.reader.Open(c.Ctx(), s.Attempt.ID, c.PathText())
	if err != nil {
		return nil, err
	}
	return rest.File{ContentType: rest.GzipType, SizeBytes: size, Open: func() (io.ReadCloser, error) { return content, nil }}, nil
}
