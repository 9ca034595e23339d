package aws_test

import (
	"encoding/base64"
	"log/slog"
	"maps"
	"strings"
	"testing"
	"time"

	sdk "github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/emr"
	emrtypes "github.com/aws/aws-sdk-go-v2/service/emr/types"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	s3types "github.com/aws/aws-sdk-go-v2/service/s3/types"
	"github.com/google/go-cmp/cmp"

	"github.com/trowel-project/trowel/internal/operator"
	"github.com/trowel-project/trowel/internal/operator/aws"
	"github.com/trowel-project/trowel/internal/operator/operatortest"
	"github.com/trowel-project/trowel/internal/param"
	"github.com/trowel-project/trowel/internal/trowtest/cloudtest"
)

// atMoto returns a task whose secrets lead to moto, with more of them.
func atMoto(t *testing.T, moto *cloudtest.Amazon, own *param.Map, more map[string]string) *operatortest.Fixture {
	t.Helper()
	secrets := map[string]string{
		"aws.access_key_id": moto.KeyID, "aws.secret_access_key": moto.Key, "aws.region": cloudtest.Region,
		"aws.s3.endpoint": moto.URL, "aws.emr.endpoint": moto.URL,
	}
	maps.Copy(secrets, more)
	f := operatortest.New(t, aws.Table(aws.Options{}), own).Secrets(secrets)
	f.Request.Lease.Try, f.Request.Lease.StartedAt = 1, time.Now()
	f.Request.Log = slog.New(slog.NewTextHandler(t.Output(), nil))
	return f
}

func TestMotoS3Wait(t *testing.T) {
	t.Parallel()
	moto := cloudtest.Moto(t)
	bucket := moto.Bucket(t)
	const key = "in/a b+ü.csv"
	f := atMoto(t, moto, param.Of("s3_wait>", bucket+"/"+key, "path_style_access", true), nil)
	for range 2 {
		outcome, err := f.Run()
		if err != nil || outcome.Again == nil || outcome.Again.After < 5*time.Second {
			t.Fatalf("without the object: %+v, %v; want another look", outcome.Again, err)
		}
		f.State = outcome.Again.State
	}
	moto.Put(t, bucket, key, "a,b\n", func(in *s3.PutObjectInput) {
		in.ContentType, in.Metadata, in.ServerSideEncryption = sdk.String("text/csv"), map[string]string{"made-by": "test"}, s3types.ServerSideEncryptionAes256
	})
	outcome, err := f.Run()
	if err != nil || outcome.Again != nil {
		t.Fatalf("with the object: %+v, %v", outcome.Again, err)
	}
	last := lastObject(t, outcome)
	for name, want := range map[string]string{
		"Content-Type": `"text/csv"`, "Content-Length": "4", "ETag": `"f69f5b72bc79a92dc70c63c9aa142e36"`, "x-amz-server-side-encryption": `"AES256"`,
	} {
		if got := memberFold(last, "metadata", name); got != want {
			t.Errorf("%s = %s, want %s in %s", name, got, want, param.JSON(last))
		}
	}
	if got := memberFold(last, "user_metadata", "made-by"); got != `"test"` {
		t.Errorf("made-by = %s in %s", got, param.JSON(last))
	}
}

func lastObject(t *testing.T, outcome operator.Outcome) *param.Map {
	t.Helper()
	block, _ := outcome.Result.Store.Get("s3")
	object, _ := block.(*param.Map)
	last, _ := object.Get("last_object")
	found, ok := last.(*param.Map)
	if !ok {
		t.Fatalf("stored %s", param.JSON(outcome.Result.Store))
	}
	return found
}

// memberFold returns a member of a block as JSON, whatever the case of its name.
func memberFold(object *param.Map, block, name string) string {
	value, _ := object.Get(block)
	for key, value := range value.(*param.Map).All() {
		if strings.EqualFold(key, name) {
			return param.JSON(value)
		}
	}
	return ""
}

