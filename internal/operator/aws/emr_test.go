package aws_test

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/trowel-project/trowel/internal/operator"
	"github.com/trowel-project/trowel/internal/operator/aws"
	"github.com/trowel-project/trowel/internal/operator/operatortest"
	"github.com/trowel-project/trowel/internal/param"
)

func contextFor(t *testing.T, length time.Duration) (context.Context, context.CancelFunc) {
	t.Helper()
	return context.WithTimeout(t.Context(), length)
}

// cloud is a fake of EMR and S3.
type cloud struct {
	*httptest.Server
	mu sync.Mutex
	// lost says how often the answer to an operation is lost after it was carried out.
	lost     map[string]int
	refused  map[string]string // messages by operation
	state    string            // of all steps
	calls    []string          // operations
	inputs   map[string]*param.Map
	steps    []string // names, in order
	clusters []string // names
	objects  map[string]string
}

func newCloud(t *testing.T) *cloud {
	t.Helper()
	c := &cloud{lost: map[string]int{}, refused: map[string]string{}, state: "COMPLETED", inputs: map[string]*param.Map{}, objects: map[string]string{}}
	c.Server = httptest.NewServer(http.HandlerFunc(c.serve))
	t.Cleanup(c.Close)
	return c
}

func (c *cloud) serve(w http.ResponseWriter, r *http.Request) {
	c.mu.Lock()
	defer c.mu.Unlock()
	body, _ := io.ReadAll(r.Body)
	_, operation, isEMR := strings.Cut(r.Header.Get("X-Amz-Target"), ".")
	if !isEMR {
		c.serveS3(w, r, string(body))
		return
	}
	in, _ := param.ParseMap(string(body))
	c.calls, c.inputs[operation] = append(c.calls, operation), in
	w.Header().Set("Content-Type", "application/x-amz-json-1.1")
	if message := c.refused[operation]; message != "" {
		w.WriteHeader(http.StatusBadRequest)
		_, _ = io.WriteString(w, `{"__type": "ValidationException", "message": "`+message+`"}`)
		return
	}
	answer := c.answer(operation, in)
	if c.lost[operation] > 0 {
		c.lost[operation]--
		panic(http.ErrAbortHandler)
	}
	_ = json.NewEncoder(w).Encode(answer)
}

func (c *cloud) answer(operation string, in *param.Map) map[string]any {
	var ids []string
	switch operation {
	case "AddJobFlowSteps", "RunJobFlow":
		list, _ := in.Get("Steps")
		for _, step := range list.(param.List) {
			name, _ := step.(*param.Map).Get("Name")
			c.steps = append(c.steps, name.(string))
			ids = append(ids, "s-"+string(rune('0'+len(c.steps))))
		}
		if operation == "RunJobFlow" {
			name, _ := in.Get("Name")
			c.clusters = append(c.clusters, name.(string))
		}
		return map[string]any{"StepIds": ids, "JobFlowId": "j-1"}
	case "ListSteps":
		var steps []map[string]any
		for i, name := range c.steps {
			steps = append(steps, map[string]any{"Id": "s-" + string(rune('1'+i)), "Name": name, "Status": map[string]any{"State": c.state, "StateChangeReason": map[string]any{"Message": "because"}}})
		}
		slices.Reverse(steps)
		return map[string]any{"Steps": steps}
	case "ListClusters":
		clusters := []map[string]any{{"Id": "j-0", "Name": "another"}}
		for _, name := range c.clusters {
			clusters = append(clusters, map[string]any{"Id": "j-1", "Name": name})
		}
		return map[string]any{"Clusters": clusters}
	case "DescribeCluster":
		return map[string]any{"Cluster": map[string]any{"Id": "j-1", "Status": map[string]any{"State": "RUNNING"}}}
	case "DescribeStep":
		return map[string]any{"Step": map[string]any{"Status": map[string]any{"State": c.state}}}
	}
	return map[string]any{}
}

