package td

import (
	"context"

	"github.com/trowel-project/trowel/internal/operator"
	"github.com/trowel-project/trowel/internal/operator/td/tdclient"
	"github.com/trowel-project/trowel/internal/param"
)

// Texts of operators 8.2.
const (
	bothTables       = "Setting both insert_into and create_table is invalid"
	downloadOfInsert = "download_file is invalid if insert_into or create_table is set"
	settingsAlone    = "result_settings is valid only if result_connection is set"
)

// query is td> (operators 8.2).
type query struct {
	options                 queryOptions
	results                 resultOptions
	text                    string
	insertInto, createTable *tableRef
	resultURL               string
	connection              connectionOptions
}

func (q *query) read(ctx context.Context, t *task) (err error) {
	if q.text, err = t.r.CommandText(ctx, t.params, "query"); err != nil {
		return err
	}
	if q.insertInto, err = optTable(t.params, "insert_into"); err != nil {
		return err
	}
	if q.createTable, err = optTable(t.params, "create_table"); err != nil {
		return err
	}
	if q.insertInto != nil && q.createTable != nil {
		return param.Errorf(bothTables)
	}
	if err = q.options.read(t.params); err != nil {
		return err
	}
	if q.resultURL, err = t.params.StringOr("result_url", ""); err != nil {
		return err
	}
	if q.resultURL, err = t.r.Expand(ctx, q.resultURL); err != nil {
		return err
	}
	if err = q.connection.read(ctx, t); err != nil {
		return err
	}
	if err = q.results.read(t); err != nil {
		return err
	}
	if q.results.download != "" && q.target() != nil {
		return param.Errorf(downloadOfInsert)
	}
	return nil
}

// target returns the table that the query fills; nil for none.
func (q *query) target() *tableRef {
	if q.insertInto != nil {
		return q.insertInto
	}
	return q.createTable
}

// prepare creates the table that the query fills, unless the statement itself does.
func (q *query) prepare(ctx context.Context, t *task) error {
	target := q.target()
	if target == nil || q.options.engine == enginePresto && q.createTable != nil {
		return nil
	}
	return ensureTable(ctx, t.client, target.in(t.database), target.table)
}

func (q *query) begin(ctx context.Context, t *task, domainKey string) (string, error) {
	job, err := q.options.query(t.database, q.statement(t), domainKey)
	if err != nil {
		return "", err
	}
	job.ScheduledTime, job.ResultURL, job.ResultSettings = t.sessionTime(), q.resultURL, q.connection.settings
	if q.connection.name != "" {
		if job.ResultConnection, err = t.client.Connection(ctx, q.connection.name); err != nil {
			return "", err
		}
	}
	return t.client.Query(ctx, job)
}

// statement returns what is sent: comments that say who sends it, and the text with the command that fills the table.
func (q *query) statement(t *task) string {
	text := q.text
	if command := q.command(); command != "" {
		text = withCommand(text, command)
	}
	return commentsOf(t.r.Lease) + text
}

// command returns what is put before a query that fills a table.
func (q *query) command() string {
	target := q.target()
	if target == nil {
		return ""
	}
	name := target.quoted(q.options.engine)
	switch {
	case q.options.engine == engineHive && q.insertInto != nil:
		return "INSERT INTO TABLE " + name
	case q.options.engine == engineHive:
		return "INSERT OVERWRITE TABLE " + name
	case q.insertInto != nil:
		return "INSERT INTO " + name
	default:
		return "DROP TABLE IF EXISTS " + name + ";\nCREATE TABLE " + name + " AS"
	}
}

func (q *query) finish(ctx context.Context, t *task, id string) (operator.Outcome, error) {
	return q.results.finish(ctx, t, id, q.preview)
}

// preview returns the job whose rows are shown, which for a query that fills a table is one that reads it.
func (q *query) preview(ctx context.Context, t *task, id string) (string, error) {
	target := q.target()
	if target == nil {
		return id, nil
	}
	text := "-- preview results of job id " + id + "\nSELECT * FROM " + target.quoted(enginePresto) + " LIMIT 20"
	return t.join(ctx, keyPreviewJob, func(ctx context.Context, domainKey string) (string, error) {
		return t.client.Query(ctx, tdclient.Query{Engine: enginePresto, Database: t.database, Text: text, DomainKey: domainKey})
	})
}

// connectionOptions are where the service sends a result (operators 8.2).
type connectionOptions struct {
	name     string
	settings string // JSON text with secrets; empty for none
}

func (c *connectionOptions) read(ctx context.Context, t *task) (err error) {
	if c.name, err = t.params.StringOr("result_connection", ""); err != nil {
		return err
	}
	if value, _ := t.params.Value("result_settings"); value == nil {
		return nil
	}
	if c.name == "" {
		return param.Errorf(settingsAlone)
	}
	return c.readSettings(ctx, t)
}

// readSettings reads result_settings. Secrets are put into the JSON text as they are, as in Digdag (operators 8.2).
func (c *connectionOptions) readSettings(ctx context.Context, t *task) error {
	settings, err := operator.ParsedMap(t.params, "result_settings")
	if err != nil {
		return err
	}
	c.settings, err = t.r.Expand(ctx, param.JSON(settings))
	return err
}
