package aws

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials/stscreds"
	"github.com/aws/aws-sdk-go-v2/service/emr"
	"github.com/aws/aws-sdk-go-v2/service/emr/types"
	"github.com/aws/aws-sdk-go-v2/service/kms"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/aws-sdk-go-v2/service/sts"

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/operator"
	"github.com/trowel-project/trowel/internal/param"
)

const (
	emrFailed = "EMR job failed" // operators 9.2
	// sessionTime is how long the keys of a role are good for.
	sessionTime = time.Hour
)

// Pauses (operators 9.2).
const (
	emrSubmitFirst = 30 * time.Second
	emrPollFirst   = 15 * time.Second
	emrLongest     = 5 * time.Minute
)

// Keys of the state (operators 9.2).
const (
	keyTag        = "tag"
	keySubmission = "submission"
	keySteps      = "steps"
	keyBootstrap  = "bootstrap"
	keyResult     = "result"
)

// emrRun is one run of an emr> task.
type emrRun struct {
	operators *operators
	request   *operator.Request
	params    *param.Reader
	steps     *operator.Steps
	tag       string
	region    string
	client    *emr.Client
	staging   *staging
	sealer    *sealer
	links     []trowel.Link
}

// submitted is what a submission has made.
type submitted struct {
	cluster string
	isNew   bool
	steps   []string // ids, in their order
}

// runEMR runs steps on a cluster, which it makes if it is to (operators 9.2).
func (o *operators) runEMR(ctx context.Context, r *operator.Request) (operator.Outcome, error) {
	e := &emrRun{operators: o, request: r, steps: operator.NewSteps(ctx, r)}
	e.steps.Job = true // the run after this one may be lost when it has submitted the steps
	tag, err := e.steps.Constant(keyTag, newTag)
	if err != nil {
		return e.steps.Outcome(operator.Outcome{}, err)
	}
	if err := e.prepare(ctx, tag); err != nil {
		return operator.Outcome{}, err
	}
	result, err := e.finish(ctx)
	if err = ended(ctx, err); err != nil && ctx.Err() != nil && e.steps.Job {
		err = operator.Later(0) // who comes next cancels the steps, or goes on with them
	}
	if _, again := errors.AsType[*operator.Again](err); !again && ctx.Err() == nil {
		e.staging.clean(ctx, r.Log)
	}
	outcome, err := e.steps.Outcome(operator.Outcome{Result: result}, worded(err))
	outcome.Links = e.links
	return outcome, err
}

// prepare reads what all runs need, and makes the clients.
func (e *emrRun) prepare(ctx context.Context, tag string) (err error) {
	e.tag = tag
	e.operators.warnOfProxy(e.request.Log)
	if e.params, err = e.request.Section("aws.emr", "aws"); err != nil {
		return err
	}
	bucket, prefix, err := readStaging(e.params)
	if err != nil {
		return err
	}
	keys, err := e.keys(ctx)
	if err != nil {
		return err
	}
	s3Place, err := e.placeOf(ctx, "s3")
	if err != nil {
		return err
	}
	emrPlace, err := e.placeOf(ctx, "emr")
	if err != nil {
		return err
	}
	kmsPlace, err := e.placeOf(ctx, "kms")
	if err != nil {
		return err
	}
	e.region = emrPlace.region
	e.client = emr.NewFromConfig(e.operators.config(emrPlace.region, keys), func(o *emr.Options) { o.BaseEndpoint = emrPlace.endpoint })
	files := s3.NewFromConfig(e.operators.config(s3Place.region, keys), func(o *s3.Options) {
		o.BaseEndpoint, o.HTTPClient = s3Place.endpoint, e.operators.uploads
	})
	crypt := kms.NewFromConfig(e.operators.config(kmsPlace.region, keys), func(o *kms.Options) { o.BaseEndpoint = kmsPlace.endpoint })
	e.staging = &staging{client: files, bucket: bucket, prefix: prefix, tag: tag, request: e.request, params: e.params}
	e.sealer = &sealer{client: crypt, request: e.request}
	return nil
}

// place is where a service is.
type place struct {
	region   string
	endpoint *string // nil for that of the region
}