func (c *cloud) serveS3(w http.ResponseWriter, r *http.Request, body string) {
	switch r.Method {
	case http.MethodPut:
		c.objects[r.URL.Path] = body
	case http.MethodGet:
		text := "<ListBucketResult>"
		for key := range c.objects {
			if key = strings.TrimPrefix(key, "/stage/"); strings.HasPrefix(key, r.URL.Query().Get("prefix")) {
				text += "<Contents><Key>" + key + "</Key></Contents>"
			}
		}
		_, _ = io.WriteString(w, text+"</ListBucketResult>")
	case http.MethodPost:
		for _, key := range regexp.MustCompile(`<Key>(.*?)</Key>`).FindAllStringSubmatch(body, -1) {
			delete(c.objects, "/stage/"+key[1])
		}
		_, _ = io.WriteString(w, "<DeleteResult></DeleteResult>")
	}
}

// task returns a task whose secrets lead to the fake. Its next run is a try of that number.
func (c *cloud) task(t *testing.T, try int, own *param.Map) *operatortest.Fixture {
	t.Helper()
	f := operatortest.New(t, aws.Table(aws.Options{}), own).Secrets(with(map[string]string{
		"aws.emr.endpoint": c.URL, "aws.s3.endpoint": c.URL, "aws.kms.endpoint": c.URL, "aws.region": "eu-west-1",
	}))
	f.Request.Lease.Try, f.Request.Lease.StartedAt = try, time.Now()
	return f
}

// existing is a task with two steps on a cluster.
func existing() *param.Map {
	return param.Of("emr>", nil, "cluster", "j-1", "staging", "s3://stage/pre", "steps", param.List{
		param.Of("type", "script", "script", "sub/x.sh", "args", param.List{int64(1), "b"}),
		param.Of("type", "command", "command", "ls", "name", "List"),
	})
}

func TestEMRSteps(t *testing.T) {
	t.Parallel()
	c := newCloud(t)
	c.objects["/stage/other/of-others"] = "x"
	f := c.task(t, 1, existing()).File("sub/x.sh", "echo ${a}")
	first, err := f.Run()
	if err != nil || first.Again == nil || !first.Again.Job || len(c.calls) != 0 {
		t.Fatalf("the first run: %+v, %v, calls %v; want the tag stored before anything else, and that there may be a job", first, err, c.calls)
	}
	f.State, f.Request.Lease.Try = first.Again.State, 2
	outcome, _, err := f.RunToEnd()
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"AddJobFlowSteps", "ListSteps", "DescribeStep"}, c.calls); diff != "" {
		t.Errorf("calls (-want +got):\n%s", diff)
	}
	if want := "https://eu-west-1.console.aws.amazon.com/emr/home?region=eu-west-1#/clusterDetails/j-1"; len(outcome.Links) != 1 || outcome.Links[0].URL != want {
		t.Errorf("links %v, want %s", outcome.Links, want)
	}
	if diff := cmp.Diff(map[string]string{"/stage/other/of-others": "x"}, c.objects); diff != "" {
		t.Errorf("what is left in the bucket (-want +got):\n%s", diff)
	}
	if outcome.Result.Store != nil {
		t.Errorf("stored %s", param.JSON(outcome.Result.Store))
	}
}

// An answer that is lost, or a run whose outcome was never stored, does not begin the steps again.
func TestEMRSubmittedOnce(t *testing.T) {
	t.Parallel()
	cluster := existing()
	cluster.Set("cluster", param.Of("ec2", param.Of("key", "k")))
	for name, own := range map[string]*param.Map{"steps": existing(), "cluster": cluster} {
		c := newCloud(t)
		c.lost["AddJobFlowSteps"], c.lost["RunJobFlow"] = 1, 1
		f := c.task(t, 1, own).File("sub/x.sh", "")
		for try := 1; ; try++ {
			f.Request.Lease.Try = try
			outcome, err := f.Run()
			if err != nil || try > 20 {
				t.Fatalf("%s: try %d: %v", name, try, err)
			}
			if outcome.Again == nil {
				break
			}
			if try == 3 {
				continue // killed before the outcome was stored
			}
			f.State = outcome.Again.State
		}
		if len(c.steps) != 2 || len(c.clusters) > 1 {
			t.Errorf("%s: steps %v, clusters %v; want them once", name, c.steps, c.clusters)
		}
	}
}

