package hub

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"math"
	"strings"

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/api"
	"github.com/trowel-project/trowel/internal/tasklog"
)

// maxFile is the longest name of a log, in bytes.
const maxFile = 1000

// Logs stores output of tries that run on the agent. Chunks that are stored already are skipped. If a chunk belongs to a
// task that the agent does not run, it is an ErrConflict and nothing is stored.
func (h *Hub) Logs(ctx context.Context, id string, token trowel.TokenID, logs []api.AgentLogChunk) error {
	running, err := h.own(ctx, id, token)
	if err != nil {
		return err
	}
	chunks := make([]trowel.LogChunk, len(logs))
	for i := range logs {
		if chunks[i], err = chunkOf(&logs[i]); err != nil {
			return err
		}
	}
	tasks := make(map[trowel.TaskID]trowel.AttemptID, len(running))
	for _, task := range running {
		tasks[task.TaskID] = task.AttemptID
	}
	names, err := h.names(ctx, tasks)
	if err != nil {
		return err
	}
	for i := range chunks {
		if !isOfAny(&chunks[i], names) {
			return notRunning(fmt.Sprintf("the task of attempt %d that the log %.60q is of", chunks[i].AttemptID, chunks[i].File))
		}
	}
	if h.opts.KeepOutput == nil {
		return nil
	}
	return h.opts.KeepOutput(ctx, chunks)
}

// isOfAny reports whether a chunk belongs to one of some tasks.
func isOfAny(chunk *trowel.LogChunk, tasks map[trowel.TaskID]trowel.TaskName) bool {
	for _, task := range tasks {
		if task.AttemptID == chunk.AttemptID && tasklog.IsOf(chunk.File, task.FullName) {
			return true
		}
	}
	return false
}

// names returns the names of live tasks.
func (h *Hub) names(ctx context.Context, tasks map[trowel.TaskID]trowel.AttemptID) (names map[trowel.TaskID]trowel.TaskName, err error) {
	if len(tasks) == 0 {
		return nil, nil //nolint:nilnil // there are none
	}
	err = h.opts.Store.View(ctx, func(tx trowel.Tx) error {
		names, err = tx.NameTasks(ctx, tasks)
		return err
	})
	return names, err
}

// checkLogs refuses a report with output of another task. p is nil if the agent is not connected here.
func (h *Hub) checkLogs(ctx context.Context, p *peer, r *trowel.Report) error {
	if len(r.Logs) == 0 {
		return nil
	}
	name := ""
	if p != nil {
		name = p.taskName(r.ID())
	}
	if name == "" {
		names, err := h.names(ctx, map[trowel.TaskID]trowel.AttemptID{r.TaskID: r.AttemptID})
		if err != nil {
			return err
		}
		name = names[r.TaskID].FullName
	}
	for i := range r.Logs {
		if !tasklog.IsOf(r.Logs[i].File, name) {
			return invalid("a report of the task %s has the log %.60q of another one", name, r.Logs[i].File)
		}
	}
	return nil
}

// chunkOf reads a chunk of output.
func chunkOf(c *api.AgentLogChunk) (trowel.LogChunk, error) {
	if c.File == "" || len(c.File) > maxFile || strings.ContainsAny(c.File, "/\\\x00") {
		return trowel.LogChunk{}, invalid("%.60q cannot be the name of a log", c.File)
	}
	if !isSoundChunk(c) {
		return trowel.LogChunk{}, invalid("piece %d of the log %.60q makes no sense", c.Seq, c.File)
	}
	chunk := trowel.LogChunk{
		AttemptID: trowel.AttemptID(c.AttemptID), File: c.File, Seq: c.Seq, FirstLine: c.FirstLine, Lines: c.Lines, Offset: c.Offset,
		TextBytes: c.TextBytes, DataBytes: int64(len(c.Data)), Data: c.Data,
	}
	if c.ErrorAt != nil {
		chunk.Searched, chunk.ErrorAt = true, *c.ErrorAt
	}
	return chunk, nil
}

// Bounds of chunks. Their numbers are added up per file. An agent with false numbers must not make the output of an
// attempt's other tasks impossible to list.
const (
	maxText   = 1 << 50 // text bytes of a file
	maxRatio  = 1032    // the best ratio of deflate (RFC 1951: 258 bytes in 2 bits)
	gzipBytes = 18      // header and trailer (RFC 1952)
)

// isSoundChunk reports whether the numbers of a chunk fit together, and fit its data. The data must be one gzip member, as
// far as one can see without unpacking it.
func isSoundChunk(c *api.AgentLogChunk) bool {
	if c.Seq < 0 || c.Seq > math.MaxInt32 || c.Offset < 0 || c.Offset > maxText || c.FirstLine < 0 || c.FirstLine > c.Offset {
		return false
	}
	if c.ErrorAt != nil && (*c.ErrorAt < -1 || *c.ErrorAt >= c.TextBytes || *c.ErrorAt > math.MaxInt32) {
		return false
	}
	if len(c.Data) <= gzipBytes || !bytes.HasPrefix(c.Data, []byte{0x1f, 0x8b, 8}) {
		return false
	}
	claimed := binary.LittleEndian.Uint32(c.Data[len(c.Data)-4:])
	return c.TextBytes > 0 && c.TextBytes <= int64(len(c.Data))*maxRatio && uint32(c.TextBytes) == claimed && //nolint:gosec // the trailer has the lower bits
		c.Lines >= 0 && c.Lines <= c.TextBytes
}
