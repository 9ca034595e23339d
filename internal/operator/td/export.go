package td

import (
	"context"
	"slices"
	"time"

	"github.com/trowel-project/trowel/internal/operator"
	"github.com/trowel-project/trowel/internal/operator/td/tdclient"
	"github.com/trowel-project/trowel/internal/param"
	"github.com/trowel-project/trowel/internal/schedule"
)

const invalidFormat = "invalid file_format option" // operators 8.9

// tableExport is td_table_export> (operators 8.9).
type tableExport struct {
	plain
	tdclient.TableExport
	table tableRef
}

func exportFormats() []string { return []string{"tsv.gz", "jsonl.gz", "json.gz", "line-json.gz"} }

func (e *tableExport) read(ctx context.Context, t *task) (err error) {
	if e.table, err = readTable(t.params, "table"); err != nil {
		return err
	}
	if err = e.readFormat(t.params); err != nil {
		return err
	}
	if err = e.readSpan(t); err != nil {
		return err
	}
	if e.Bucket, err = t.params.String("s3_bucket"); err != nil {
		return err
	}
	if e.Prefix, err = t.params.String("s3_path_prefix"); err != nil {
		return err
	}
	if e.Pool, err = t.params.StringOr("hive_pool_name", ""); err != nil {
		return err
	}
	if e.AccessKey, err = t.r.Secret(ctx, "aws.s3.access_key_id", "aws.access_key_id"); err != nil {
		return err
	}
	e.Secret, err = t.r.Secret(ctx, "aws.s3.secret_access_key", "aws.secret_access_key")
	return err
}

func (e *tableExport) readFormat(params *param.Reader) (err error) {
	if e.Format, err = params.String("file_format"); err != nil {
		return err
	}
	if !slices.Contains(exportFormats(), e.Format) {
		return param.Errorf(invalidFormat)
	}
	return nil
}

func (e *tableExport) readSpan(t *task) error {
	zone := t.r.Lease.Zone
	if name, _ := t.params.Value("timezone"); name != nil {
		own, err := schedule.ZoneOf(name)
		if err != nil {
			return err
		}
		zone = own.Location
	}
	var err error
	if e.From, err = readExportTime(t.params, "from", zone); err != nil {
		return err
	}
	e.To, err = readExportTime(t.params, "to", zone)
	return err
}

// readExportTime reads seconds since 1970, or a date and a time, which without an offset is of the zone.
func readExportTime(params *param.Reader, key string, zone *time.Location) (time.Time, error) {
	value, _ := params.Value(key)
	if seconds, ok := param.AsLong(value); ok && value != "" {
		return time.Unix(seconds, 0), nil
	}
	text, err := params.String(key)
	if err != nil {
		return time.Time{}, err
	}
	for _, layout := range []string{"2006-01-02 15:04:05 -0700", "2006-01-02 15:04:05 Z07:00", "2006-01-02 15:04:05 MST", "2006-01-02 15:04:05"} {
		if at, err := time.ParseInLocation(layout, text, zone); err == nil {
			return at, nil
		}
	}
	return time.Time{}, param.Errorf("Parameter '%s' must be a number of seconds or yyyy-MM-dd HH:mm:ss[ Z]: %s", key, text)
}

func (e *tableExport) begin(ctx context.Context, t *task, _ string) (string, error) {
	e.Database, e.Table = e.table.in(t.database), e.table.table
	return t.client.ExportTable(ctx, e.TableExport)
}

// resultExport is td_result_export> (operators 8.10).
type resultExport struct {
	plain
	job        string
	connection connectionOptions
}

func (e *resultExport) read(ctx context.Context, t *task) (err error) {
	if e.job, err = t.params.String("job_id"); err != nil {
		return err
	}
	if e.connection.name, err = t.params.String("result_connection"); err != nil {
		return err
	}
	return e.connection.readSettings(ctx, t)
}

func (e *resultExport) begin(ctx context.Context, t *task, _ string) (string, error) {
	connection, err := t.client.Connection(ctx, e.connection.name)
	if err != nil {
		return "", err
	}
	return t.client.ExportResult(ctx, e.job, connection, e.connection.settings)
}

const notWholeHours = "'from' and 'to' parameters must be whole hours" // operators 8.11

// partialDelete is td_partial_delete> (operators 8.11).
type partialDelete struct {
	plain
	table    tableRef
	from, to time.Time
}

func (d *partialDelete) read(_ context.Context, t *task) (err error) {
	if d.table, err = readTable(t.params, "_command"); err != nil {
		return err
	}
	if d.from, err = operator.ReadTimestamp(t.params, "from", t.r.Lease.Zone); err != nil {
		return err
	}
	if d.to, err = operator.ReadTimestamp(t.params, "to", t.r.Lease.Zone); err != nil {
		return err
	}
	if d.from.Unix()%3600 != 0 || d.to.Unix()%3600 != 0 {
		return param.Errorf(notWholeHours)
	}
	return nil
}

func (d *partialDelete) begin(ctx context.Context, t *task, domainKey string) (string, error) {
	return t.client.PartialDelete(ctx, d.table.in(t.database), d.table.table, d.from, d.to, domainKey)
}