func TestEMRNewCluster(t *testing.T) {
	t.Parallel()
	c := newCloud(t)
	own := existing()
	own.Set("cluster", param.JSON(param.Of(
		"name", "N", "applications", param.List{"Spark"}, "logs", "s3://logs/", "configurations", param.List{"conf.json", param.Of("classification", "b", "properties", param.Of("n", 1))},
		"bootstrap", param.List{"s3://x/boot.sh"},
		"ec2", param.Of("key", "k", "subnet_id", "sn", "core", param.Of("count", 2, "ebs", param.Of("devices", param.List{param.Of("volume_specification", param.Of("size_in_gb", 8, "type", "gp2"))})), "task", param.List{param.Of("type", "t", "count", 1, "market", "SPOT", "bid_price", 0.5)}),
	)))
	f := c.task(t, 2, own).File("sub/x.sh", "").File("conf.json", `[{"Classification": "a", "Properties": {"p": "${n}"}}]`).With("n", 5)
	f.State = param.Of("tag", "ABCDEFGHIJKLM")
	outcome, _, err := f.RunToEnd()
	if err != nil {
		t.Fatal(err)
	}
	if got := param.JSON(outcome.Result.Store); got != `{"emr":{"last_cluster_id":"j-1"}}` {
		t.Errorf("stored %s", got)
	}
	in := c.inputs["RunJobFlow"]
	for key, want := range map[string]string{
		"Name": `"N (ABCDEFGHIJKLM)"`, "ReleaseLabel": `"emr-5.2.0"`, "JobFlowRole": `"EMR_EC2_DefaultRole"`, "ServiceRole": `"EMR_DefaultRole"`, "LogUri": `"s3://logs/"`,
		"Applications": `[{"Name":"Spark"}]`, "Tags": `[{"Key":"DIGDAG_CLUSTER_ID","Value":"ABCDEFGHIJKLM"}]`, "VisibleToAllUsers": `true`,
		"Configurations": `[{"Classification":"a","Properties":{"p":"5"}},{"Classification":"b","Properties":{"n":"1"}}]`,
	} {
		got, _ := in.Get(key)
		if param.JSON(got) != want {
			t.Errorf("%s is %s, want %s", key, param.JSON(got), want)
		}
	}
	instances, _ := in.Get("Instances")
	wantInstances, _ := param.Parse(`{"Ec2KeyName": "k", "Ec2SubnetId": "sn", "KeepJobFlowAliveWhenNoSteps": false, "TerminationProtected": false, "InstanceGroups": [
		{"Name": "Master", "InstanceRole": "MASTER", "InstanceType": "m4.2xlarge", "InstanceCount": 1},
		{"Name": "Core", "InstanceRole": "CORE", "InstanceType": "m4.xlarge", "InstanceCount": 2, "EbsConfiguration": {"EbsBlockDeviceConfigs": [{"VolumeSpecification": {"SizeInGB": 8, "VolumeType": "gp2"}}]}},
		{"Name": "Task 1", "InstanceRole": "TASK", "InstanceType": "t", "InstanceCount": 1, "Market": "SPOT", "BidPrice": "0.5"}]}`)
	if !sameMembers(instances, wantInstances) {
		t.Errorf("instances %s", param.JSON(instances))
	}
	actions, _ := in.Get("BootstrapActions")
	if got := tagForm.ReplaceAllString(param.JSON(actions), "R"); !strings.Contains(got, `"Args":["s3://stage/pre/R/bootstrap/1/R/config.json"]`) || !strings.Contains(got, `"Path":"s3://stage/pre/R/shared/scripts/R/runner.py"`) || !strings.Contains(got, `"Name":"boot.sh"`) {
		t.Errorf("bootstrap %s", got)
	}
}

var tagForm = regexp.MustCompile(`\b[A-Z2-7]{13}\b`)

// sameMembers compares values whose objects may have any order.
func sameMembers(a, b param.Value) bool {
	var x, y any
	return json.Unmarshal([]byte(param.JSON(a)), &x) == nil && json.Unmarshal([]byte(param.JSON(b)), &y) == nil && cmp.Equal(x, y)
}

