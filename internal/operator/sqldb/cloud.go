package sqldb

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	awshttp "github.com/aws/aws-sdk-go-v2/aws/transport/http"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/aws-sdk-go-v2/service/sts"
	smithyhttp "github.com/aws/smithy-go/transport/http"

	"github.com/trowel-project/trowel/internal/operator"
	operatoraws "github.com/trowel-project/trowel/internal/operator/aws"
)

// awsKeys are keys of AWS.
type awsKeys struct {
	id, secret string
	token      string // of temporary keys
}

// cloud is what redshift_load> and redshift_unload> need of AWS.
type cloud interface {
	// temporary returns keys for a time that allow what a policy says: those of a role, or without one those of a federated user.
	temporary(ctx context.Context, keys awsKeys, role, session string, seconds int, policy string) (awsKeys, error)
	// read returns an object.
	read(ctx context.Context, keys awsKeys, at s3Address) (string, error)
	// clear deletes all objects with a prefix.
	clear(ctx context.Context, keys awsKeys, prefix s3Address) error
}

// amazon reaches AWS itself.
type amazon struct {
	client *http.Client
}

const (
	// awsRegion is that of Digdag's clients, which follow S3 to other ones.
	awsRegion = "us-east-1"
	// awsTimeout bounds one call.
	awsTimeout = 5 * time.Minute
	// maxManifest bounds the text of a manifest.
	maxManifest = 16 << 20
)

// awsClients returns what reaches AWS through the proxies of the environment (operators 1.16).
func awsClients(env func(string) (string, bool)) cloud {
	client := awshttp.NewBuildableClient().WithTimeout(awsTimeout).WithTransportOptions(func(t *http.Transport) {
		t.Proxy = func(r *http.Request) (*url.URL, error) {
			at, err := operator.EnvProxy(env, r.URL.Scheme == "https")
			if err != nil {
				return nil, nil //nolint:nilnil,nilerr // what is no proxy is not used, and the task has said so
			}
			return at, nil
		}
		t.IdleConnTimeout = 30 * time.Second
	})
	return &amazon{client: &http.Client{Transport: client.GetTransport(), Timeout: awsTimeout}}
}

func (a *amazon) config(keys awsKeys) aws.Config {
	return aws.Config{Region: awsRegion, HTTPClient: a.client, Credentials: credentials.NewStaticCredentialsProvider(keys.id, keys.secret, keys.token)}
}

func (a *amazon) temporary(ctx context.Context, keys awsKeys, role, session string, seconds int, policy string) (awsKeys, error) {
	client := sts.NewFromConfig(a.config(keys))
	duration := aws.Int32(int32(min(max(seconds, 0), 1<<30))) //nolint:gosec // in its bounds
	if role != "" {
		out, err := client.AssumeRole(ctx, &sts.AssumeRoleInput{RoleArn: &role, RoleSessionName: &session, DurationSeconds: duration, Policy: &policy})
		if err != nil {
			return awsKeys{}, awsError(ctx, "The role cannot be assumed", err)
		}
		return awsKeys{id: aws.ToString(out.Credentials.AccessKeyId), secret: aws.ToString(out.Credentials.SecretAccessKey), token: aws.ToString(out.Credentials.SessionToken)}, nil
	}
	out, err := client.GetFederationToken(ctx, &sts.GetFederationTokenInput{Name: &session, DurationSeconds: duration, Policy: &policy})
	if err != nil {
		return awsKeys{}, awsError(ctx, "AWS gives no temporary keys", err)
	}
	return awsKeys{id: aws.ToString(out.Credentials.AccessKeyId), secret: aws.ToString(out.Credentials.SecretAccessKey), token: aws.ToString(out.Credentials.SessionToken)}, nil
}

// bucket calls do with a client, and again with one for the region of the bucket if S3 says that it is in another one.
func (a *amazon) bucket(ctx context.Context, keys awsKeys, do func(*s3.Client) error) error {
	config := a.config(keys)
	config.APIOptions = append(config.APIOptions, operatoraws.WithoutOperation)
	err := do(s3.NewFromConfig(config))
	answer, ok := errors.AsType[*smithyhttp.ResponseError](err)
	if !ok || answer.Response == nil || ctx.Err() != nil {
		return err
	}
	region := answer.Response.Header.Get("X-Amz-Bucket-Region")
	if region == "" || region == config.Region {
		return err
	}
	config.Region = region
	return do(s3.NewFromConfig(config))
}

func (a *amazon) read(ctx context.Context, keys awsKeys, at s3Address) (text string, err error) {
	err = a.bucket(ctx, keys, func(client *s3.Client) error {
		out, err := client.GetObject(ctx, &s3.GetObjectInput{Bucket: &at.bucket, Key: &at.key})
		if err != nil {
			return err
		}
		defer func() { _ = out.Body.Close() }()
		data, err := io.ReadAll(io.LimitReader(out.Body, maxManifest+1))
		if err == nil && len(data) > maxManifest {
			err = fmt.Errorf("it is larger than %d bytes", maxManifest)
		}
		text = string(data)
		return err
	})
	return text, err
}

func (a *amazon) clear(ctx context.Context, keys awsKeys, prefix s3Address) error {
	err := a.bucket(ctx, keys, func(client *s3.Client) error { return clearPrefix(ctx, client, prefix) })
	if err != nil {
		return awsError(ctx, "The files below "+prefix.String()+" cannot be deleted", err)
	}
	return nil
}

func clearPrefix(ctx context.Context, client *s3.Client, prefix s3Address) error {
	list := &s3.ListObjectsInput{Bucket: &prefix.bucket, Prefix: &prefix.key}
	for {
		page, err := client.ListObjects(ctx, list)
		if err != nil {
			return err
		}
		for _, object := range page.Contents {
			if _, err := client.DeleteObject(ctx, &s3.DeleteObjectInput{Bucket: &prefix.bucket, Key: object.Key}); err != nil {
				return err
			}
			list.Marker = object.Key
		}
		if !aws.ToBool(page.IsTruncated) || len(page.Contents) == 0 {
			return nil
		}
	}
}

// awsError is an error of AWS, with its own words.
func awsError(ctx context.Context, what string, err error) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return &operator.Error{Kind: operator.KindRuntime, Message: what + ": " + awsText(err), Err: err}
}

// awsText returns the words of a service, or else of the last error in the chain.
func awsText(err error) string {
	if answer, ok := errors.AsType[interface {
		error
		ErrorCode() string
		ErrorMessage() string
	}](err); ok && answer.ErrorMessage() != "" {
		return answer.ErrorMessage() + " (" + answer.ErrorCode() + ")"
	}
	return innermost(err).Error()
}

func manifestError(address string, err error) error {
	return &operator.Failure{Message: "Failed to fetch a manifest file: " + address, Err: errors.New(awsText(err))}
}
