package tdclient

import (
	"context"
	"encoding/json"
	"net/http"
)

// States of jobs. Those after StatusRunning are the ends of a job.
const (
	StatusQueued  = "queued"
	StatusBooting = "booting"
	StatusRunning = "running"
	StatusSuccess = "success"
	StatusError   = "error"
	StatusKilled  = "killed"
)

// Status is how far a job is.
type Status struct {
	Status   string `json:"status"`
	Duration *int64 `json:"duration"` // seconds since the job was started; nil if the API does not say
}

// Ended reports whether the job has ended.
func (s Status) Ended() bool {
	return s.Status == StatusSuccess || s.Status == StatusError || s.Status == StatusKilled
}

// Status returns how far a job is.
func (c *Client) Status(ctx context.Context, id string) (Status, error) {
	var status Status
	err := c.call(ctx, request{method: http.MethodGet, path: path("v3", "job", "status", id)}, &status)
	if err == nil && status.Status == "" {
		err = missing(path("v3", "job", "status", id), "status")
	}
	return status, err
}

// missing returns the error of an answer without a member that it must have.
func missing(target, member string) error {
	return &Error{Type: typeJSON, target: target, text: "the answer has no " + member, passing: true}
}

// Column is a column of a job's result.
type Column struct{ Name, Type string }

// Details is what is known about a job.
type Details struct {
	Records int64
	Columns []Column
	// What the job printed.
	Output, Errors string
}

// Details returns what is known about a job.
func (c *Client) Details(ctx context.Context, id string) (Details, error) {
	var answer struct {
		Records *int64  `json:"num_records"`
		Schema  *string `json:"hive_result_schema"`
		Debug   *struct {
			Output *string `json:"cmdout"`
			Errors *string `json:"stderr"`
		} `json:"debug"`
	}
	if err := c.call(ctx, request{method: http.MethodGet, path: path("v3", "job", "show", id)}, &answer); err != nil {
		return Details{}, err
	}
	details := Details{Columns: columns(value(answer.Schema)), Records: value(answer.Records)}
	if answer.Debug != nil {
		details.Output, details.Errors = value(answer.Debug.Output), value(answer.Debug.Errors)
	}
	return details, nil
}

// value returns what a pointer points to, or the zero value.
func value[T any](p *T) (v T) {
	if p != nil {
		v = *p
	}
	return v
}

// columns reads the text of a schema: a list of lists, each with name and type. A broken one has no columns.
func columns(schema string) []Column {
	var pairs [][]string
	if json.Unmarshal([]byte(schema), &pairs) != nil {
		return nil
	}
	all := make([]Column, 0, len(pairs))
	for _, pair := range pairs {
		if len(pair) < 2 {
			return nil
		}
		all = append(all, Column{pair[0], pair[1]})
	}
	return all
}

// Kill ends a job. It does nothing to one that has ended or is not known.
func (c *Client) Kill(ctx context.Context, id string) error {
	err := c.call(ctx, request{method: http.MethodPost, path: path("v3", "job", "kill", id)}, nil)
	for _, status := range []int{http.StatusNotFound, http.StatusConflict, http.StatusUnprocessableEntity} {
		if hasStatus(err, status) {
			return nil
		}
	}
	return err
}