func TestEMRFails(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		change func(*cloud, *param.Map)
		want   string
	}{
		"step failed":      {func(c *cloud, _ *param.Map) { c.state = "FAILED" }, "EMR job failed"},
		"step cancelled":   {func(c *cloud, _ *param.Map) { c.state = "CANCELLED" }, "EMR job failed"},
		"refused":          {func(c *cloud, _ *param.Map) { c.refused["AddJobFlowSteps"] = "no" }, "no (Service: AmazonElasticMapReduce; Status Code: 400; Error Code: ValidationException; Request ID: null) (amazon elastic map reduce)"},
		"step disappeared": {func(c *cloud, _ *param.Map) { c.refused["DescribeStep"] = "gone" }, "gone (Service: AmazonElasticMapReduce; Status Code: 400; Error Code: ValidationException; Request ID: null) (amazon elastic map reduce)"},
		"no staging":       {func(_ *cloud, own *param.Map) { own.Delete("staging") }, "Please configure a S3 'staging' directory (config)"},
		"missing file": {func(_ *cloud, own *param.Map) {
			own.Set("steps", param.List{param.Of("type", "hive", "script", "n.hql")})
		}, "File not found: DIR/n.hql (config)"},
		"unknown type": {func(_ *cloud, own *param.Map) { own.Set("steps", param.List{param.Of("type", "x")}) }, "Unsupported step type: x (runtime)"},
		"no steps":     {func(_ *cloud, own *param.Map) { own.Set("steps", param.List{}) }, "steps (illegal argument)"},
		"no ec2":       {func(_ *cloud, own *param.Map) { own.Delete("cluster") }, "Parameter 'ec2' is required but not set (config)"},
		"scala with args": {func(_ *cloud, own *param.Map) {
			own.Set("steps", param.List{param.Of("type", "spark", "application", "a.scala", "args", param.List{"x"})})
		}, `The 'args' parameter is not supported for Spark shell scala scripts, got: ["x"] (config)`},
		"secret with spaces": {func(_ *cloud, own *param.Map) {
			own.Set("steps", param.List{param.Of("type", "command", "command", "x", "args", param.List{"${ secret :aws.access_key_id}"})})
		}, "Secret not found for key: 'aws.emr.kms_key_id' (secret not found)"},
		"no key for KMS": {func(_ *cloud, own *param.Map) {
			own.Set("steps", param.List{param.Of("type", "command", "command", "x", "args", param.List{"${secret:aws.access_key_id}"})})
		}, "Secret not found for key: 'aws.emr.kms_key_id' (secret not found)"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			fake, own := newCloud(t), existing()
			c.change(fake, own)
			f := fake.task(t, 2, own).File("sub/x.sh", "")
			f.State = param.Of("tag", "ABCDEFGHIJKLM")
			_, _, err := f.RunToEnd()
			if got := strings.ReplaceAll(operatortest.Message(err), f.Project, "DIR"); got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
			if len(fake.objects) != 0 {
				t.Errorf("staged files are left: %v", fake.objects)
			}
		})
	}
}

// An answer without an end is given up. The task does not ask again for it.
func TestEMRLargeAnswer(t *testing.T) {
	t.Parallel()
	for _, status := range []int{http.StatusOK, http.StatusBadRequest} {
		requests := 0
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.Header.Get("X-Amz-Target") == "" {
				return
			}
			requests++
			w.WriteHeader(status)
			_, err := io.WriteString(w, `{"Message": "`)
			for err == nil {
				_, err = io.WriteString(w, strings.Repeat("x", 1<<20))
			}
		}))
		own := existing()
		own.Set("steps", param.List{param.Of("type", "command", "command", "ls")})
		f := operatortest.New(t, aws.Table(aws.Options{}), own).Secrets(with(map[string]string{"aws.emr.endpoint": server.URL, "aws.s3.endpoint": server.URL, "aws.region": "eu-west-1"}))
		f.Request.Lease.Try, f.Request.Lease.StartedAt = 2, time.Now()
		f.State = param.Of("tag", "ABCDEFGHIJKLM")
		outcome, err := f.Run()
		if err == nil || len(err.Error()) > 1000 || requests != 1 {
			t.Errorf("status %d: %+v, %.1000v after %d requests, want an error after one", status, outcome.Again, err, requests)
		}
		server.Close()
	}
}

