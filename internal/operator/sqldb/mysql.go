package sqldb

import (
	"context"
	"database/sql/driver"
	"errors"
	"fmt"
	"io"
	"net"
	"strconv"
	"strings"
	"time"

	"github.com/go-sql-driver/mysql"
)

// Numbers of errors of MySQL and MariaDB.
const (
	mysqlDuplicate = 1062
	mysqlForbidden = 1142 // a statement on this table
	mysqlReadOnly  = 1792
	mysqlReadOnly2 = 1836
)

// newMySQL returns the dialect of mysql>.
func newMySQL() *dialect {
	return &dialect{
		name: "mysql", secrets: "mysql", port: 3306, secretTimeouts: true, quote: "`",
		readOnly: "START TRANSACTION READ ONLY", readWrite: "COMMIT",
		connect: connectMySQL, once: mysqlOnce,
	}
}

// mysqlOnce keeps the row of the query locked while it works. As DDL of MySQL ends transactions, a lock of the session keeps other runs
// of the same query away, too.
func mysqlOnce(ctx context.Context, s *status, work func() error) error {
	columns := " (query_id varchar(64) NOT NULL PRIMARY KEY, created_at datetime NOT NULL, completed_at datetime NULL) ENGINE=InnoDB"
	err := s.to.run(ctx, "CREATE TABLE IF NOT EXISTS "+s.name()+columns)
	if stateOf(err) == stateForbidden && s.to.run(ctx, "SELECT 1 FROM "+s.name()+" LIMIT 0") == nil {
		err = nil // who must not create tables is refused even if the table is there
	}
	if err != nil {
		return failure(fmt.Sprintf("Failed to create a status table %s.\n"+statusHint+
			"2. ask system administrator to create this table using the following command and grant SELECT, INSERT, UPDATE and DELETE on it to this user: CREATE TABLE IF NOT EXISTS %s%s;\n"+
			"3. ask system administrator to create a database in which this user can create a table and set 'status_table_schema' option to it\n", s.name(), s.name(), columns), err)
	}
	switch locked, err := mysqlOne(ctx, s, "SELECT GET_LOCK('trowel_%s', 0)", s.id); {
	case err != nil:
		return failure("Failed to lock a status row", err)
	case locked != "1":
		return errLocked
	}
	if err := s.do(ctx, "insert a status row", "INSERT IGNORE INTO %s (query_id, created_at) VALUES ('%s', UTC_TIMESTAMP())", s.name(), s.id); err != nil {
		return err
	}
	if err := s.do(ctx, "begin a transaction", "START TRANSACTION"); err != nil {
		return err
	}
	completed, err := mysqlOne(ctx, s, "SELECT completed_at IS NOT NULL FROM %s WHERE query_id = '%s' FOR UPDATE", s.name(), s.id)
	switch {
	case err != nil:
		return failure("Failed to lock a status row", err)
	case completed == "1":
		err = s.do(ctx, "rollback a transaction", "ROLLBACK")
	default:
		err = mysqlComplete(ctx, s, work)
	}
	if err != nil {
		return err
	}
	s.warn(ctx, s.do(ctx, "delete old status rows", "DELETE FROM %s WHERE completed_at < UTC_TIMESTAMP() - INTERVAL %d SECOND", s.name(), s.cleanupSeconds()))
	return nil
}

func mysqlComplete(ctx context.Context, s *status, work func() error) error {
	if err := work(); err != nil {
		return err
	}
	err := s.do(ctx, "update a status row", "UPDATE %s SET completed_at = UTC_TIMESTAMP() WHERE query_id = '%s'", s.name(), s.id)
	if err != nil {
		return err
	}
	return s.do(ctx, "commit updated status row", "COMMIT")
}

// mysqlOne returns the only field of a result as text.
func mysqlOne(ctx context.Context, s *status, query string, args ...any) (text string, err error) {
	err = s.to.query(ctx, fmt.Sprintf(query, args...), func(r rows) error {
		more, err := r.next()
		if more {
			field, _ := r.appendText(nil, 0)
			text = string(field)
		}
		return err
	})
	return text, err
}

// mysqlSession is a session of MySQL or MariaDB. The server takes scripts apart itself.
type mysqlSession struct {
	conn   mysqlConn
	config *mysql.Config
	wire   *silentConn
	id     string // by which another session ends a query
	to     login
	zone   *time.Location
	busy   bool
}

// mysqlConn is what the driver's connections can do.
type mysqlConn interface {
	driver.Conn
	driver.QueryerContext
}

func connectMySQL(ctx context.Context, to login) (connection, error) {
	s := &mysqlSession{to: to}
	s.config = mysql.NewConfig()
	s.config.User, s.config.Passwd, s.config.DBName = to.user, to.password, to.database
	if to.schema != "" {
		s.config.DBName = to.schema
	}
	s.config.Net, s.config.Addr = "tcp", net.JoinHostPort(to.host, strconv.Itoa(to.port))
	s.config.MultiStatements = true
	s.config.Logger = &mysql.NopLogger{}
	s.config.TLS = tlsConfig(to, "The certificate of the server does not name the host %s")
	s.config.AllowFallbackToPlaintext = !to.ssl
	s.config.DialFunc = func(ctx context.Context, network, address string) (net.Conn, error) {
		conn, err := (&net.Dialer{KeepAlive: 30 * time.Second}).DialContext(ctx, network, address)
		if err != nil || s.wire != nil { // that of a session which cancels is of no interest
			return conn, err
		}
		s.wire = &silentConn{Conn: conn, longest: to.socketTimeout}
		return s.wire, nil
	}
	if err := s.open(ctx); err != nil {
		return nil, err
	}
	return s, nil
}

