package tdclient

import (
	"bufio"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"math/big"
	"net/http"
	"net/url"
	"strings"

	"github.com/tinylib/msgp/msgp"

	"github.com/trowel-project/trowel/internal/param"
)

// Limits of one row of a result, as a broken answer may begin with any number.
const (
	maxMembers = 1 << 20
	maxDepth   = 100
	maxRow     = maxAnswer // bytes of MessagePack
)

// Rows are the rows of a job's result, as they come.
type Rows struct {
	request request
	body    io.Closer
	plain   *endReader
	reader  *msgp.Reader
}

// endReader remembers whether its reader has come to its proper end, and bounds what is read.
type endReader struct {
	io.Reader
	ended bool
	left  int // bytes that may yet be read
}

// errLongRow says that a row is longer than the longest one that is read.
var errLongRow = errors.New("a row is too long")

func (r *endReader) Read(p []byte) (int, error) {
	if r.left <= 0 {
		return 0, errLongRow
	}
	n, err := r.Reader.Read(p)
	r.left -= n
	r.ended = r.ended || err == io.EOF
	return n, err
}

// Result returns the result of a job. It is an error, see NotFound, if the job has none. Close must be called.
func (c *Client) Result(ctx context.Context, id string) (*Rows, error) {
	r := request{method: http.MethodGet, path: path("v3", "job", "result", id), query: url.Values{"format": {"msgpack.gz"}}}
	var rows *Rows
	err := c.repeat(ctx, func() error {
		response, err := c.send(ctx, &r)
		if err != nil {
			return err
		}
		if rows, err = newRows(r, response.Body); err != nil {
			_ = response.Body.Close() // it is of no use
			return broken(&r, err)
		}
		return nil
	})
	return rows, err
}

func newRows(r request, body io.ReadCloser) (*Rows, error) {
	compressed := bufio.NewReader(body)
	var plain io.Reader = compressed
	// The transport may have decompressed it already. An empty answer has no rows.
	if head, err := compressed.Peek(2); err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	} else if string(head) == "\x1f\x8b" {
		if plain, err = gzip.NewReader(compressed); err != nil {
			return nil, err
		}
	}
	end := &endReader{Reader: plain}
	reader := msgp.NewReaderSize(end, 64<<10)
	reader.SetMaxElements(maxMembers)
	reader.SetMaxRecursionDepth(maxDepth)
	reader.SetMaxStringLength(maxRow)
	return &Rows{request: r, body: body, plain: end, reader: reader}, nil
}

// Next returns the next row, or io.EOF after the last one. Another error may pass: the result can be read again.
func (r *Rows) Next() (param.List, error) {
	r.plain.left = maxRow
	size, err := r.reader.ReadArrayHeader()
	if err != nil {
		if r.plain.ended && r.reader.Buffered() == 0 {
			return nil, io.EOF
		}
		return nil, r.unreadable(err)
	}
	row := make(param.List, 0, min(size, 1<<10))
	for range size {
		value, err := r.value(0)
		if _, known := errors.AsType[*Error](err); known {
			return nil, err
		}
		if err != nil {
			return nil, r.unreadable(err)
		}
		row = append(row, value)
	}
	return row, nil
}

// unreadable returns the error of a row that cannot be read. It may pass, unless the row is too large.
func (r *Rows) unreadable(err error) error {
	if errors.Is(err, errLongRow) || errors.Is(err, msgp.ErrLimitExceeded) {
		return &Error{Type: typeInput, target: r.request.target(), text: fmt.Sprintf("a row has more than %d MB, or more than %d members", maxRow>>20, maxMembers)}
	}
	return broken(&r.request, err)
}

// Close ends the download.
func (r *Rows) Close() error { return r.body.Close() }

// value reads a value.
func (r *Rows) value(depth int) (param.Value, error) {
	if depth > maxDepth {
		return nil, errors.New("lists and objects are nested too deeply")
	}
	kind, err := r.reader.NextType()
	if err != nil {
		return nil, err
	}
	switch kind { //nolint:exhaustive // JSON has no others
	case msgp.NilType:
		return nil, r.reader.ReadNil()
	case msgp.BoolType:
		return r.reader.ReadBool()
	case msgp.IntType:
		return r.reader.ReadInt64()
	case msgp.UintType:
		n, err := r.reader.ReadUint64()
		return param.Int(new(big.Int).SetUint64(n)), err
	case msgp.Float32Type:
		f, err := r.reader.ReadFloat32()
		return float64(f), err
	case msgp.Float64Type:
		return r.reader.ReadFloat64()
	case msgp.StrType:
		text, err := r.reader.ReadString()
		return strings.ToValidUTF8(text, "\uFFFD"), err
	case msgp.BinType:
		data, err := r.reader.ReadBytesLimit(nil, maxRow)
		return strings.ToValidUTF8(string(data), "\uFFFD"), err
	case msgp.ArrayType:
		return r.list(depth)
	case msgp.MapType:
		return r.object(depth)
	default:
		return nil, &Error{Type: typeInput, target: r.request.target(), text: "Unsupported column type: EXTENSION"}
	}
}

func (r *Rows) list(depth int) (param.Value, error) {
	size, err := r.reader.ReadArrayHeader()
	if err != nil {
		return nil, err
	}
	list := make(param.List, 0, min(size, 1<<10))
	for range size {
		value, err := r.value(depth + 1)
		if err != nil {
			return nil, err
		}
		list = append(list, value)
	}
	return list, nil
}

func (r *Rows) object(depth int) (param.Value, error) {
	size, err := r.reader.ReadMapHeader()
	if err != nil {
		return nil, err
	}
	object := param.New()
	for range size {
		key, err := r.value(depth + 1)
		if err != nil {
			return nil, err
		}
		value, err := r.value(depth + 1)
		if err != nil {
			return nil, err
		}
		name, ok := param.AsString(key)
		if !ok {
			name = param.JSON(key)
		}
		object.Set(name, value)
	}
	return object, nil
}