// A killed task ends what it has begun, and nothing else.
func TestEMRCancel(t *testing.T) {
	t.Parallel()
	submitted := func(isNew bool) *param.Map {
		return param.Of("tag", "ABCDEFGHIJKLM", "submission", param.Of("done", true, "result", param.Of("cluster_id", "j-1", "new_cluster", isNew, "step_ids", param.List{"s-1", "s-2"})))
	}
	ec2 := param.Of("key", "k")
	for name, c := range map[string]struct {
		cluster param.Value
		state   *param.Map
		steps   []string
		want    string
	}{
		"steps":            {"j-1", submitted(false), nil, "CancelSteps"},
		"cluster":          {param.Of("ec2", ec2), submitted(true), nil, "TerminateJobFlows"},
		"cluster stays":    {param.Of("ec2", ec2, "auto_terminate", false), submitted(true), nil, "CancelSteps"},
		"cluster is safe":  {param.Of("ec2", ec2, "termination_protected", true), submitted(true), nil, "CancelSteps"},
		"nothing":          {"j-1", param.Of("tag", "ABCDEFGHIJKLM"), nil, "ListSteps"},
		"answer not known": {"j-1", param.Of("tag", "ABCDEFGHIJKLM"), []string{"a (ABCDEFGHIJKLM)", "b (ANOTHERANOTHE)"}, "ListSteps CancelSteps"},
	} {
		fake, own := newCloud(t), existing()
		own.Set("cluster", c.cluster)
		fake.steps = c.steps
		f := fake.task(t, 3, own)
		f.State = c.state
		selection, _, err := operator.Select(param.Merged(f.Inherited, f.Own))
		if err != nil {
			t.Fatal(err)
		}
		r := f.Request
		r.Params, r.Local, r.State, r.Project = param.NewReader(selection.Config), f.Own, f.State, f.Project
		if err := f.Table.Cancel(t.Context(), selection.Type, &r); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if got := strings.Join(fake.calls, " "); got != c.want {
			t.Errorf("%s: calls %s, want %s", name, got, c.want)
		}
		if c.steps != nil {
			ids, _ := fake.inputs["CancelSteps"].Get("StepIds")
			if param.JSON(ids) != `["s-1"]` {
				t.Errorf("%s: cancelled %s, want the task's own step", name, param.JSON(ids))
			}
		}
	}
}

// The program that runs on the cluster downloads, decrypts and runs, with the Python that is there.
func TestRunner(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	fake := "#!/bin/sh\ncase $1 in\ns3) cp \"$(echo \"$4\" | sed 's,^s3:/,,')\" \"$5\" ;;\nkms) echo aGlkZGVu ;;\nesac\n"
	config := param.Of(
		"working_directory", dir+"/wd", "download", param.List{param.Of("src", "s3:/"+dir+"/script", "dst", dir+"/in/script", "mode", 511)},
		"env", param.Of("PW", param.Of("type", "kms_encrypted", "value", "eA==")),
		"command", param.List{param.Of("type", "plain", "value", dir+"/in/script"), param.Of("type", "plain", "value", "a b")},
	)
	for name, text := range map[string]string{"aws": fake, "script": "#!/bin/sh\necho \"$1 $PW $(basename $PWD)\"\nexit 7\n", "config.json": param.JSON(config)} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o700); err != nil { //nolint:gosec // programs
			t.Fatal(err)
		}
	}
	python, err := exec.CommandContext(t.Context(), "python3", "-c", "import sys; print(sys.executable)").Output()
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(strings.TrimSpace(string(python)), filepath.Join(dir, "python3")); err != nil {
		t.Fatal(err)
	}
	run := exec.CommandContext(t.Context(), "sh", "cluster/runner.py", "s3:/"+dir+"/config.json")
	run.Env = append(os.Environ(), "PATH="+dir+string(os.PathListSeparator)+os.Getenv("PATH"))
	out, err := run.CombinedOutput()
	if string(out) != "a b hidden wd\n" || run.ProcessState.ExitCode() != 7 {
		t.Errorf("printed %q, exit %v", out, err)
	}
}
