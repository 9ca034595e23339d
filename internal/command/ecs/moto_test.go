//go:build unix

package ecs

import (
	"bytes"
	"errors"
	"log/slog"
	"maps"
	"strings"
	"testing"
	"time"

	"github.com/trowel-project/trowel/internal/archive"
	"github.com/trowel-project/trowel/internal/command"
	"github.com/trowel-project/trowel/internal/command/commandtest"
	"github.com/trowel-project/trowel/internal/command/transfer/transfertest"
	"github.com/trowel-project/trowel/internal/param"
	"github.com/trowel-project/trowel/internal/trowtest/cloudtest"
)

// motoCluster is a cluster in moto, which runs no container: a task of it ends as it is looked at.
type motoCluster struct {
	*cloudtest.Amazon
	name, bucket string
	executor     *Executor
	client       *client
}

const (
	motoImage = "busybox:1"
	motoGroup = "/trowel"
)

// newMotoCluster makes a cluster with the task definition of an image. change is called with the settings of the executor.
func newMotoCluster(t *testing.T, change func(map[string]string)) *motoCluster {
	t.Helper()
	m := &motoCluster{Amazon: cloudtest.SignedMoto(t)}
	t.Setenv("AWS_ENDPOINT_URL", m.URL)
	m.bucket = m.Bucket(t)
	m.name = "c-" + strings.TrimPrefix(m.bucket, "trowel-")
	settings := map[string]string{
		"ecs.name": m.name, "ecs." + m.name + ".region": cloudtest.Region, "ecs." + m.name + ".access_key_id": m.KeyID, "ecs." + m.name + ".secret_access_key": m.Key,
		"ecs." + m.name + ".launch_type": "FARGATE", "ecs." + m.name + ".started_by": "trowel", "ecs." + m.name + ".max_retries": "0",
		"ecs.temporal_storage.type": "s3", "ecs.temporal_storage.s3.bucket": m.bucket, "ecs.temporal_storage.s3.endpoint": m.URL,
		"ecs.temporal_storage.s3.path-style-access": "true", "ecs.temporal_storage.s3.region": cloudtest.Region,
		"ecs.temporal_storage.s3.credentials.access-key-id": m.KeyID, "ecs.temporal_storage.s3.credentials.secret-access-key": m.Key,
	}
	if change != nil {
		change(settings)
	}
	m.executor = New(Options{Setting: transfertest.Setting(settings), Log: slog.New(slog.NewTextHandler(t.Output(), nil))})
	const short = 10 * time.Millisecond
	m.executor.times.look, m.executor.times.failed, m.executor.times.missing, m.executor.times.retry = short, short, short, short
	setup := New(Options{})
	var err error
	if m.client, err = setup.clientOf(t.Context(), &cluster{access: access{region: cloudtest.Region, keyID: m.KeyID, key: m.Key}}); err != nil {
		t.Fatal(err)
	}
	m.call(t, serviceECS(), "CreateCluster", map[string]any{"clusterName": m.name}, nil)
	m.call(t, serviceECS(), "RegisterTaskDefinition", map[string]any{
		"family": m.name, "tags": []any{map[string]any{"key": imageTag, "value": m.name + "/" + motoImage}},
		"containerDefinitions": []any{map[string]any{
			"name": "main", "image": motoImage, "memory": 128,
			"logConfiguration": map[string]any{"logDriver": "awslogs", "options": map[string]any{"awslogs-group": motoGroup + m.name, "awslogs-stream-prefix": "pre"}},
		}},
	}, nil)
	m.call(t, serviceLogs(), "CreateLogGroup", map[string]any{"logGroupName": motoGroup + m.name}, nil)
	return m
}

func (m *motoCluster) call(t *testing.T, s service, operation string, in, out any) {
	t.Helper()
	if err := m.client.call(t.Context(), s, operation, in, out); err != nil {
		t.Fatalf("%s: %v", operation, err)
	}
}

func (m *motoCluster) params() *param.Map {
	return param.Of("docker", param.Of("image", m.name+"/"+motoImage))
}

func (m *motoCluster) request(t *testing.T) *command.Request {
	t.Helper()
	return commandtest.NewRequest(t, &commandtest.Subject{Params: m.params()}, "echo ran")
}

// print does what a container does: it writes lines to its log.
func (m *motoCluster) print(t *testing.T, s *state, lines ...string) {
	t.Helper()
	m.call(t, serviceLogs(), "CreateLogStream", map[string]any{"logGroupName": s.logs.group, "logStreamName": s.logs.stream}, nil)
	events := []any{}
	for _, line := range lines {
		events = append(events, map[string]any{"timestamp": time.Now().UnixMilli(), "message": line})
	}
	m.call(t, serviceLogs(), "PutLogEvents", map[string]any{"logGroupName": s.logs.group, "logStreamName": s.logs.stream, "logEvents": events}, nil)
}

