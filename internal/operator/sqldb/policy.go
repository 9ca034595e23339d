package sqldb

import (
	"context"
	"strings"

	"github.com/trowel-project/trowel/internal/param"
)

// policy is what temporary keys allow.
type policy struct {
	statements param.List
}

func (p *policy) allow(action, resource string) {
	p.statements = append(p.statements, param.Of("Effect", "Allow", "Action", param.List{action}, "Resource", param.List{resource}))
}

// text returns the policy as AWS takes it.
func (p policy) text() string {
	return param.JSON(param.Of("Version", "2012-10-17", "Statement", p.statements))
}

// s3Address is a place in S3.
type s3Address struct {
	bucket, key string
}

// String returns the address as a URL.
func (a s3Address) String() string { return "s3://" + a.bucket + "/" + a.key }

func s3AddressOf(text string) (a s3Address, ok bool) {
	rest, ok := strings.CutPrefix(text, "s3://")
	a.bucket, a.key, _ = strings.Cut(rest, "/")
	return a, ok && a.bucket != ""
}

// bucket allows to list a bucket, and something to what has a prefix.
func (p *policy) bucket(a s3Address, action string) {
	p.allow("s3:ListBucket", "arn:aws:s3:::"+a.bucket)
	p.allow(action, "arn:aws:s3:::"+a.bucket+"/"+a.key+"*")
}

// source allows to read from an address.
func (p *policy) source(address string) error {
	scheme, rest, _ := strings.Cut(address, "://")
	switch scheme {
	case "s3":
		at, ok := s3AddressOf(address)
		if !ok {
			return param.Errorf("Invalid S3 uri: %s", address)
		}
		p.bucket(at, "s3:GetObject")
	case "dynamodb":
		name, _, _ := strings.Cut(rest, "/")
		p.allow("dynamodb:DescribeTable", "arn:aws:dynamodb:*:*:table/"+name)
		p.allow("dynamodb:Scan", "arn:aws:dynamodb:*:*:table/"+name)
	case "emr":
		cluster, _, _ := strings.Cut(rest, "/")
		p.allow("elasticmapreduce:*", "arn:aws:elasticmapreduce:*:*:cluster/"+cluster)
	default:
		return param.Errorf("Unexpected scheme: %s", address)
	}
	return nil
}

// loadPolicy allows what COPY reads: the files, those that a manifest names, and the files with paths.
func (t copyTask) loadPolicy(ctx context.Context, aws cloud, from string) (p policy, err error) {
	sources := []string{from}
	for _, key := range []string{"json", "avro"} {
		paths, found, err := t.params.OptString(key)
		if err != nil {
			return p, err
		}
		if found && paths != "" && !strings.EqualFold(paths, "auto") && strings.Contains(paths, "://") {
			sources = append(sources, paths)
		}
	}
	manifest, err := t.params.BoolOr("manifest", false)
	if err != nil {
		return p, err
	}
	if manifest {
		files, err := t.manifest(ctx, aws, from)
		if err != nil {
			return p, err
		}
		sources = append(sources, files...)
	}
	for _, source := range sources {
		if err := p.source(source); err != nil {
			return p, err
		}
	}
	return p, nil
}

// manifest returns the addresses that a manifest names.
func (t copyTask) manifest(ctx context.Context, aws cloud, address string) ([]string, error) {
	at, ok := s3AddressOf(address)
	if !ok {
		return nil, param.Errorf("Invalid manifest file uri: %s", address)
	}
	t.r.Waiting()
	text, err := aws.read(ctx, t.keys, at)
	if err != nil {
		return nil, manifestError(address, err)
	}
	document, err := param.ParseMap(text)
	if err != nil {
		return nil, manifestError(address, err)
	}
	entries, err := param.NewReader(document).List("entries")
	if err != nil {
		return nil, manifestError(address, err)
	}
	var files []string
	for _, entry := range entries {
		object, _ := entry.(*param.Map)
		file, err := param.NewReader(object).String("url")
		if err != nil {
			return nil, manifestError(address, err)
		}
		files = append(files, file)
	}
	return files, nil
}

// unloadPolicy allows to write files.
func unloadPolicy(target string) (p policy, err error) {
	at, ok := s3AddressOf(target)
	if !ok {
		return p, param.Errorf("'to' should start with 's3://'. to=%s", target)
	}
	p.bucket(at, "s3:PutObject")
	return p, nil
}
