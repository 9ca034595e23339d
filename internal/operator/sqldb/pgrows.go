package sqldb

import (
	"github.com/jackc/pgx/v5/pgproto3"

	"github.com/trowel-project/trowel/internal/param"
)

// pgRows is a result that comes as text.
type pgRows struct {
	session *pgSession
	names   []string
	types   []uint32 // object ids
	texts   []textForm
	row     [][]byte // valid until the next one
	ended   *bool    // no row follows
}

func newPgRows(s *pgSession, description *pgproto3.RowDescription, ended *bool) *pgRows {
	r := &pgRows{session: s, ended: ended}
	for _, field := range description.Fields {
		r.names = append(r.names, string(field.Name))
		r.types = append(r.types, field.DataTypeOID)
		r.texts = append(r.texts, pgText(field.DataTypeOID))
	}
	return r
}

func (r *pgRows) columns() []string { return r.names }

func (r *pgRows) next() (bool, error) {
	for !*r.ended {
		message, err := r.session.receive()
		if err != nil {
			return false, err
		}
		switch message := message.(type) {
		case *pgproto3.DataRow:
			r.row = message.Values
			return true, nil
		case *pgproto3.CommandComplete:
			*r.ended = true
		}
	}
	return false, nil
}

func (r *pgRows) appendText(dst []byte, i int) ([]byte, bool) {
	text := r.row[i]
	if text == nil {
		return dst, false
	}
	if form := r.texts[i]; form != nil {
		return form(dst, text), true
	}
	return append(dst, text...), true
}

func (r *pgRows) value(i int) param.Value {
	if r.row[i] == nil {
		return nil
	}
	return pgValue(r.types[i], string(r.row[i]))
}
