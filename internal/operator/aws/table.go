package aws

import (
	"github.com/trowel-project/trowel/internal/dig"
	"github.com/trowel-project/trowel/internal/operator"
)

// Options are the system's settings for the operators. The zero value has the defaults.
type Options struct {
	// Env looks up proxies in the environment (operators 1.16). Nil for none.
	Env func(name string) (string, bool)
}

// Table returns the operators for Amazon Web Services.
func Table(options Options) operator.Table {
	o := newOperators(options)
	return operator.Table{
		"s3_wait": {
			Run: o.runS3Wait, Blocks: []string{"aws", "aws.s3"}, Doc: "waits for an object in Amazon S3",
			Needs:   [][]string{{dig.NeedsValue, "bucket"}, {dig.NeedsValue, "key"}},
			Command: operator.Text().About("the object, as `BUCKET/KEY`"),
			Keys: map[string]dig.Value{
				"bucket":              operator.Text().About("the bucket, where there is no command"),
				"continue_on_timeout": operator.Boolean().About("whether the task succeeds when `timeout` is over").Or("false"),
				"endpoint":            operator.Text().About("the address of the service, with `http://` if it has no TLS; the secret `aws.s3.endpoint` comes first"),
				"key":                 operator.Text().About("the key of the object, where there is no command"),
				"path_style_access":   operator.Boolean().About("whether the bucket stands in the path, not in the name of the host").Or("false"),
				"region":              operator.Text().About("the region; the secrets `aws.s3.region` and `aws.region` come first").Or("us-east-1"),
				"timeout":             operator.Duration().About("how long it waits; without it there is no end"),
				"version_id":          operator.Text().About("the version of the object"),
			},
		},
		"emr": {
			Run: o.runEMR, CancelJob: o.cancelEMR, Wrapped: true, Blocks: []string{"aws", "aws.emr"}, Doc: "runs steps on an Amazon EMR cluster",
			Keys: emrKeys(), Needs: [][]string{{"cluster"}, {"steps"}, {"staging"}},
		},
	}
}

func emrKeys() map[string]dig.Value {
	place := func(service string) dig.Value {
		return operator.Text().About("the region of " + service + "; the secrets `aws.SERVICE.region` and `aws.region` come first").Or(someRegion)
	}
	endpoint := func(service string) dig.Value {
		return operator.Text().About("the address of " + service + "; the secret `aws.SERVICE.endpoint` comes first")
	}
	return map[string]dig.Value{
		"action_on_failure": operator.OneOf("TERMINATE_JOB_FLOW", "TERMINATE_CLUSTER", "CANCEL_AND_WAIT", "CONTINUE").About("what happens if a step fails").Or("CANCEL_AND_WAIT"),
		"cluster":           operator.Anything().About("the id of a cluster, or an object that describes one to make: `{name: ..., release: ..., ec2: {...}, ...}`"),
		"emr.endpoint":      endpoint("EMR"),
		"emr.region":        place("EMR"),
		"kms.endpoint":      endpoint("KMS"),
		"kms.region":        place("KMS"),
		"s3.endpoint":       endpoint("S3"),
		"s3.region":         place("S3"),
		"staging":           operator.Text().About("where files for the cluster are put, as `s3://BUCKET/FOLDER/`"),
		"steps": operator.ListOf(dig.Value{
			Kind: dig.Object, Required: []string{"type"}, Others: &dig.Value{},
			Fields: map[string]dig.Value{"type": operator.OneOf("flink", "hive", "spark", "spark-sql", "script", "command")},
		}).About("required: what runs, a list of `{type: ..., ...}`"),
	}
}