// A task is found by its image, run, and looked at to its end; its output and its files come back.
func TestMotoRun(t *testing.T) { //nolint:paralleltest // sets a variable
	m := newMotoCluster(t, nil)
	r := m.request(t)
	status, err := m.executor.Run(t.Context(), r)
	if err != nil {
		t.Fatal(err)
	}
	s, err := readState(status.State)
	if err != nil {
		t.Fatal(err)
	}
	var ran struct {
		Tasks []struct {
			StartedBy  string `json:"startedBy"`
			LaunchType string `json:"launchType"`
			Overrides  taskOverride
		}
	}
	m.call(t, serviceECS(), "DescribeTasks", map[string]any{"cluster": m.name, "tasks": []string{s.task}}, &ran)
	if len(ran.Tasks) != 1 || ran.Tasks[0].StartedBy != "trowel" || ran.Tasks[0].LaunchType != "FARGATE" {
		t.Fatalf("the task is %+v", ran.Tasks)
	}
	over := ran.Tasks[0].Overrides.Containers
	if len(over) != 1 || over[0].Name != "main" || !strings.Contains(strings.Join(over[0].Command, " "), "curl") || len(over[0].Environment) != 1 {
		t.Errorf("overrides %+v", over)
	}
	if keys := m.Keys(t, m.bucket); len(keys) != 1 || !strings.Contains(keys[0], "/archive-input-") {
		t.Errorf("the storage has %v, want the input", keys)
	}
	m.print(t, s, "ran", endMarker)
	var files bytes.Buffer
	left := t.TempDir()
	if err := archive.Pack(t.Context(), &files, left, archive.PackOptions{}); err != nil {
		t.Fatal(err)
	}
	m.Put(t, m.bucket, s.output, files.String(), nil)
	for looks := 0; !status.Finished; looks++ {
		if looks > 20 {
			t.Fatalf("no end after %d looks: %s", looks, param.JSON(status.State))
		}
		if status, err = m.executor.Poll(t.Context(), r, status.State); err != nil {
			t.Fatal(err)
		}
	}
	if status.ExitCode != 0 { // that of all containers in moto
		t.Errorf("exit code %d, want 0", status.ExitCode)
	}
	if got := r.Output.(*commandtest.Output).String(); got != "ran\n" {
		t.Errorf("output %q", got)
	}
}

func TestMotoStop(t *testing.T) { //nolint:paralleltest // sets a variable
	m := newMotoCluster(t, nil)
	r := m.request(t)
	status, err := m.executor.Run(t.Context(), r)
	if err != nil {
		t.Fatal(err)
	}
	if err := m.executor.Stop(t.Context(), r, status.State); err != nil {
		t.Fatal(err)
	}
	s, err := readState(status.State)
	if err != nil {
		t.Fatal(err)
	}
	var out struct {
		Tasks []struct {
			DesiredStatus string `json:"desiredStatus"`
		}
	}
	m.call(t, serviceECS(), "DescribeTasks", map[string]any{"cluster": m.name, "tasks": []string{s.task}}, &out)
	if len(out.Tasks) != 1 || out.Tasks[0].DesiredStatus != statusStopped {
		t.Errorf("the task is %+v, want it stopped", out.Tasks)
	}
}

func TestMotoFails(t *testing.T) { //nolint:paralleltest // sets a variable
	wrongKey := func(s map[string]string) { s["ecs."+s["ecs.name"]+".secret_access_key"] = "hush-hush-secret" }
	noCluster := func(s map[string]string) {
		for key, value := range maps.Clone(s) {
			s[strings.Replace(key, s["ecs.name"], "not-there", 1)] = value
		}
		s["ecs.name"] = "not-there"
	}
	noBucket := func(s map[string]string) { s["ecs.temporal_storage.s3.bucket"] += "-not-there" }
	for name, c := range map[string]struct { //nolint:paralleltest // as above
		change func(map[string]string)
		params *param.Map
		want   string
	}{
		"wrong key":     {wrongKey, nil, "(Service: AmazonECS; Status Code: 403; Error Code: 403 Forbidden;"},
		"no cluster":    {noCluster, nil, "Task failed during the task submission: Cluster not found."},
		"no bucket":     {noBucket, nil, "NoSuchBucket"},
		"no definition": {nil, param.Of("ecs", param.Of("task_definition_arn", "not-there:1")), "Unable to describe task definition."},
		"no image":      {nil, param.Of("docker", param.Of("image", "trowel-not-there")), "Not found task definition with 'digdag.docker.image' tag: trowel-not-there"},
	} {
		t.Run(name, func(t *testing.T) {
			m := newMotoCluster(t, c.change)
			r := m.request(t)
			if c.params != nil {
				r.Params = c.params
			}
			_, err := m.executor.Run(t.Context(), r)
			if err == nil || !strings.Contains(messageOf(err), c.want) || strings.Contains(messageOf(err), "hush-hush-secret") {
				t.Errorf("got %v, want %q", err, c.want)
			}
		})
	}
}

// messageOf returns what a task shows of an error.
func messageOf(err error) string {
	if refused, ok := errors.AsType[*command.Error](err); ok {
		return refused.Message
	}
	return err.Error()
}