// placeOf reads region and endpoint of a service. The names of the options contain that of the service.
func (e *emrRun) placeOf(ctx context.Context, service string) (at place, err error) {
	region, found, err := e.request.OptSecret(ctx, "aws."+service+".region", "aws.region")
	if err == nil && !found {
		region, found, err = e.params.OptString(service + ".region")
	}
	if err != nil {
		return at, err
	}
	endpoint, given, err := e.request.OptSecret(ctx, "aws."+service+".endpoint")
	if err == nil && !given {
		endpoint, given, err = e.params.OptString(service + ".endpoint")
	}
	if err != nil {
		return at, err
	}
	if at.region = region; !found {
		at.region = someRegion
	}
	if given {
		at.endpoint = aws.String(withScheme(endpoint))
		if known := regionOf(endpoint); known != "" {
			at.region = known
		}
		return at, nil
	}
	return at, checkRegion(at.region)
}

// keys returns the keys of the task, or those of the role that it takes on when they are first needed.
func (e *emrRun) keys(ctx context.Context) (aws.CredentialsProvider, error) {
	keys, err := keysOf(ctx, e.request, "emr")
	if err != nil {
		return nil, err
	}
	role, found, err := e.request.OptSecret(ctx, "aws.emr.role_arn", "aws.role_arn")
	if err != nil || !found {
		return keys, err
	}
	name, found, err := e.request.OptSecret(ctx, "aws.emr.role_session_name", "aws.role_session_name")
	if err != nil {
		return nil, err
	}
	if !found {
		name = "digdag-emr-" + e.tag
	}
	client := sts.NewFromConfig(e.operators.config(someRegion, keys))
	return aws.NewCredentialsCache(stscreds.NewAssumeRoleProvider(client, role, func(o *stscreds.AssumeRoleOptions) {
		o.RoleSessionName, o.Duration = name, sessionTime
	})), nil
}

// finish takes the task through its steps and returns what it leaves behind.
func (e *emrRun) finish(ctx context.Context) (result trowel.Result, err error) {
	value, err := e.steps.Once(operator.Retry{Key: keySubmission, Min: emrSubmitFirst, Max: emrLongest, Passing: mayPass}, func(*operator.Steps) (param.Value, error) {
		return e.submit(ctx)
	})
	if err != nil {
		return result, err
	}
	made := submittedOf(value)
	e.steps.Job = true
	if made.isNew {
		if err := e.waitForCluster(ctx, &made); err != nil {
			return result, err
		}
		result.ResetKeys = []string{"emr.last_cluster_id"}
		result.Store = param.Of("emr", param.Of("last_cluster_id", made.cluster))
	}
	failed, err := e.waitForSteps(ctx, made)
	if err != nil {
		return trowel.Result{}, err
	}
	e.steps.Job = false
	if failed {
		e.explain(ctx, made)
		return trowel.Result{}, operator.Failuref(emrFailed)
	}
	return result, nil
}

// submit begins the steps. Only the second try, which comes at once after the tag was stored, can know that nobody has done it before:
// any other one looks for the tag first, as EMR would begin the same steps twice.
func (e *emrRun) submit(ctx context.Context) (param.Value, error) {
	id, options, err := readCluster(e.params)
	if err != nil {
		return nil, err
	}
	var steps param.List
	if raw, _ := e.params.Value("steps"); raw != nil {
		if steps, err = e.params.ParsedList("steps"); err != nil {
			return nil, err
		}
	}
	if len(steps) == 0 {
		return nil, &operator.Error{Kind: operator.KindIllegalArgument, Message: noSteps}
	}
	if e.request.Lease.Try != 2 {
		e.steps.Job = true
		found, err := e.find(ctx, id)
		if err != nil {
			return nil, err
		}
		if found != nil {
			e.request.Log.Info("The steps were submitted before", slog.String("cluster", found.cluster))
			e.link(found.cluster)
			return found.value(), nil
		}
	}
	action, err := e.params.StringOr("action_on_failure", string(types.ActionOnFailureCancelAndWait))
	if err != nil {
		return nil, err
	}
	p := &plan{staging: e.staging, sealer: e.sealer, region: e.region}
	if p.action, err = actionOf(action); err != nil {
		return nil, err
	}
	made, err := e.send(ctx, p, id, options, steps)
	if err != nil {
		return nil, err
	}
	e.link(made.cluster)
	return made.value(), nil
}

// readCluster reads the option cluster: the id of a cluster, or the options of one to make.
func readCluster(params *param.Reader) (id string, options *param.Reader, err error) {
	raw, _ := params.Value("cluster")
	if text, isText := param.AsString(raw); isText {
		if object, err := param.ParseMap(text); err == nil {
			return "", param.NewReader(object), nil
		}
		return text, nil, nil
	}
	section, err := params.OptMap("cluster")
	if section == nil {
		section = param.New()
	}
	return "", param.NewReader(section), err
}

