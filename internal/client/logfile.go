package client

import (
	"context"
	"io"

	"github.com/trowel-project/trowel/internal/api"
)

// ListLogFiles returns the log files of the tasks of an attempt whose full names begin with a prefix.
func (c *Client) ListLogFiles(ctx context.Context, attempt api.ID, prefix string) (*api.LogFileCollection, error) {
	return get[api.LogFileCollection](ctx, c, "/api/logs/"+attempt.String()+"/files",
		query{"task": prefix, "direct_download": c.directDownload()})
}

// FetchLogFile opens a log file, which is compressed with gzip. Its end may be missing while the task
// runs. The caller closes it. A file with its own address is read from there (server 1.7.2).
func (c *Client) FetchLogFile(ctx context.Context, attempt api.ID, file *api.LogFile) (io.ReadCloser, error) {
	if file.DirectURL != nil && *file.DirectURL != "" {
		return c.fetch(ctx, string(*file.DirectURL), false)
	}
	return c.fetch(ctx, c.address("/api/logs/"+attempt.String()+"/files/"+segment(file.FileName), query{"direct_download": c.directDownload()}), true)
}
