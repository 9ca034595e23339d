package aws

import (
	"context"
	"errors"
	"net/http"
	"slices"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/emr"

	"github.com/trowel-project/trowel/internal/operator"
	"github.com/trowel-project/trowel/internal/param"
)

// cancelEMR ends what a killed task has begun: its steps, or the cluster that it has made, unless that was to stay (auto_terminate:
// false, or termination_protected: true). Digdag leaves all of it running.
func (o *operators) cancelEMR(ctx context.Context, r *operator.Request) error {
	tag, found, err := param.NewReader(r.State).OptString(keyTag)
	if err != nil || !found {
		return err
	}
	e := &emrRun{operators: o, request: r, steps: operator.NewSteps(ctx, r)}
	if err := e.prepare(ctx, tag); err != nil {
		return err
	}
	if err := e.cancel(ctx); err != nil {
		return worded(err)
	}
	e.staging.clean(ctx, r.Log)
	return nil
}

func (e *emrRun) cancel(ctx context.Context) error {
	id, options, err := readCluster(e.params)
	if err != nil {
		return err
	}
	made, err := e.made(ctx, id)
	if err != nil || made == nil {
		return err
	}
	if made.isNew && ends(options) {
		_, err := e.client.TerminateJobFlows(ctx, &emr.TerminateJobFlowsInput{JobFlowIds: []string{made.cluster}})
		return unlessGone(err)
	}
	if len(made.steps) == 0 {
		if made.steps, err = e.listSteps(ctx, made.cluster); err != nil {
			return unlessGone(err)
		}
	}
	for ids := range slices.Chunk(made.steps, mostSteps) {
		_, err := e.client.CancelSteps(ctx, &emr.CancelStepsInput{ClusterId: aws.String(made.cluster), StepIds: ids})
		if err != nil {
			return unlessGone(err)
		}
	}
	return nil
}

// made returns what the state names, or else what the tag finds. It is nil if nothing was submitted.
func (e *emrRun) made(ctx context.Context, id string) (*submitted, error) {
	submission, err := e.steps.Read().OptMap(keySubmission)
	if err != nil {
		return nil, err
	}
	if value, _ := submission.Get("result"); value != nil {
		made := submittedOf(value)
		return &made, nil
	}
	found, err := e.find(ctx, id)
	return found, unlessGone(err)
}

// ends reports whether a cluster that a task makes ends with it.
func ends(options *param.Reader) bool {
	if options == nil {
		return false
	}
	ends, err := options.BoolOr("auto_terminate", true)
	protected, protectedErr := options.BoolOr("termination_protected", false)
	return ends && !protected && errors.Join(err, protectedErr) == nil
}

// unlessGone returns nil for the answer that there is no such cluster or step, or that it has ended.
func unlessGone(err error) error {
	if statusOf(err) == http.StatusBadRequest && !isThrottled(err) {
		return nil
	}
	return err
}
