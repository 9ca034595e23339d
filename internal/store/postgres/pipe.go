package postgres

import (
	"context"
	"database/sql"
	"fmt"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgtype"
	"github.com/jackc/pgx/v5/stdlib"

	"github.com/trowel-project/trowel/internal/store"
)

// pipe sends prepared statements in the pipeline mode of PostgreSQL's protocol.
type pipe struct {
	ctx     context.Context //nolint:containedctx // a pipe lives no longer than the transaction that opens it
	conn    *pgx.Conn
	known   map[string]any // prepared statements by their texts, and the buffer
	buffer  *sendBuffer
	line    *pgconn.Pipeline // nil while nothing is sent
	sent    int              // statements in the line
	changed []int64
	failed  error // the first error; changed has the statements before it
}

// openPipe returns a pipe on a connection, which nobody else may use until the pipe is closed.
func openPipe(ctx context.Context, conn *sql.Conn) (store.Pipe, error) {
	p := &pipe{ctx: ctx}
	err := conn.Raw(func(driverConn any) error {
		known, ok := driverConn.(*stdlib.Conn)
		if !ok {
			return fmt.Errorf("driver %T is not pgx", driverConn)
		}
		p.conn = known.Conn()
		return nil
	})
	if err != nil {
		return nil, err
	}
	p.known = p.conn.PgConn().CustomData() // nobody else uses it
	buffer, ok := p.known[bufferKey].(*sendBuffer)
	if !ok {
		buffer = &sendBuffer{}
		p.known[bufferKey] = buffer
	}
	p.buffer = buffer
	return p, nil
}

// bufferKey is where a connection keeps its buffer. No statement has this text.
const bufferKey = "buffer"

// inBinary returns the format of all parameters.
func inBinary() []int16 { return []int16{pgx.BinaryFormatCode} }

// messageBytes is more than what the messages of a statement have beside its name and values, and those that begin
// and end a transaction.
const messageBytes = 512

// Send implements store.Pipe.
func (p *pipe) Send(statement string, columns []store.Column, rows int) error {
	prepared, ok := p.known[statement].(*pgconn.StatementDescription)
	if !ok {
		if err := p.wait(); err != nil { // an open pipeline cannot describe statements
			return err
		}
		made, err := p.conn.Prepare(p.ctx, statement, statement)
		if err != nil {
			return err
		}
		prepared = undescribed(made)
		p.known[statement] = prepared
	}
	if p.line == nil {
		p.line = p.conn.PgConn().StartPipeline(p.ctx)
	}
	params := p.buffer.values(columns, rows)
	p.buffer.reserve(p.conn.PgConn().Frontend(), len(prepared.Name)+messageBytes+size(columns))
	p.line.SendQueryStatement(prepared, params, inBinary(), nil)
	p.sent++
	return nil
}

// undescribed returns a statement whose rows nobody reads. With a column, whichever, the driver does not ask the database
// for a description with each execution, as it would of a statement that returns none.
func undescribed(made *pgconn.StatementDescription) *pgconn.StatementDescription {
	return &pgconn.StatementDescription{Name: made.Name, Fields: []pgconn.FieldDescription{{}}}
}

// Flush implements store.Pipe.
func (p *pipe) Flush() error {
	if p.line == nil {
		return nil
	}
	return p.line.Flush()
}

// oid returns PostgreSQL's id of the type of a column.
func oid(kind string) uint32 {
	switch kind {
	case "SMALLINT":
		return pgtype.Int2OID
	case "INTEGER":
		return pgtype.Int4OID
	case "BOOLEAN":
		return pgtype.BoolOID
	case "TEXT":
		return pgtype.TextOID
	case "BYTEA":
		return pgtype.ByteaOID
	}
	return pgtype.Int8OID
}

// wait ends the pipeline and reads all results.
func (p *pipe) wait() error {
	if p.line == nil {
		return nil
	}
	line, sent := p.line, p.sent
	p.line, p.sent = nil, 0
	err := line.Sync()
	for range sent {
		if err != nil {
			break
		}
		var rows int64
		if rows, err = result(line); err == nil {
			p.changed = append(p.changed, rows)
		}
	}
	if errClose := line.Close(); err == nil {
		err = errClose
	}
	if p.failed == nil {
		p.failed = err
	}
	return err
}

// result reads the next result of a pipeline.
func result(line *pgconn.Pipeline) (int64, error) {
	next, err := line.GetResults()
	if err != nil {
		return 0, err
	}
	reader, ok := next.(*pgconn.ResultReader)
	if !ok {
		return 0, fmt.Errorf("the database answers a statement with %T", next)
	}
	tag, err := reader.Close()
	return tag.RowsAffected(), err
}

// Close implements store.Pipe.
func (p *pipe) Close() ([]int64, error) {
	_ = p.wait()
	return p.changed, p.failed
}
