package tdclient

import (
	"cmp"
	"context"
	"errors"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"github.com/trowel-project/trowel/internal/param"
)

// Query is a job of presto or hive.
type Query struct {
	Engine, Database, Text string
	DomainKey              string
	Priority               int
	Retries                *int // how often the service repeats a failed job; nil to leave it to the service
	Pool, Version          string
	ScheduledTime          time.Time // zero for none
	ResultURL              string
	// ResultConnection is the id of a connection, and ResultSettings are its settings.
	ResultConnection, ResultSettings string
}

// Query begins a job and returns its id.
func (c *Client) Query(ctx context.Context, q Query) (string, error) {
	form := url.Values{"query": {q.Text}, "priority": {strconv.Itoa(q.Priority)}}
	set(form, "domain_key", q.DomainKey)
	set(form, "pool_name", q.Pool)
	set(form, "engine_version", q.Version)
	set(form, "result", q.ResultURL)
	set(form, "result_connection_id", q.ResultConnection)
	set(form, "result_connection_settings", q.ResultSettings)
	if q.Retries != nil {
		form.Set("retry_limit", strconv.Itoa(*q.Retries))
	}
	if !q.ScheduledTime.IsZero() {
		form.Set("scheduled_time", unixSeconds(q.ScheduledTime))
	}
	return c.begin(ctx, request{method: http.MethodPost, path: path("v3", "job", "issue", q.Engine, q.Database), form: form})
}

// set adds a field to a form if it has a value.
func set(form url.Values, name, value string) {
	if value != "" {
		form.Set(name, value)
	}
}

// begin sends a request that begins a job and returns the id of the job. One with the same domain key is that job.
func (c *Client) begin(ctx context.Context, r request) (string, error) {
	var answer struct {
		JobID ID `json:"job_id"`
		ID    ID `json:"id"` // of a job of a saved query
		Jobs  []struct {
			JobID ID `json:"job_id"`
		} `json:"jobs"` // of a saved query that was named
	}
	err := c.call(ctx, r, &answer)
	if failure, ok := errors.AsType[*Error](err); ok && failure.Conflict != "" {
		return failure.Conflict, nil
	}
	if err != nil {
		return "", err
	}
	id := cmp.Or(answer.JobID, answer.ID)
	if len(answer.Jobs) > 0 {
		id = cmp.Or(id, answer.Jobs[0].JobID)
	}
	if id == "" {
		return "", missing(r.target(), "id of a job")
	}
	return string(id), nil
}

// BulkLoad begins a load with a configuration, which may have secrets, and returns the id of its job.
func (c *Client) BulkLoad(ctx context.Context, database, table string, config *param.Map, domainKey string) (string, error) {
	return c.begin(ctx, request{
		method: http.MethodPost, path: path("v3", "job", "issue", "bulkload", database),
		query: url.Values{"query": {""}, "priority": {"0"}, "table": {table}, "domain_key": {domainKey}},
		body:  param.Of("config", config),
	})
}

// Session begins a load that is stored under a name.
func (c *Client) Session(ctx context.Context, name string, at time.Time, domainKey string) (string, error) {
	return c.begin(ctx, request{
		method: http.MethodPost, path: path("v3", "bulk_loads", name, "jobs"),
		body: param.Of("scheduled_time", unixSeconds(at), "domain_key", domainKey),
	})
}

// SavedQuery begins a query that is stored under a name.
func (c *Client) SavedQuery(ctx context.Context, name string, at time.Time, domainKey string) (string, error) {
	return c.begin(ctx, request{
		method: http.MethodPost, path: path("v3", "schedule", "run", name, unixSeconds(at)),
		form: url.Values{"domain_key": {domainKey}},
	})
}

// SavedQueryByID begins a query that is stored under an id.
func (c *Client) SavedQueryByID(ctx context.Context, id int64, at time.Time, domainKey string) (string, error) {
	return c.begin(ctx, request{
		method: http.MethodPost, path: path("v4", "queries", strconv.FormatInt(id, 10), "jobs"),
		body: param.Of("scheduled_time", at.UTC().Format(time.RFC3339), "domain_key", domainKey),
	})
}

// unixSeconds returns an instant as the API takes it.
func unixSeconds(at time.Time) string { return strconv.FormatInt(at.Unix(), 10) }
