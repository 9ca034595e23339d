package td

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/google/uuid"

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/operator"
	"github.com/trowel-project/trowel/internal/operator/td/tdclient"
)

// beginJob asks the service to begin a job and returns its id. The service begins no second job with the same domain key.
type beginJob func(ctx context.Context, domainKey string) (id string, err error)

// join begins a job if the state names none, and waits for its end in further runs (operators 8.1). It returns the id of the
// job once that has succeeded. The domain key is stored before it is sent, and the id before the job is waited for.
func (t *task) join(ctx context.Context, key string, begin beginJob) (id string, err error) {
	job, err := readJob(t.steps, key)
	if err != nil {
		return "", err
	}
	t.steps.Job = true
	switch {
	case job.domainKey == "" && job.id == "":
		job.domainKey = uuid.NewString()
		job.write(t.steps, key)
		err = operator.Later(0)
	case job.id == "":
		err = t.submit(ctx, key, job, begin)
	default:
		err = t.poll(ctx, key, job)
	}
	if _, again := errors.AsType[*operator.Again](err); !again {
		t.steps.Job = false
	}
	return job.id, err
}

func (t *task) submit(ctx context.Context, key string, job jobState, begin beginJob) error {
	id, err := begin(ctx, job.domainKey)
	switch {
	case err == nil:
		job.id, job.errorPolls = id, 0
		job.write(t.steps, key)
		t.say(ctx, "Started job "+id)
		t.link(id)
		return operator.Later(t.options.MinPoll)
	case ctx.Err() == nil && !passing(err):
		return err
	default:
		return t.later(ctx, key, job, err)
	}
}

// later asks for another run after a request failed in a way that may pass, or did not come to its end.
func (t *task) later(ctx context.Context, key string, job jobState, cause error) error {
	pause := doubled(t.options.MinRetry, t.options.MaxRetry, job.errorPolls)
	job.errorPolls++
	job.write(t.steps, key)
	if ctx.Err() != nil {
		return operator.Later(0)
	}
	return &operator.Again{After: max(pause, retryAfter(cause)), Cause: cause}
}

func (t *task) poll(ctx context.Context, key string, job jobState) error {
	status, err := t.client.Status(ctx, job.id)
	switch {
	case err != nil && (ctx.Err() != nil || passing(err)):
		return t.later(ctx, key, job, err)
	case err != nil:
		return err
	}
	t.progress.tell(t, ctx, job, status)
	switch {
	case !status.Ended():
		pause := doubled(t.options.MinPoll, t.options.MaxPoll, job.polls)
		job.polls, job.errorPolls = job.polls+1, 0
		job.write(t.steps, key)
		return operator.Later(pause)
	case status.Status != tdclient.StatusSuccess:
		return t.failed(ctx, key, job, status.Status)
	default:
		return nil
	}
}

// failed returns the failure of a job: what it has printed.
func (t *task) failed(ctx context.Context, key string, job jobState, status string) error {
	details, err := t.client.Details(ctx, job.id)
	switch {
	case err != nil && (ctx.Err() != nil || passing(err)):
		return t.later(ctx, key, job, err)
	case err != nil:
		return operator.Failuref("Job %s has ended with the status %s; what it printed cannot be read: %v", job.id, status, err)
	}
	return &operator.Failure{Message: lastPart(details.Output) + "\n" + lastPart(details.Errors)}
}

// maxPrinted is how much of what a job has printed is kept.
const maxPrinted = 1 << 20

// lastPart returns the end of a text that is too long to be kept.
func lastPart(text string) string {
	if len(text) <= maxPrinted {
		return text
	}
	return strings.ToValidUTF8(text[len(text)-maxPrinted:], "")
}

// link adds a link to the page of a job.
func (t *task) link(id string) {
	if url, ok := t.at.jobURL(id); ok {
		t.links = append(t.links, trowel.Link{Name: "td job " + id, URL: url})
	}
}

// doubled returns the pause after a number of pauses that double from low to high.
func doubled(low, high time.Duration, done int) time.Duration {
	pause := low
	for range min(done, 62) {
		if pause >= high {
			break
		}
		pause *= 2
	}
	return min(pause, high)
}

// mayHaveBegun reports whether the service may have begun the job of a state that names none. It has not if the run that made
// the domain key was the last one.
func (j *jobState) mayHaveBegun(lease *trowel.Lease) bool {
	return j.domainKey != "" && (j.errorPolls > 0 || lease.Try > lease.RetryCount+1)
}

// kill ends the job below a key of the state, if there may be one. What was sent without an answer that is known is sent again: the
// service names the job that it has begun, or begins it only to be ended. See kind.again for the ones that are not sent again.
func (t *task) kill(ctx context.Context, key string, begin func() (beginJob, error)) error {
	job, err := readJob(t.steps, key)
	if err != nil {
		return err
	}
	if job.id == "" {
		if !job.mayHaveBegun(t.r.Lease) {
			return nil
		}
		again, err := begin()
		if err != nil {
			return err
		}
		if job.id, err = again(ctx, job.domainKey); err != nil {
			if ctx.Err() == nil && !passing(err) {
				return nil // the service does not begin it
			}
			return withKind(err)
		}
	}
	if err := t.client.Kill(ctx, job.id); err != nil {
		return withKind(fmt.Errorf("kill job %s: %w", job.id, err))
	}
	t.say(ctx, "Killed job "+job.id)
	return nil
}