// send sends the request that begins the steps, once: it is not known whether a lost one was carried out.
func (e *emrRun) send(ctx context.Context, p *plan, id string, options *param.Reader, steps param.List) (made submitted, err error) {
	once := func(o *emr.Options) { o.Retryer = aws.NopRetryer{} }
	if id != "" {
		configs, err := p.steps(ctx, steps)
		if err != nil {
			return made, err
		}
		e.steps.Job = true
		answer, err := e.client.AddJobFlowSteps(ctx, &emr.AddJobFlowStepsInput{JobFlowId: aws.String(id), Steps: configs}, once)
		if err != nil {
			return made, e.refused(err)
		}
		return submitted{cluster: id, steps: answer.StepIds}, nil
	}
	in, err := p.newCluster(ctx, options, steps)
	if err != nil {
		return made, err
	}
	e.steps.Job = true
	answer, err := e.client.RunJobFlow(ctx, in, once)
	if err != nil {
		return made, e.refused(err)
	}
	return submitted{cluster: aws.ToString(answer.JobFlowId), isNew: true}, nil
}

// refused notes that nothing was begun, if the service says so.
func (e *emrRun) refused(err error) error {
	if !mayPass(err) {
		e.steps.Job = false
	}
	return err
}

// find looks for what an earlier try of the task has submitted. It returns nil if there is nothing.
func (e *emrRun) find(ctx context.Context, id string) (*submitted, error) {
	if id != "" {
		steps, err := e.listSteps(ctx, id)
		if err != nil || len(steps) == 0 {
			return nil, err
		}
		return &submitted{cluster: id, steps: steps}, nil
	}
	since := e.request.Lease.StartedAt.Add(-time.Hour)
	pages := emr.NewListClustersPaginator(e.client, &emr.ListClustersInput{CreatedAfter: aws.Time(since)})
	for pages.HasMorePages() {
		page, err := pages.NextPage(ctx)
		if err != nil {
			return nil, err
		}
		for i := range page.Clusters {
			if strings.Contains(aws.ToString(page.Clusters[i].Name), tagged("", e.tag)) {
				return &submitted{cluster: aws.ToString(page.Clusters[i].Id), isNew: true}, nil
			}
		}
	}
	return nil, nil //nolint:nilnil // nothing was submitted
}

// listSteps returns the ids of the task's steps on a cluster, in their order. The service lists the newest first.
func (e *emrRun) listSteps(ctx context.Context, cluster string) (ids []string, err error) {
	pages := emr.NewListStepsPaginator(e.client, &emr.ListStepsInput{ClusterId: aws.String(cluster)})
	for pages.HasMorePages() {
		page, err := pages.NextPage(ctx)
		if err != nil {
			return nil, err
		}
		for i := range page.Steps {
			if strings.Contains(aws.ToString(page.Steps[i].Name), tagged("", e.tag)) {
				ids = append(ids, aws.ToString(page.Steps[i].Id))
			}
		}
	}
	slices.Reverse(ids)
	return ids, nil
}

func (s submitted) value() param.Value {
	steps := make(param.List, len(s.steps))
	for i, id := range s.steps {
		steps[i] = id
	}
	return param.Of("cluster_id", s.cluster, "new_cluster", s.isNew, "step_ids", steps)
}

func submittedOf(value param.Value) (s submitted) {
	object, _ := value.(*param.Map)
	fields := param.NewReader(object)
	s.cluster, _ = fields.StringOr("cluster_id", "")
	s.isNew, _ = fields.BoolOr("new_cluster", false)
	s.steps, _ = textList(fields, "step_ids")
	return s
}

// waitForCluster finds out the ids of the steps of a new cluster, and waits until it has begun or ended.
func (e *emrRun) waitForCluster(ctx context.Context, made *submitted) error {
	listed, err := e.steps.Once(operator.Retry{Key: keySteps, Min: emrSubmitFirst, Max: emrLongest, Passing: mayPass}, func(*operator.Steps) (param.Value, error) {
		ids, err := e.listSteps(ctx, made.cluster)
		return submitted{cluster: made.cluster, steps: ids}.value(), err
	})
	if err != nil {
		return err
	}
	if made.steps = submittedOf(listed).steps; len(made.steps) == 0 {
		return operator.Runtimef("the cluster %s has no steps of the task", made.cluster)
	}
	return e.steps.Wait(operator.Wait{Key: keyBootstrap, Min: emrSubmitFirst, Max: emrLongest}, func(inner *operator.Steps) (ready bool, err error) {
		err = inner.Retry(operator.Retry{Key: "poll", Passing: mayPass}, func(*operator.Steps) error {
			answer, err := e.client.DescribeCluster(ctx, &emr.DescribeClusterInput{ClusterId: aws.String(made.cluster)})
			if err != nil {
				return err
			}
			switch state := clusterState(answer.Cluster); state { //nolint:exhaustive // all others are ready
			case types.ClusterStateStarting, types.ClusterStateBootstrapping, "":
				e.request.Log.Info("Waiting for the cluster", slog.String("cluster", made.cluster), slog.String("state", string(state)))
			default:
				ready = true
			}
			return nil
		})
		return ready, err
	})
}

