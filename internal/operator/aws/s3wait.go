package aws

import (
	"context"
	"crypto/md5" //nolint:gosec // S3 wants the digest of the key in this form
	"encoding/base64"
	"errors"
	"log/slog"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/s3"

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/operator"
	"github.com/trowel-project/trowel/internal/param"
)

// Texts of operators 9.1.
const (
	s3WaitOptions = "Either the s3_wait operator command or both 'bucket' and 'key' parameters must be set"
	s3WaitPath    = "Illegal s3 path: %s"
)

// Pauses between two looks at an object (operators 9.1).
const (
	s3WaitFirst   = 5 * time.Second
	s3WaitLongest = 5 * time.Minute
)

// s3Wait are the options of a task.
type s3Wait struct {
	bucket, key, version string
	pathStyle            bool
	endpoint, region     string
	timeout              time.Duration
	passTimeout          bool
	keys                 aws.CredentialsProvider
	customer             customerKey
}

// customerKey is the key that an object is encrypted with (SSE-C). The texts are empty if there is none.
type customerKey struct{ key, algorithm, md5 string }

// runS3Wait waits until an object of S3 is there (operators 9.1).
func (o *operators) runS3Wait(ctx context.Context, r *operator.Request) (operator.Outcome, error) {
	w, err := readS3Wait(ctx, r)
	if err != nil {
		return operator.Outcome{}, err
	}
	o.warnOfProxy(r.Log)
	var headers []header
	steps := operator.NewSteps(ctx, r)
	how := operator.Wait{Key: "EXISTS", Min: s3WaitFirst, Max: s3WaitLongest, Timeout: w.timeout}
	err = steps.Wait(how, func(inner *operator.Steps) (met bool, err error) {
		err = inner.Retry(operator.Retry{Key: "POLL", Passing: mayPass}, func(*operator.Steps) (err error) {
			headers, err = o.look(ctx, w)
			if statusOf(err) == http.StatusNotFound {
				headers, err = nil, nil
			}
			return err
		})
		if headers == nil && err == nil && !r.State.Has(how.Key) {
			r.Log.Info("The object is not there yet", slog.String("bucket", w.bucket), slog.String("key", w.key))
		}
		return headers != nil, err
	})
	result := trowel.Result{ResetKeys: []string{"s3.last_object"}}
	switch {
	case errors.Is(err, operator.ErrTimeout) && w.passTimeout:
		result.Store = param.Of("s3", param.New())
	case err != nil:
		return steps.Outcome(operator.Outcome{}, worded(ended(ctx, err)))
	default:
		result.Store = param.Of("s3", param.Of("last_object", objectMetadata(headers)))
	}
	return operator.Outcome{Result: result}, nil
}

func readS3Wait(ctx context.Context, r *operator.Request) (*s3Wait, error) {
	params, err := r.Section("aws.s3", "aws")
	if err != nil {
		return nil, err
	}
	w := &s3Wait{}
	if err := w.readPlace(params); err != nil {
		return nil, err
	}
	if w.keys, err = keysOf(ctx, r, "s3"); err != nil {
		return nil, err
	}
	if err := w.readService(ctx, r, params); err != nil {
		return nil, err
	}
	if w.customer, err = readCustomerKey(ctx, r); err != nil {
		return nil, err
	}
	if w.version, err = params.StringOr("version_id", ""); err != nil {
		return nil, err
	}
	if w.pathStyle, err = params.BoolOr("path_style_access", false); err != nil {
		return nil, err
	}
	if w.passTimeout, err = params.BoolOr("continue_on_timeout", false); err != nil {
		return nil, err
	}
	w.timeout, err = readTimeout(params)
	return w, err
}

// readPlace reads where the object is: in the command, or in bucket and key.
func (w *s3Wait) readPlace(params *param.Reader) error {
	command, hasCommand, err := params.OptString("_command")
	if err != nil {
		return err
	}
	bucket, hasBucket, err := params.OptString("bucket")
	if err != nil {
		return err
	}
	key, hasKey, err := params.OptString("key")
	if err != nil {
		return err
	}
	if hasCommand && (hasBucket || hasKey) || !hasCommand && (!hasBucket || !hasKey) {
		return param.Errorf(s3WaitOptions)
	}
	if w.bucket, w.key = bucket, key; !hasCommand {
		return nil
	}
	var found bool
	if w.bucket, w.key, found = strings.Cut(command, "/"); !found {
		return param.Errorf(s3WaitPath, command)
	}
	return nil
}

