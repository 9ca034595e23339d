package output

import (
	"bytes"
	"fmt"
	"io"
	"net/url"
	"strconv"
	"strings"

	"github.com/trowel-project/trowel/internal/server/rest"
	"github.com/trowel-project/trowel/internal/tasklog"
)

// textType is the content type of output.
const textType = "text/plain; charset=utf-8"

// Sizes of pieces in bytes.
const (
	maxPiece   = 1 << 20
	usualPiece = 256 << 10
)

// Headers of answers: what piece of which text it is.
const (
	headerStart     = "Trowel-Log-Start"
	headerEnd       = "Trowel-Log-End"
	headerSize      = "Trowel-Log-Size"
	headerFirstLine = "Trowel-Log-First-Line"
	headerDone      = "Trowel-Log-Done"
	headerTask      = "Trowel-Log-Task"
)

// place is where a piece begins: one of its fields is set, or none for the beginning.
type place struct {
	from, tail, line int64 // -1 for none
	atError          bool
	limit            int
}

func placeParams() []rest.Parameter {
	return []rest.Parameter{
		rest.QueryInt("from", "From the line on that has the byte at this offset; 0 if all of from, tail, line and at are missing."),
		rest.QueryInt("tail", "The last lines, so many."),
		rest.QueryInt("line", "From the line of this number on, counted from 1."),
		rest.QueryText("at", "error: from the line on that tells best why the task failed."),
		rest.QueryInt("limit", "About how many bytes, up to 1048576; 262144 if it is missing. Lines of up to 64 KiB stay whole."),
	}
}

func readPlace(c *rest.Call) (*place, error) {
	p := &place{}
	given := ""
	for _, key := range []string{"from", "tail", "line", "at"} {
		if !c.Query.Has(key) {
			continue
		}
		if given != "" {
			return nil, rest.InvalidValue(key, "%s and %s exclude each other", given, key)
		}
		given = key
	}
	var err error
	if p.from, err = number(c, "from", 0, -1); err != nil {
		return nil, err
	}
	if p.tail, err = number(c, "tail", 1, -1); err != nil {
		return nil, err
	}
	if p.line, err = number(c, "line", 1, -1); err != nil {
		return nil, err
	}
	switch at := c.Query.Get("at"); at {
	case "":
	case "error":
		p.atError = true
	default:
		return nil, rest.InvalidValue("at", "at must be error, not %.40q", at)
	}
	limit, err := number(c, "limit", 1, usualPiece)
	if err == nil && limit > maxPiece {
		err = rest.InvalidValue("limit", "limit must be a number from 1 to %d, not %d", maxPiece, limit)
	}
	p.limit = int(limit)
	return p, err
}

// read reads the piece.
func (p *place) read(c *rest.Call, text *tasklog.Text) (piece *tasklog.Piece, err error) {
	from := max(p.from, 0)
	switch {
	case p.tail > 0:
		return text.Tail(c.Ctx(), p.tail, p.limit)
	case p.line > 0:
		from, err = text.Line(c.Ctx(), p.line)
	case p.atError:
		from, err = text.FindError(c.Ctx())
	}
	if err != nil {
		return nil, err
	}
	return text.Read(c.Ctx(), from, p.limit)
}

// get answers with a piece of the output of a task, of one of its tries, of a group or of an attempt.
func (h *handlers) get(c *rest.Call) (any, error) {
	where, err := readPlace(c)
	if err != nil {
		return nil, err
	}
	of, err := h.readTarget(c)
	if err != nil {
		return nil, err
	}
	text, err := h.logs.Text(c.Ctx(), of.attempt.ID, of.which)
	if err != nil {
		return nil, err
	}
	header := c.Writer.Header()
	header.Set(headerSize, strconv.FormatInt(text.Size, 10))
	header.Set(headerDone, strconv.FormatBool(of.done))
	if flag(c, "download") {
		header.Set("Content-Disposition", "attachment; filename*=UTF-8''"+strings.ReplaceAll(url.QueryEscape(fileName(of)), "+", "%20"))
		return rest.File{
			ContentType: textType, SizeBytes: text.Size, Untrusted: true,
			Open: func() (io.ReadCloser, error) { return text.Open(c.Ctx(), 0), nil },
		}, nil
	}
	piece, err := where.read(c, text)
	if err != nil {
		return nil, err
	}
	header.Set(headerStart, strconv.FormatInt(piece.Start, 10))
	header.Set(headerEnd, strconv.FormatInt(piece.End(), 10))
	header.Set(headerFirstLine, strconv.FormatInt(piece.Line, 10))
	if of.which.FullName == "" || of.which.Below {
		header.Set(headerTask, url.PathEscape(text.Task(piece.Start)))
	}
	answer := rest.File{
		ContentType: textType, SizeBytes: int64(len(piece.Data)), Untrusted: true,
		Open: func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(piece.Data)), nil },
	}
	if of.done {
		answer.ETag = fmt.Sprintf(`"%d-%d-%d"`, text.Size, piece.Start, piece.End())
	}
	return answer, nil
}

// fileName is the name under which a browser saves the output.
func fileName(of *target) string {
	return fmt.Sprintf("attempt-%d%s.log", of.attempt.ID, of.which.FullName)
}
