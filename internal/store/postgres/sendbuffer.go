package postgres

import (
	"encoding/binary"
	"errors"
	"slices"

	"github.com/jackc/pgx/v5/pgproto3"

	"github.com/trowel-project/trowel/internal/store"
)

// sendBuffer is the memory in which the messages of one connection are made. The driver would let go of its own
// after each flush, and let it grow again from 1 KB by many copies: more than the rest of a transaction allocates.
type sendBuffer struct {
	messages []byte
	arrays   []byte   // the values of the statement that is being sent
	params   [][]byte // parts of arrays, or of the columns
}

// largeBuffer is the largest size in bytes of memory that is kept for the next transaction.
const largeBuffer = 4 << 20

// values returns the parameters of a statement. They are valid until the next call.
func (b *sendBuffer) values(columns []store.Column, rows int) [][]byte {
	if cap(b.arrays) > largeBuffer {
		b.arrays = nil
	}
	b.arrays, b.params = b.arrays[:0], b.params[:0]
	if rows > 1 {
		b.arrays = slices.Grow(b.arrays, size(columns)) // the parameters are parts of it, so it must not move
	}
	for i := range columns {
		b.params = append(b.params, b.value(&columns[i], rows))
	}
	return b.params
}

// size is the least size of a buffer for the arrays of columns.
func size(columns []store.Column) int {
	sum := 0
	for i := range columns {
		sum += arrayHeader + len(columns[i].Data)
	}
	return sum
}

// An array has five numbers of four bytes before its values.
const (
	length      = 4
	arrayHeader = 5 * length
)

// value returns the value of a column for one row, and an array for several.
func (b *sendBuffer) value(c *store.Column, rows int) []byte {
	if rows == 1 {
		if c.Nulls {
			return nil
		}
		return c.Data[length:]
	}
	nulls := uint32(0)
	if c.Nulls {
		nulls = 1
	}
	begin := len(b.arrays)
	for _, n := range [...]uint32{1, nulls, oid(c.Kind), uint32(rows), 1} { //nolint:gosec // up to some thousand rows
		b.arrays = binary.BigEndian.AppendUint32(b.arrays, n)
	}
	b.arrays = append(b.arrays, c.Data...)
	return b.arrays[begin:]
}

// reserve makes the driver write the next n bytes of messages to b. It must be called before each message, as a flush
// takes b away from the driver.
func (b *sendBuffer) reserve(to *pgproto3.Frontend, n int) {
	if cap(b.messages) > largeBuffer {
		b.messages = nil
	}
	to.Send(&reservation{buffer: b, bytes: n})
}

// reservation is a message of no bytes. The driver hands it the memory of the messages that are not flushed yet, and
// goes on with the memory that it returns.
type reservation struct {
	buffer *sendBuffer
	bytes  int
}

// Encode implements pgproto3.Message.
func (r *reservation) Encode(pending []byte) ([]byte, error) {
	if cap(pending)-len(pending) >= r.bytes {
		return pending, nil
	}
	r.buffer.messages = slices.Grow(append(r.buffer.messages[:0], pending...), r.bytes)
	return r.buffer.messages, nil
}

// Decode implements pgproto3.Message.
func (r *reservation) Decode([]byte) error { return errors.New("a reservation is never received") }

// Frontend implements pgproto3.FrontendMessage.
func (r *reservation) Frontend() {}
