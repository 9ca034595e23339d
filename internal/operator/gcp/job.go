package gcp

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"strings"

	"github.com/google/uuid"

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/operator"
	"github.com/trowel-project/trowel/internal/param"
)

// Keys of the state (operators 10.3).
const (
	keyJobID   = "jobId"
	keyStart   = "start"
	keyRunning = "running"
	keyCheck   = "check"
)

// Lengths of the parts of a job's id.
const (
	maxJobID = 1024
	maxName  = 256
)

// configure makes the configuration of a job from the options of a task.
type configure func(ctx context.Context, r *operator.Request, params *param.Reader, project string) (*param.Map, error)

// runJob returns a run of an operator that begins a BigQuery job and waits for its end (operators 10.3).
func (o *operators) runJob(configure configure) func(context.Context, *operator.Request) (operator.Outcome, error) {
	return func(ctx context.Context, r *operator.Request) (operator.Outcome, error) {
		params, err := r.Section("bq")
		if err != nil {
			return operator.Outcome{}, operator.Unretried(err)
		}
		s, err := o.begin(ctx, r)
		if err == nil {
			err = s.needProject()
		}
		if err != nil {
			return operator.Outcome{}, operator.Unretried(ended(ctx, err))
		}
		config, err := configure(ctx, r, params, s.project)
		if err != nil {
			return operator.Outcome{}, operator.Unretried(ended(ctx, err))
		}
		location, _, err := params.OptString("location")
		if err != nil {
			return operator.Outcome{}, operator.Unretried(err)
		}
		j := &job{session: s, request: r, location: location, steps: operator.NewSteps(ctx, r)}
		return j.run(ctx, config)
	}
}

// job is one run of the task of a job.
type job struct {
	session  *session
	request  *operator.Request
	location string // where it is looked for; empty for where BigQuery looks
	steps    *operator.Steps
	id       string
	links    []trowel.Link
}

func (j *job) run(ctx context.Context, config *param.Map) (operator.Outcome, error) {
	result, err := j.finish(ctx, config)
	if err = ended(ctx, err); err != nil && ctx.Err() != nil && j.steps.Job {
		err = operator.Later(0) // who comes next cancels the job, or goes on with it
	}
	outcome, err := j.steps.Outcome(operator.Outcome{Result: result}, worded(err))
	outcome.Links = j.links
	return outcome, err
}

// finish takes the job through all its steps and returns what it leaves behind.
func (j *job) finish(ctx context.Context, config *param.Map) (trowel.Result, error) {
	j.steps.Job = true // the run after this one may be lost when it has inserted the job
	id, err := j.steps.Constant(keyJobID, func() string { return newJobID(j.request.Lease) })
	if err != nil {
		return trowel.Result{}, err
	}
	j.id = id
	if err := j.start(ctx, config); err != nil {
		return trowel.Result{}, err
	}
	resource, err := j.wait(ctx)
	if err != nil {
		return trowel.Result{}, err
	}
	j.steps.Job = false
	if err := j.failure(resource); err != nil {
		return trowel.Result{}, err
	}
	fullID, _ := resource.Get("id")
	return trowel.Result{
		ResetKeys: []string{"bq.last_job_id", "bq.last_jobid"},
		Store:     param.Of("bq", param.Of("last_job_id", fullID, "last_jobid", fullID)),
	}, nil
}

// start inserts the job. From the request on there may be one. If there is one of that id, it is this task's.
func (j *job) start(ctx context.Context, config *param.Map) error {
	j.steps.Job = true
	_, err := j.steps.Once(operator.Retry{Key: keyStart, Passing: mayBeginLater}, func(*operator.Steps) (param.Value, error) {
		body := param.Of("configuration", config, "jobReference", param.Of("projectId", j.session.project, keyJobID, j.id))
		resource, err := j.session.call(ctx, http.MethodPost, path(j.session.client.bigQuery, "projects", j.session.project, "jobs"), body)
		if statusOf(err) == http.StatusConflict {
			err = nil
		}
		if err == nil {
			j.request.Log.Info("BigQuery job started", slog.String("job", j.session.project+":"+j.id))
			j.link(resource)
		}
		return nil, err
	})
	if err != nil && statusOf(err) != 0 && !mayBeginLater(err) {
		j.steps.Job = false // refused
	}
	return err
}