// The version that a task names is waited for, not the newest one.
func TestMotoS3WaitVersion(t *testing.T) {
	t.Parallel()
	moto := cloudtest.SignedMoto(t)
	bucket := moto.Bucket(t)
	if _, err := moto.S3().PutBucketVersioning(t.Context(), &s3.PutBucketVersioningInput{
		Bucket: sdk.String(bucket), VersioningConfiguration: &s3types.VersioningConfiguration{Status: s3types.BucketVersioningStatusEnabled},
	}); err != nil {
		t.Fatal(err)
	}
	first, second := moto.Put(t, bucket, "k", "1", nil), moto.Put(t, bucket, "k", "22", nil)
	for version, size := range map[string]string{first: "1", second: "2"} {
		outcome, err := atMoto(t, moto, param.Of("s3_wait>", bucket+"/k", "path_style_access", true, "version_id", version), nil).Run()
		if err != nil || outcome.Again != nil {
			t.Fatalf("version %s: %+v, %v", version, outcome.Again, err)
		}
		last := lastObject(t, outcome)
		if memberFold(last, "metadata", "x-amz-version-id") != `"`+version+`"` || memberFold(last, "metadata", "Content-Length") != size {
			t.Errorf("version %s: got %s", version, param.JSON(last))
		}
	}
}

// An object with a key of its owner.
func TestMotoS3WaitCustomerKey(t *testing.T) {
	t.Parallel()
	moto := cloudtest.SignedMoto(t)
	bucket, key := moto.Bucket(t), base64.StdEncoding.EncodeToString([]byte("0123456789abcdef0123456789abcdef"))
	moto.Put(t, bucket, "k", "x", nil)
	f := atMoto(t, moto, param.Of("s3_wait>", bucket+"/k", "path_style_access", true), map[string]string{"aws.s3.sse_c_key": key})
	if outcome, err := f.Run(); err != nil || outcome.Again != nil {
		t.Errorf("%+v, %v", outcome.Again, err)
	}
}

// What can never be answered otherwise fails the task; a bucket that is not there may be made.
func TestMotoS3WaitFails(t *testing.T) {
	t.Parallel()
	moto := cloudtest.SignedMoto(t)
	bucket := moto.Bucket(t)
	moto.Put(t, bucket, "k", "x", nil)
	task := func(own *param.Map, more map[string]string) (operator.Outcome, error) {
		own.Merge(param.Of("path_style_access", true))
		return atMoto(t, moto, own, more).Run()
	}
	for name, secrets := range map[string]map[string]string{
		"wrong key":    {"aws.secret_access_key": "very-secret"},
		"unknown user": {"aws.access_key_id": "AKIAUNKNOWN", "aws.secret_access_key": "very-secret"},
	} {
		_, err := task(param.Of("s3_wait>", bucket+"/k"), secrets)
		if got := operatortest.Message(err); !strings.HasPrefix(got, "Forbidden (Service: Amazon S3; Status Code: 403; Error Code: 403 Forbidden;") || strings.Contains(got, "very-secret") {
			t.Errorf("%s: %q", name, got)
		}
	}
	if outcome, err := task(param.Of("s3_wait>", bucket+"-not-there/k"), nil); err != nil || outcome.Again == nil {
		t.Errorf("missing bucket: %+v, %v; want another look", outcome.Again, err)
	}
}

// emrOptions are those of an emr> task with two steps on a cluster.
func emrOptions(bucket string, cluster param.Value) *param.Map {
	return param.Of("emr>", nil, "cluster", cluster, "staging", "s3://"+bucket+"/stage/", "steps", param.List{
		param.Of("type", "script", "script", "x.sh", "args", param.List{"a"}),
		param.Of("type", "command", "command", "ls", "name", "List"),
	})
}

// submit runs a task until it waits for what it has submitted, and returns its tag.
func submit(t *testing.T, f *operatortest.Fixture) (tag string) {
	t.Helper()
	for try := 1; try <= 4; try++ {
		f.Request.Lease.Try = try
		outcome, err := f.Run()
		if err != nil || outcome.Again == nil {
			t.Fatalf("try %d: %+v, %v", try, outcome.Again, err)
		}
		f.State = outcome.Again.State
	}
	tag, err := param.NewReader(f.State).String("tag")
	if err != nil {
		t.Fatal(err)
	}
	return tag
}

