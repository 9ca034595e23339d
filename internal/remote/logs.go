package remote

import (
	"context"
	"errors"
	"net/http"

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/api"
)

// maxLogs is the most bytes of output in one request, unless a single chunk is larger.
const maxLogs = 2 << 20

// InsertLogs sends chunks of output of running tries; it is a tasklog.Insert. Chunks of an attempt of which this agent
// runs no try are an ErrConflict. If no server answers, the error is an ErrUnavailable.
func (l *Link) InsertLogs(ctx context.Context, chunks []trowel.LogChunk) error {
	err := l.sendLogs(ctx, l.state().ID, chunks)
	refused, ok := errors.AsType[*RefusedError](err)
	switch {
	case err == nil:
		return nil
	case ok && (refused.Status == http.StatusConflict || refused.Status == http.StatusNotFound):
		return errors.Join(trowel.ErrConflict, err)
	default:
		return errors.Join(trowel.ErrUnavailable, err)
	}
}

func (l *Link) sendLogs(ctx context.Context, id string, chunks []trowel.LogChunk) error {
	var logs api.AgentLogs
	bytes := 0
	for i := range chunks {
		logs.Chunks = append(logs.Chunks, chunkShape(&chunks[i]))
		bytes += len(chunks[i].Data)
		if bytes < maxLogs && i+1 < len(chunks) {
			continue
		}
		if err := l.post(ctx, longRequest, "/"+id+"/logs", logs, nil); err != nil {
			return err
		}
		logs.Chunks, bytes = nil, 0
	}
	return nil
}

func chunkShape(c *trowel.LogChunk) api.AgentLogChunk {
	shape := api.AgentLogChunk{
		AttemptID: int64(c.AttemptID), File: c.File, Seq: c.Seq, FirstLine: c.FirstLine, Lines: c.Lines, Offset: c.Offset,
		TextBytes: c.TextBytes, Data: c.Data,
	}
	if c.Searched {
		shape.ErrorAt = &c.ErrorAt
	}
	return shape
}