// wait returns the job's resource once it is done.
func (j *job) wait(ctx context.Context) (*param.Map, error) {
	var resource *param.Map
	address := path(j.session.client.bigQuery, "projects", j.session.project, "jobs", j.id) + inLocation(j.location)
	err := j.steps.Wait(operator.Wait{Key: keyRunning}, func(inner *operator.Steps) (done bool, err error) {
		err = inner.Retry(operator.Retry{Key: keyCheck, Passing: mayPass}, func(*operator.Steps) (err error) {
			resource, err = j.session.call(ctx, http.MethodGet, address, nil)
			return err
		})
		if err != nil {
			return false, err
		}
		switch state := memberText(resource, "status", "state"); state {
		case "DONE":
			return true, nil
		case "PENDING", "RUNNING":
			return false, nil
		default:
			return false, operator.Runtimef("Unknown job state: %s:%s: %s", j.session.project, j.id, state)
		}
	})
	if isMissing(err) {
		j.steps.Job = false
	}
	return resource, err
}

func inLocation(location string) string {
	if location == "" {
		return ""
	}
	return "?location=" + url.QueryEscape(location)
}

// failure returns the error of a job that has failed.
func (j *job) failure(resource *param.Map) error {
	status, _ := resource.Get("status")
	fields, _ := status.(*param.Map)
	reason, _ := fields.Get("errorResult")
	if reason == nil {
		return nil
	}
	var texts []string
	list, _ := fields.Get("errors")
	errors, _ := list.(param.List)
	for _, one := range errors {
		text := pretty(one)
		texts = append(texts, text)
		j.request.Log.Error("BigQuery job error", slog.String("reason", text))
	}
	return &operator.Failure{
		Message: fmt.Sprintf("BigQuery job failed: %s:%s", j.session.project, j.id),
		Props:   param.Of("errors", strings.Join(texts, ", ")),
	}
}

// link gives the task a link to the job's page, whose address has the location.
func (j *job) link(resource *param.Map) {
	location := memberText(resource, "jobReference", "location")
	if location == "" {
		location = j.location
	}
	if location == "" {
		return
	}
	query := url.Values{"project": {j.session.project}, "j": {"bq:" + location + ":" + j.id}, "page": {"queryresults"}}
	j.links = []trowel.Link{{Name: "BigQuery job", URL: "https://console.cloud.google.com/bigquery?" + query.Encode()}}
}

// memberText returns the text at a path in an object; empty if there is none.
func memberText(object *param.Map, keys ...string) string {
	var value param.Value = object
	for _, key := range keys {
		inner, _ := value.(*param.Map)
		value, _ = inner.Get(key)
	}
	text, _ := value.(string)
	return text
}

// cancelJob cancels the job of a killed task. Digdag leaves it running.
func (o *operators) cancelJob(ctx context.Context, r *operator.Request) error {
	id, found, err := param.NewReader(r.State).OptString(keyJobID)
	if err != nil || !found {
		return err
	}
	params, err := r.Section("bq")
	if err != nil {
		return err
	}
	location, _, err := params.OptString("location")
	if err != nil {
		return err
	}
	s, err := o.begin(ctx, r)
	if err == nil {
		err = s.needProject()
	}
	if err != nil {
		return err
	}
	_, err = s.call(ctx, http.MethodPost, path(s.client.bigQuery, "projects", s.project, "jobs", id, "cancel")+inLocation(location), nil)
	if isMissing(err) {
		return nil // it was never inserted, or is long gone
	}
	return worded(err)
}

// newJobID returns an id for the job of a task (operators 10.3). It tells where the job comes from.
func newJobID(lease *trowel.Lease) string {
	var project, workflow string
	if lease.Context != nil {
		project, workflow = lease.Context.Project.Name, lease.Context.Workflow.Name
	}
	suffix := "_" + uuid.NewString()
	prefix := fmt.Sprintf("digdag_s0_p_%s_w_%s_t_%d_a_%d", cut(plain(project), maxName), cut(plain(workflow), maxName), lease.TaskID, lease.AttemptID)
	return cut(prefix, maxJobID-len(suffix)) + suffix
}

// plain replaces the characters that ids of jobs cannot have; Digdag's jobs are refused then.
func plain(name string) string {
	return strings.Map(func(c rune) rune {
		switch {
		case c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z', c >= '0' && c <= '9', c == '_', c == '-':
			return c
		}
		return '_'
	}, name)
}

func cut(text string, most int) string { return text[:min(len(text), most)] }