// stepsOf returns the names of the steps of a cluster, with TAG in place of the tag, and their ids.
func stepsOf(t *testing.T, client *emr.Client, cluster, tag string) (names, ids []string) {
	t.Helper()
	out, err := client.ListSteps(t.Context(), &emr.ListStepsInput{ClusterId: sdk.String(cluster)})
	if err != nil {
		t.Fatal(err)
	}
	for i := range out.Steps {
		names, ids = append(names, strings.ReplaceAll(sdk.ToString(out.Steps[i].Name), tag, "TAG")), append(ids, sdk.ToString(out.Steps[i].Id))
	}
	return names, ids
}

func TestMotoEMRNewCluster(t *testing.T) {
	t.Parallel()
	moto := cloudtest.Moto(t)
	bucket, client := moto.Bucket(t), emr.NewFromConfig(moto.Config())
	f := atMoto(t, moto, emrOptions(bucket, param.Of("name", "N", "ec2", param.Of("key", "k", "core", param.Of("count", 2)), "bootstrap", param.List{"x.sh"})), nil).
		File("x.sh", "echo")
	tag := submit(t, f)
	submission, err := param.NewReader(f.State).MapOf("submission")
	if err != nil {
		t.Fatal(err)
	}
	made, _ := submission.Get("result")
	cluster, err := param.NewReader(made.(*param.Map)).String("cluster_id")
	if err != nil {
		t.Fatalf("%v in %s", err, param.JSON(f.State))
	}
	described, err := client.DescribeCluster(t.Context(), &emr.DescribeClusterInput{ClusterId: sdk.String(cluster)})
	if err != nil {
		t.Fatal(err)
	}
	c := described.Cluster
	if got := strings.ReplaceAll(sdk.ToString(c.Name), tag, "TAG"); got != "N (TAG)" || sdk.ToString(c.ReleaseLabel) != "emr-5.2.0" || len(c.Applications) != 4 {
		t.Errorf("cluster %s, %s, %v", got, sdk.ToString(c.ReleaseLabel), c.Applications)
	}
	if len(c.Tags) != 1 || sdk.ToString(c.Tags[0].Key) != "DIGDAG_CLUSTER_ID" || sdk.ToString(c.Tags[0].Value) != tag {
		t.Errorf("tags %+v, want that of the task, %s", c.Tags, tag)
	}
	names, _ := stepsOf(t, client, cluster, tag)
	if diff := cmp.Diff([]string{"List (TAG)", "Script (TAG)"}, names); diff != "" {
		t.Errorf("steps (-want +got):\n%s", diff)
	}
	// A later try, whose state is lost but for the tag, goes on with the same cluster.
	f.State = param.Of("tag", tag)
	if submit(t, f); len(clustersOf(t, client, tag)) != 1 {
		t.Errorf("clusters of the task: %v, want 1", clustersOf(t, client, tag))
	}
	if err := cancelTask(t, f); err != nil {
		t.Errorf("cancel: %v", err)
	}
	if described, err = client.DescribeCluster(t.Context(), &emr.DescribeClusterInput{ClusterId: sdk.String(cluster)}); err != nil || described.Cluster.Status.State != emrtypes.ClusterStateTerminated {
		t.Errorf("after the kill: %+v, %v", described.Cluster.Status, err)
	}
	if keys := moto.Keys(t, bucket); len(keys) != 0 {
		t.Errorf("staged files are left: %v", keys)
	}
}

