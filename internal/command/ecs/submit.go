package ecs

import (
	"context"
	"fmt"
	"log/slog"
	"strings"
	"time"

	"github.com/trowel-project/trowel/internal/blob/cloud"
	"github.com/trowel-project/trowel/internal/command"
	"github.com/trowel-project/trowel/internal/command/transfer"
	"github.com/trowel-project/trowel/internal/param"
	"github.com/trowel-project/trowel/internal/wait"
)

// submission is one call of Run.
type submission struct {
	executor *Executor
	cluster  *cluster
	client   *client
	storage  *transfer.Store
	request  *command.Request
	log      *slog.Logger
}

// run submits the command.
func (s *submission) run(ctx context.Context) (command.Status, error) {
	definition, err := s.findDefinition(ctx)
	if err != nil {
		return command.Status{}, err
	}
	folder := transfer.Folder(&s.request.Try)
	in, err := s.prepare(ctx, definition, folder)
	if err != nil {
		return command.Status{}, err
	}
	task, err := s.submit(ctx, in)
	if err != nil {
		return command.Status{}, err
	}
	st := &state{
		cluster: s.cluster.name, task: task.ARN, created: task.created(s.executor.now()), ioDir: s.request.IODir,
		output: transfer.OutputKey(folder), memory: s.memoryLimit(),
	}
	if dir := ioDirOf(task); dir != "" {
		st.ioDir = dir
	}
	if st.logs = s.streamOf(ctx, definition); st.logs != nil {
		st.logs.stream += "/" + arnID(task.ARN)
	}
	return command.Status{IODir: st.ioDir, State: st.stored(), Links: st.links(s.cluster.access.region)}, nil
}

// prepare uploads the files of the command and returns the request to ECS.
func (s *submission) prepare(ctx context.Context, definition *taskDefinition, folder string) (*runTask, error) {
	input := transfer.NewInput(folder)
	if err := transfer.Upload(ctx, s.storage, input.Key, s.request); err != nil {
		return nil, err
	}
	sh, err := s.script(ctx, input, folder)
	if err != nil {
		return nil, err
	}
	container := containerOverride{Name: definition.Containers[0].Name, Command: sh.command()}
	if err := s.setVariables(ctx, &container, folder); err != nil {
		return nil, err
	}
	s.setSizes(ctx, &container)
	c := s.cluster
	in := &runTask{
		Cluster: c.name, Count: 1, TaskDefinition: definition.ARN, LaunchType: c.launch, ClientToken: s.request.Try.Key(), StartedBy: c.startedBy,
		Overrides: taskOverride{Containers: []containerOverride{container}, CPU: c.taskCPU, Memory: c.taskMemory},
	}
	if len(c.subnets) > 0 {
		in.Network = &network{}
		in.Network.VPC.Subnets, in.Network.VPC.PublicIP = c.subnets, c.publicIP
	}
	if c.provider != "" {
		in.CapacityProviders = []capacityItem{{Provider: c.provider}}
	}
	if c.placement != "" {
		in.PlacementStrategies = []placement{{Type: c.placement, Field: c.placementField}}
	}
	return in, nil
}

// script returns what the container is to run, with signed URLs.
func (s *submission) script(ctx context.Context, input transfer.Input, folder string) (*script, error) {
	settings, r := s.executor.options.Setting, s.request
	sh := &script{uploadOptions: s.storage.UploadOptions(), ioDir: r.IODir, workDir: r.WorkDir, args: r.Args, input: input.Path}
	var err error
	if sh.downloads, err = settings.Int("ecs.retry_task_scripts_downloads", 8); err != nil {
		return nil, err
	}
	if sh.uploads, err = settings.Int("ecs.retry_task_output_uploads", 7); err != nil {
		return nil, err
	}
	if sh.failUploads, err = settings.Bool("ecs.enable_curl_fail_opt_on_uploads", false); err != nil {
		return nil, err
	}
	if sh.inputURL, err = s.storage.SignedGet(ctx, input.Key); err != nil {
		return nil, err
	}
	sh.outputURL, err = s.storage.SignedPut(ctx, transfer.OutputKey(folder))
	return sh, err
}