func clusterState(cluster *types.Cluster) types.ClusterState {
	if cluster == nil || cluster.Status == nil {
		return ""
	}
	return cluster.Status.State
}

// waitForSteps waits for the end of the last step, and returns whether it has failed.
func (e *emrRun) waitForSteps(ctx context.Context, made submitted) (failed bool, err error) {
	if len(made.steps) == 0 {
		return false, operator.Runtimef("the service has not said which steps it has added to the cluster %s", made.cluster)
	}
	err = e.steps.Wait(operator.Wait{Key: keyResult, Min: emrPollFirst, Max: emrLongest}, func(inner *operator.Steps) (done bool, err error) {
		err = inner.Retry(operator.Retry{Key: "poll", Passing: mayPass}, func(*operator.Steps) (err error) {
			done, failed, err = e.check(ctx, made)
			return err
		})
		return done, err
	})
	return failed, err
}

func (e *emrRun) check(ctx context.Context, made submitted) (done, failed bool, err error) {
	running, err := e.client.ListSteps(ctx, &emr.ListStepsInput{ClusterId: aws.String(made.cluster), StepStates: []types.StepState{types.StepStateRunning}})
	if err != nil {
		return false, false, err
	}
	for i := range running.Steps {
		step := &running.Steps[i]
		e.request.Log.Info("Running step", slog.String("step", aws.ToString(step.Id)), slog.String("name", aws.ToString(step.Name)))
	}
	last := made.steps[len(made.steps)-1]
	answer, err := e.client.DescribeStep(ctx, &emr.DescribeStepInput{ClusterId: aws.String(made.cluster), StepId: aws.String(last)})
	if err != nil {
		return false, false, err
	}
	if answer.Step == nil || answer.Step.Status == nil {
		return false, false, nil
	}
	switch answer.Step.Status.State { //nolint:exhaustive // all others go on
	case types.StepStateCompleted:
		return true, false, nil
	case types.StepStateCancelPending, types.StepStateCancelled, types.StepStateFailed, types.StepStateInterrupted:
		return true, true, nil
	}
	return false, false, nil
}

// mostSteps is how many steps can be asked for by their ids at once.
const mostSteps = 10

// explain writes into the task's log what became of its steps.
func (e *emrRun) explain(ctx context.Context, made submitted) {
	for ids := range slices.Chunk(made.steps, mostSteps) {
		answer, err := e.client.ListSteps(ctx, &emr.ListStepsInput{ClusterId: aws.String(made.cluster), StepIds: ids})
		if err != nil {
			e.request.Log.Warn("cannot list the steps", slog.Any("error", worded(err)))
			return
		}
		for i := range answer.Steps {
			e.request.Log.Error("EMR step", slog.String("step", describe(&answer.Steps[i])))
		}
	}
}

func describe(step *types.StepSummary) string {
	text := fmt.Sprintf("%s (%s)", aws.ToString(step.Name), aws.ToString(step.Id))
	if step.Status == nil {
		return text
	}
	text += ": " + string(step.Status.State)
	if reason := step.Status.StateChangeReason; reason != nil && aws.ToString(reason.Message) != "" {
		text += ", " + aws.ToString(reason.Message)
	}
	if failure := step.Status.FailureDetails; failure != nil {
		for _, part := range []*string{failure.Reason, failure.Message, failure.LogFile} {
			if part != nil {
				text += ", " + *part
			}
		}
	}
	return text
}

// link gives the task a link to the cluster's page.
func (e *emrRun) link(cluster string) {
	e.links = []trowel.Link{{
		Name: "EMR cluster",
		URL:  "https://" + e.region + ".console.aws.amazon.com/emr/home?region=" + url.QueryEscape(e.region) + "#/clusterDetails/" + url.PathEscape(cluster),
	}}
}