// clustersOf returns the ids of the clusters with a tag in their names.
func clustersOf(t *testing.T, client *emr.Client, tag string) (ids []string) {
	t.Helper()
	pages := emr.NewListClustersPaginator(client, &emr.ListClustersInput{})
	for pages.HasMorePages() {
		page, err := pages.NextPage(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		for i := range page.Clusters {
			if strings.Contains(sdk.ToString(page.Clusters[i].Name), tag) {
				ids = append(ids, sdk.ToString(page.Clusters[i].Id))
			}
		}
	}
	return ids
}

// cancelTask does what follows on a kill.
func cancelTask(t *testing.T, f *operatortest.Fixture) error {
	t.Helper()
	selection, _, err := operator.Select(param.Merged(f.Inherited, f.Own))
	if err != nil {
		t.Fatal(err)
	}
	r := f.Request
	r.Params, r.Local, r.State, r.Project = param.NewReader(selection.Config), f.Own, f.State, f.Project
	return f.Table.Cancel(t.Context(), selection.Type, &r)
}

func TestMotoEMRExistingCluster(t *testing.T) {
	t.Parallel()
	moto := cloudtest.Moto(t)
	bucket, client := moto.Bucket(t), emr.NewFromConfig(moto.Config())
	made, err := client.RunJobFlow(t.Context(), &emr.RunJobFlowInput{
		Name: sdk.String("of others"), ReleaseLabel: sdk.String("emr-7.0.0"), JobFlowRole: sdk.String("r"), ServiceRole: sdk.String("s"),
		Instances: &emrtypes.JobFlowInstancesConfig{InstanceCount: sdk.Int32(1), MasterInstanceType: sdk.String("m5.xlarge"), KeepJobFlowAliveWhenNoSteps: sdk.Bool(true)},
	})
	if err != nil {
		t.Fatal(err)
	}
	cluster := sdk.ToString(made.JobFlowId)
	f := atMoto(t, moto, emrOptions(bucket, cluster), nil).File("x.sh", "echo")
	tag := submit(t, f)
	names, ids := stepsOf(t, client, cluster, tag)
	if diff := cmp.Diff([]string{"List (TAG)", "Script (TAG)"}, names); diff != "" {
		t.Fatalf("steps (-want +got):\n%s", diff)
	}
	step, err := client.DescribeStep(t.Context(), &emr.DescribeStepInput{ClusterId: sdk.String(cluster), StepId: sdk.String(ids[1])})
	if err != nil {
		t.Fatal(err)
	}
	config := step.Step.Config
	if sdk.ToString(config.Jar) != "s3://"+cloudtest.Region+".elasticmapreduce/libs/script-runner/script-runner.jar" || len(config.Args) != 2 {
		t.Fatalf("step %+v", config)
	}
	for _, arg := range config.Args {
		if got := moto.Get(t, bucket, strings.TrimPrefix(arg, "s3://"+bucket+"/")); !strings.Contains(arg, "/stage/"+tag+"/") || got == "" {
			t.Errorf("%s has %q, want a file below the tag of the task", arg, got)
		}
	}
	f.State = param.Of("tag", tag)
	submit(t, f)
	if names, _ := stepsOf(t, client, cluster, tag); len(names) != 2 {
		t.Errorf("steps after a lost state: %v, want 2", names)
	}
}

func TestMotoEMRFails(t *testing.T) {
	t.Parallel()
	moto := cloudtest.SignedMoto(t)
	bucket := moto.Bucket(t)
	for name, c := range map[string]struct {
		bucket  string
		secrets map[string]string
		want    string
	}{
		"no such bucket": {bucket + "-not-there", nil, "The specified bucket does not exist (Service: Amazon S3; Status Code: 404; Error Code: NoSuchBucket;"},
		"wrong key":      {bucket, map[string]string{"aws.secret_access_key": "very-secret"}, "(Service: Amazon S3; Status Code: 403; Error Code: SignatureDoesNotMatch;"},
	} {
		f := atMoto(t, moto, emrOptions(c.bucket, "j-1"), c.secrets).File("x.sh", "")
		_, err := f.Run()
		for f.Request.Lease.Try = 2; err == nil && f.Request.Lease.Try < 5; f.Request.Lease.Try++ {
			f.State = param.Of("tag", "ABCDEFGHIJKLM")
			_, err = f.Run()
		}
		if got := operatortest.Message(err); !strings.Contains(got, c.want) || strings.Contains(got, "very-secret") {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}