// readService reads the endpoint, which comes before the region.
func (w *s3Wait) readService(ctx context.Context, r *operator.Request, params *param.Reader) error {
	endpoint, found, err := r.OptSecret(ctx, "aws.s3.endpoint")
	if err == nil && !found {
		endpoint, found, err = params.OptString("endpoint")
	}
	if err != nil {
		return err
	}
	region, hasRegion, err := r.OptSecret(ctx, "aws.s3.region", "aws.region")
	if err == nil && !hasRegion {
		region, hasRegion, err = params.OptString("region")
	}
	if err != nil {
		return err
	}
	if found {
		w.endpoint = withScheme(endpoint)
		if known := regionOf(endpoint); known != "" {
			region, hasRegion = known, true
		}
	} else if hasRegion {
		if err := checkRegion(region); err != nil {
			return err
		}
	}
	if w.region = region; !hasRegion {
		w.region = someRegion
	}
	return nil
}

func readCustomerKey(ctx context.Context, r *operator.Request) (customerKey, error) {
	key, found, err := r.OptSecret(ctx, "aws.s3.sse_c_key")
	if err != nil || !found {
		return customerKey{}, err
	}
	c := customerKey{key: key, algorithm: "AES256"}
	algorithm, found, err := r.OptSecret(ctx, "aws.s3.sse_c_key_algorithm")
	if err != nil {
		return c, err
	}
	if found {
		c.algorithm = algorithm
	}
	if c.md5, found, err = r.OptSecret(ctx, "aws.s3.sse_c_key_md5"); err != nil || found {
		return c, err
	}
	plain, err := base64.StdEncoding.DecodeString(key)
	if err != nil {
		return c, param.Errorf("The secret 'aws.s3.sse_c_key' must be a key in base64")
	}
	digest := md5.Sum(plain) //nolint:gosec // see above
	c.md5 = base64.StdEncoding.EncodeToString(digest[:])
	return c, nil
}

func readTimeout(params *param.Reader) (time.Duration, error) {
	raw, _ := params.Value("timeout")
	if raw == nil {
		return 0, nil
	}
	if text, ok := raw.(string); ok {
		if timeout, err := param.ParseDuration(text); err == nil {
			return timeout, nil
		}
	}
	return 0, param.WrongType("timeout", param.OptionalType("io.digdag.util.DurationParam"), raw)
}

// look asks for the object and returns the headers of the answer.
func (o *operators) look(ctx context.Context, w *s3Wait) ([]header, error) {
	client := s3.NewFromConfig(o.config(w.region, w.keys), func(options *s3.Options) {
		options.UsePathStyle = w.pathStyle
		if w.endpoint != "" {
			options.BaseEndpoint = aws.String(w.endpoint)
		}
	})
	in := &s3.HeadObjectInput{Bucket: aws.String(w.bucket), Key: aws.String(w.key)}
	if w.version != "" {
		in.VersionId = aws.String(w.version)
	}
	if w.customer.key != "" {
		in.SSECustomerKey, in.SSECustomerAlgorithm, in.SSECustomerKeyMD5 = aws.String(w.customer.key), aws.String(w.customer.algorithm), aws.String(w.customer.md5)
	}
	var answer recorder
	_, err := client.HeadObject(answer.watch(ctx), in)
	headers := answer.headers()
	if err != nil {
		return nil, err
	}
	return append(headers, header{}), nil // never nil
}

// userPrefix begins the names of headers that the owner of an object has given it.
const userPrefix = "x-amz-meta-"

// objectMetadata returns what the headers say of an object (operators 9.1).
func objectMetadata(headers []header) *param.Map {
	metadata, user := param.New(), param.New()
	for _, h := range headers {
		name := strings.ToLower(h.name)
		switch name {
		case "", "date", "server", "x-amz-request-id", "x-amz-id-2", "x-amz-cf-id", "connection":
		case "content-length":
			if n, err := strconv.ParseInt(h.value, 10, 64); err == nil {
				metadata.Set(h.name, n)
			}
		case "last-modified":
			if at, err := http.ParseTime(h.value); err == nil {
				metadata.Set(h.name, at.UnixMilli())
			}
		case "etag":
			metadata.Set(h.name, strings.Trim(h.value, `"`))
		default:
			if strings.HasPrefix(name, userPrefix) {
				user.Set(h.name[len(userPrefix):], h.value)
			} else {
				metadata.Set(h.name, h.value)
			}
		}
	}
	return param.Of("metadata", metadata, "user_metadata", user)
}
