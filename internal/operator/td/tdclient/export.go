package tdclient

import (
	"context"
	"net/http"
	"net/url"
	"strconv"
	"time"
)

// TableExport says which part of a table goes to which place.
type TableExport struct {
	Database, Table   string
	From, To          time.Time
	Format            string
	Bucket, Prefix    string
	AccessKey, Secret string // of the bucket
	Pool              string // empty for the default one
}

// ExportTable begins a job that writes a part of a table into files.
func (c *Client) ExportTable(ctx context.Context, e TableExport) (string, error) {
	form := url.Values{
		"from": {unixSeconds(e.From)}, "to": {unixSeconds(e.To)}, "file_prefix": {e.Prefix}, "file_format": {e.Format},
		"storage_type": {"s3"}, "bucket": {e.Bucket}, "access_key_id": {e.AccessKey}, "secret_access_key": {e.Secret},
	}
	set(form, "pool_name", e.Pool)
	return c.begin(ctx, request{method: http.MethodPost, path: path("v3", "export", "run", e.Database, e.Table), form: form})
}

// ExportResult begins a job that sends the result of another job to a connection.
func (c *Client) ExportResult(ctx context.Context, jobID, connection, settings string) (string, error) {
	return c.begin(ctx, request{
		method: http.MethodPost, path: path("v3", "job", "result_export", jobID),
		form: url.Values{"result_connection_id": {connection}, "result_connection_settings": {settings}},
	})
}

// PartialDelete begins a job that deletes the rows of a range of time.
func (c *Client) PartialDelete(ctx context.Context, database, table string, from, to time.Time, domainKey string) (string, error) {
	return c.begin(ctx, request{
		method: http.MethodPost, path: path("v3", "table", "partialdelete", database, table),
		form: url.Values{"from": {unixSeconds(from)}, "to": {unixSeconds(to)}, "domain_key": {domainKey}},
	})
}

// Connection returns the id of the connection with a name.
func (c *Client) Connection(ctx context.Context, name string) (string, error) {
	var answer struct {
		ID *int64 `json:"id"`
	}
	r := request{method: http.MethodGet, path: path("v3", "connections", "lookup"), query: url.Values{"name": {name}}}
	if err := c.call(ctx, r, &answer); err != nil {
		return "", err
	}
	if answer.ID == nil {
		return "", missing(r.target(), "id of a connection")
	}
	return strconv.FormatInt(*answer.ID, 10), nil
}
