package td

import (
	"github.com/trowel-project/trowel/internal/operator"
	"github.com/trowel-project/trowel/internal/param"
)

// Keys of the state (operators 8.1), which people see.
const (
	keyJob        = "job"
	keyPreviewJob = "previewJob"
	keyPollJob    = "pollJob"
	keyDoneJob    = "doneJobId"

	fieldID         = "jobId"
	fieldDomainKey  = "domainKey"
	fieldPolls      = "pollIteration"
	fieldErrorPolls = "errorPollIteration"
)

// jobState is what the state knows about a job.
type jobState struct {
	id        string // empty until the service has given one
	domainKey string // by which the service knows the job; empty until it is made
	polls     int    // how often it was looked at while it went on
	// errorPolls is how often in a row a request failed in a way that may pass. If there is no id, it is not known whether the
	// service has begun the job.
	errorPolls int
}

// readJob reads the state below a key.
func readJob(steps *operator.Steps, key string) (j jobState, err error) {
	section, err := steps.Read().OptMap(key)
	if err != nil {
		return j, err
	}
	state := param.NewReader(section)
	if j.id, err = state.StringOr(fieldID, ""); err != nil {
		return j, err
	}
	if j.domainKey, err = state.StringOr(fieldDomainKey, ""); err != nil {
		return j, err
	}
	if j.polls, err = state.IntOr(fieldPolls, 0); err != nil {
		return j, err
	}
	j.errorPolls, err = state.IntOr(fieldErrorPolls, 0)
	return j, err
}

// write stores the state below a key, with null for what there is not.
func (j *jobState) write(steps *operator.Steps, key string) {
	steps.State().Set(key, param.Of(
		fieldID, orNull(j.id, j.id == ""), fieldDomainKey, orNull(j.domainKey, j.domainKey == ""),
		fieldPolls, orNull(int64(j.polls), j.polls == 0), fieldErrorPolls, orNull(int64(j.errorPolls), j.errorPolls == 0),
	))
}

func orNull(value param.Value, null bool) param.Value {
	if null {
		return nil
	}
	return value
}

// migrate moves an old layout of the state, in which the fields of the job stand alone (operators 8.1).
func migrate(steps *operator.Steps) {
	state := steps.State()
	if state.Has(keyJob) || !state.Has(fieldID) && !state.Has(fieldDomainKey) {
		return
	}
	job := param.New()
	for _, field := range []string{fieldID, fieldDomainKey, fieldPolls} {
		if value, ok := state.Get(field); ok {
			job.Set(field, value)
			state.Delete(field)
		}
	}
	state.Set(keyJob, job)
}