func (s *mysqlSession) open(ctx context.Context) (err error) {
	if s.conn, err = s.connect(ctx); err != nil {
		if refused, ok := errors.AsType[*mysql.MySQLError](err); ok {
			return mysqlError(refused)
		}
		return connectError(ctx, s.to, err, "Connection to %s refused. Check host and port, and that the server accepts TCP/IP connections.")
	}
	now := time.Now().In(sessionZone())
	name, offset := now.Zone()
	s.zone = time.FixedZone(name, offset)
	err = s.run(ctx, "SET time_zone = '"+now.Format("-07:00")+"'")
	if err == nil {
		err = s.query(ctx, "SELECT CONNECTION_ID()", func(r rows) error {
			_, err := r.next()
			if err == nil {
				id, _ := r.appendText(nil, 0)
				s.id = string(id)
			}
			return err
		})
	}
	if err != nil {
		s.close() //nolint:contextcheck // it ends what goes on after a context has ended, too
	}
	return err
}

func (s *mysqlSession) connect(ctx context.Context) (mysqlConn, error) {
	connector, err := mysql.NewConnector(s.config)
	if err != nil {
		return nil, err
	}
	conn, err := connector.Connect(ctx)
	if err != nil {
		return nil, err
	}
	able, ok := conn.(mysqlConn)
	if !ok {
		return nil, errors.New("the driver of MySQL cannot query")
	}
	return able, nil
}

// run implements connection.
func (s *mysqlSession) run(ctx context.Context, text string) error {
	return s.exchange(ctx, text, func(driver.Rows) error { return nil })
}

// update implements connection.
func (s *mysqlSession) update(ctx context.Context, text string) error {
	return s.exchange(ctx, text, func(driver.Rows) error { return errUnwantedResult })
}

// query implements connection.
func (s *mysqlSession) query(ctx context.Context, text string, take func(rows) error) error {
	taken := false
	err := s.exchange(ctx, text, func(result driver.Rows) error {
		if taken {
			return errSeveralResults
		}
		taken = true
		return take(newMysqlRows(s, result))
	})
	if err == nil && !taken {
		err = errNoResult
	}
	return err
}

// exchange sends a text and calls hear with each result that has columns. It ends early with an error of hear.
func (s *mysqlSession) exchange(ctx context.Context, text string, hear func(driver.Rows) error) (err error) {
	if strings.TrimSpace(text) == "" {
		return nil
	}
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	s.busy = true
	stop := context.AfterFunc(ctx, s.cancel)
	defer func() {
		if !stop() && err != nil {
			err = context.Cause(ctx)
		}
	}()
	// The driver would close the connection when the context ends, and the server would go on.
	result, err := s.conn.QueryContext(context.WithoutCancel(ctx), text, nil)
	if err != nil {
		return s.told(err)
	}
	for {
		if len(result.Columns()) > 0 {
			if err := hear(result); err != nil {
				return err
			}
		}
		if err := drain(result); err != nil {
			return s.told(err)
		}
		next, ok := result.(driver.RowsNextResultSet)
		if !ok || !next.HasNextResultSet() {
			break
		}
		if err := next.NextResultSet(); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			return s.told(err)
		}
	}
	s.busy = false
	return s.told(result.Close())
}

// drain passes over the rest of a result.
func drain(result driver.Rows) error {
	row := make([]driver.Value, len(result.Columns()))
	for len(row) > 0 {
		if err := result.Next(row); errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return err
		}
	}
	return nil
}

// told returns what is to be told of an error of the driver.
func (s *mysqlSession) told(err error) error {
	if err == nil {
		return nil
	}
	if refused, ok := errors.AsType[*mysql.MySQLError](err); ok {
		s.busy = false
		return mysqlError(refused)
	}
	if silent := s.wire.tooLong(); silent != nil {
		return silent
	}
	switch {
	case errors.Is(err, driver.ErrBadConn), errors.Is(err, mysql.ErrInvalidConn), errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return errLost
	}
	return fmt.Errorf("the connection to the server was lost: %w", innermost(err))
}

// mysqlError returns an error of the server, with the SQLSTATE of PostgreSQL where that decides how to go on.
func mysqlError(refused *mysql.MySQLError) *serverError {
	e := &serverError{state: string(refused.SQLState[:]), text: refused.Error()}
	switch refused.Number {
	case mysqlDuplicate:
		e.state = stateDuplicate
	case mysqlForbidden:
		e.state = stateForbidden
	case mysqlReadOnly, mysqlReadOnly2:
		e.state = stateReadOnly
	}
	return e
}

// cancel ends what the server does for this session, in another one, and gives it a while to answer. It may be called while another
// goroutine reads.
func (s *mysqlSession) cancel() {
	ctx, stop := context.WithTimeout(context.Background(), cancelTime) //nolint:forbidigo // that of the run has ended
	defer stop()
	if conn, err := s.connect(ctx); err == nil {
		if result, err := conn.QueryContext(ctx, "KILL QUERY "+s.id, nil); err == nil {
			_ = result.Close()
		}
		_ = conn.Close()
	}
	time.AfterFunc(cancelTime, func() { _ = s.wire.Close() }) // of no effect if it is closed
}

// close implements connection.
func (s *mysqlSession) close() {
	if s.busy {
		if s.id != "" {
			s.cancel()
		}
		_ = s.wire.Close() // so that the driver does not wait for the rest of a result
	}
	_ = s.conn.Close()
}
