package store

import (
	"encoding/binary"

	"github.com/trowel-project/trowel/internal/param"
)

// Column has the values of one column of a bulk statement, one after the other, each after its length, as PostgreSQL
// takes them in arrays. The length of NULL is -1.
type Column struct {
	Kind  string // SMALLINT, INTEGER, BIGINT, BOOLEAN, TEXT or BYTEA
	Nulls bool   // there is a NULL among them
	Data  []byte
}

// null is the length of NULL.
const null = ^uint32(0)

func (c *Column) null() {
	c.Nulls = true
	c.Data = binary.BigEndian.AppendUint32(c.Data, null)
}

func (c *Column) number(n int64) {
	switch c.Kind {
	case "SMALLINT":
		c.Data = binary.BigEndian.AppendUint32(c.Data, 2)
		c.Data = binary.BigEndian.AppendUint16(c.Data, uint16(n)) //nolint:gosec // what is written has that type
	case "INTEGER":
		c.Data = binary.BigEndian.AppendUint32(c.Data, 4)
		c.Data = binary.BigEndian.AppendUint32(c.Data, uint32(n)) //nolint:gosec // what is written has that type
	default:
		c.Data = binary.BigEndian.AppendUint32(c.Data, 8)
		c.Data = binary.BigEndian.AppendUint64(c.Data, uint64(n)) //nolint:gosec // the bits are kept
	}
}

func (c *Column) bool(b bool) {
	value := byte(0)
	if b {
		value = 1
	}
	c.Data = append(c.Data, 0, 0, 0, 1, value)
}

func (c *Column) text(s string) {
	c.Data = binary.BigEndian.AppendUint32(c.Data, uint32(len(s))) //nolint:gosec // of texts of some megabytes
	c.Data = append(c.Data, s...)
}

func (c *Column) bytes(data []byte) {
	c.Data = binary.BigEndian.AppendUint32(c.Data, uint32(len(data))) //nolint:gosec // of texts of some megabytes
	c.Data = append(c.Data, data...)
}

func (c *Column) object(m *param.Map) {
	begin := len(c.Data)
	c.Data = param.AppendJSON(append(c.Data, 0, 0, 0, 0), m)
	binary.BigEndian.PutUint32(c.Data[begin:], uint32(len(c.Data)-begin-4)) //nolint:gosec // of texts of some megabytes
}