// setVariables gives the container the variables of the command, in the request or in a file of the temporal storage. A line
// of that file is one variable, so those with line breaks stand in the request.
func (s *submission) setVariables(ctx context.Context, container *containerOverride, folder string) error {
	container.Environment = []variable{}
	var lines []string
	for _, entry := range s.request.Env {
		name, value, _ := strings.Cut(entry, "=")
		if s.cluster.environmentFile && !strings.ContainsAny(value, "\r\n") {
			lines = append(lines, entry+"\n")
			continue
		}
		container.Environment = append(container.Environment, variable{Name: name, Value: value})
	}
	if !s.cluster.environmentFile {
		return nil
	}
	if s.storage.Kind != cloud.S3 {
		return param.Errorf("use_environment_file needs %secs.temporal_storage.type = s3", transfer.SettingsPrefix)
	}
	if len(container.Environment) == 0 {
		container.Environment = nil
	}
	key, text := transfer.NewVariables(folder), strings.Join(lines, "")
	if err := s.storage.Put(ctx, key, strings.NewReader(text), int64(len(text))); err != nil {
		return err
	}
	container.EnvironmentFiles = []environmentFile{{Type: "s3", Value: "arn:aws:s3:::" + s.storage.Bucket + "/" + s.storage.Prefix + key}}
	return nil
}

const (
	mostThrottled = 60
	mostUnknown   = 3
	reasonAgent   = "AGENT" // the agent of the machine that was chosen is not connected
)

// submit asks ECS for the task. The request has a client token, so it can be repeated: there will be one task. A task that an
// earlier process has got with the same token comes back as well.
func (s *submission) submit(ctx context.Context, in *runTask) (*task, error) {
	resubmitted, unknown := false, 0
	for throttled := 1; ; {
		if err := context.Cause(ctx); err != nil && unknown == 0 {
			return nil, err
		}
		// Once it was sent the answer must be known: a task that is killed meanwhile is stopped by its ARN.
		var out tasks
		err := s.client.call(context.WithoutCancel(ctx), serviceECS(), "RunTask", in, &out)
		switch {
		case isThrottled(err) && throttled < mostThrottled:
			if err := wait.Sleep(ctx, s.executor.times.throttle(throttled)); err != nil {
				return nil, err
			}
			throttled++
		case isUnknown(err) && unknown < mostUnknown: // ECS may have taken it
			if err := wait.Sleep(context.WithoutCancel(ctx), s.executor.times.resubmit); err != nil {
				return nil, err
			}
			unknown++
		case err != nil:
			return s.existing(ctx, err)
		case len(out.Tasks) > 0:
			return &out.Tasks[0], nil
		case !resubmitted && isAgentFailure(out.Failures):
			s.log.WarnContext(ctx, "the agent of a machine of ECS could not start the task, so it is submitted again")
			if err := wait.Sleep(ctx, s.executor.times.resubmit); err != nil {
				return nil, err
			}
			resubmitted = true
		default:
			return nil, &command.Error{Kind: "runtime", Message: "ECS has not started the task: " + failuresText(out.Failures)}
		}
	}
}

// existing returns the task that has the token already, or the error of a submission.
func (s *submission) existing(ctx context.Context, err error) (*task, error) {
	if refused := refusedBy(err); refused != nil && refused.code == "ConflictException" && len(refused.resources) > 0 {
		arn := refused.resources[0]
		found, err := s.client.describe(context.WithoutCancel(ctx), s.cluster.name, arn)
		if err != nil {
			return nil, told(err)
		}
		if found == nil {
			return nil, &command.Error{Kind: "runtime", Message: "ECS does not know the task any more that an earlier agent has started for this try: " + arn}
		}
		s.log.InfoContext(ctx, "the command goes on in the task of ECS that an earlier agent has started", slog.String("task", arn))
		return found, nil
	}
	if isWrong(err) {
		return nil, &param.Error{Message: fmt.Sprintf("Task failed during the task submission: %s", err)} // operators 4.4
	}
	return nil, told(err)
}

func isAgentFailure(failures []failure) bool {
	for i := range failures {
		if failures[i].Reason == reasonAgent {
			return true
		}
	}
	return false
}

func failuresText(failures []failure) string {
	var all []string
	for i := range failures {
		f := &failures[i]
		text := f.Reason
		if f.Detail != "" {
			text += " (" + f.Detail + ")"
		}
		if f.ARN != "" {
			text += " on " + f.ARN
		}
		all = append(all, text)
	}
	if len(all) == 0 {
		return "it gave no reason"
	}
	return strings.Join(all, ", ")
}

// stopTime is how long Stop waits for ECS.
const stopTime = 30 * time.Second
