package aws

import (
	"context"
	"log/slog"
	"net/http"
	"regexp"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/aws/ratelimit"
	"github.com/aws/aws-sdk-go-v2/aws/retry"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/smithy-go/middleware"
	smithyhttp "github.com/aws/smithy-go/transport/http"

	"github.com/trowel-project/trowel/internal/operator"
	"github.com/trowel-project/trowel/internal/param"
)

// someRegion is the region of requests where none is set, as in Digdag.
const someRegion = "us-east-1"

// Settings of repeated requests within one run (operators 9.1).
const (
	maxRequests = 4
	maxBackoff  = 500 * time.Millisecond
)

const illegalRegion = "Illegal AWS region: %s" // operators 9.1

var regionForm = regexp.MustCompile(`^(us|eu|ap|sa|ca|me|af|il|mx|cn)(-gov|-isob?|-isoe|-isof)?-(north|south|east|west|central|northeast|northwest|southeast|southwest)-\d$`)

func checkRegion(region string) error {
	if !regionForm.MatchString(region) {
		return param.Errorf(illegalRegion, region)
	}
	return nil
}

// operators run tasks. They share connections; what else a request needs is made for it, so that a waiting task holds nothing.
type operators struct {
	options Options
	http    *http.Client
	uploads *http.Client // for files of any size
}

func newOperators(options Options) *operators {
	transport := bounded{newTransport(options.Env)}
	return &operators{
		options: options,
		http:    &http.Client{Transport: transport, Timeout: answerTime, CheckRedirect: noRedirect},
		uploads: &http.Client{Transport: transport, Timeout: uploadTime, CheckRedirect: noRedirect},
	}
}

// noRedirect leaves redirects to the task: they name another region.
func noRedirect(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }

// warnOfProxy says in the task's log that the environment's proxy is not used.
func (o *operators) warnOfProxy(log *slog.Logger) {
	if _, err := operator.EnvProxy(o.options.Env, true); err != nil {
		log.Warn("the proxy of the environment is not used", slog.Any("error", err))
	}
}

// config returns what clients of services are made of. The usual places of credentials and settings are not searched.
func (o *operators) config(region string, keys aws.CredentialsProvider) aws.Config {
	return aws.Config{
		Region: region, Credentials: keys, HTTPClient: o.http,
		Retryer: func() aws.Retryer {
			return retry.NewStandard(func(s *retry.StandardOptions) {
				s.MaxAttempts, s.MaxBackoff, s.RateLimiter = maxRequests, maxBackoff, ratelimit.None
				s.Retryables = append([]retry.IsErrorRetryable{retry.IsErrorRetryableFunc(busy)}, s.Retryables...)
			})
		},
		APIOptions:                 []func(*middleware.Stack) error{WithoutOperation},
		RequestChecksumCalculation: aws.RequestChecksumCalculationWhenRequired,
		ResponseChecksumValidation: aws.ResponseChecksumValidationWhenRequired,
	}
}

// WithoutOperation removes the parameter with the name of the operation, which the library adds to addresses for its own use, and
// which some stores with S3's API do not expect.
func WithoutOperation(stack *middleware.Stack) error {
	remove := func(ctx context.Context, in middleware.BuildInput, next middleware.BuildHandler) (middleware.BuildOutput, middleware.Metadata, error) {
		if request, ok := in.Request.(*smithyhttp.Request); ok && strings.Contains(request.URL.RawQuery, "x-id=") {
			query := request.URL.Query()
			query.Del("x-id")
			request.URL.RawQuery = query.Encode()
		}
		return next.HandleBuild(ctx, in)
	}
	return stack.Build.Add(middleware.BuildMiddlewareFunc("WithoutOperation", remove), middleware.After)
}

// busy says of an answer whether the request may be repeated at once.
func busy(err error) aws.Ternary {
	if status := statusOf(err); isBusy(status) {
		return aws.TrueTernary
	}
	return aws.UnknownTernary
}

// keysOf reads the keys of a service, or else those of all services.
func keysOf(ctx context.Context, r *operator.Request, service string) (aws.CredentialsProvider, error) {
	id, err := r.Secret(ctx, "aws."+service+".access_key_id", "aws.access_key_id")
	if err != nil {
		return nil, err
	}
	key, err := r.Secret(ctx, "aws."+service+".secret_access_key", "aws.secret_access_key")
	if err != nil {
		return nil, err
	}
	return credentials.NewStaticCredentialsProvider(id, key, ""), nil
}

// withScheme adds https to an endpoint that is just a host.
func withScheme(endpoint string) string {
	if strings.Contains(endpoint, "://") {
		return endpoint
	}
	return "https://" + endpoint
}

var regionInHost = regexp.MustCompile(`[.-]([a-z]{2}(?:-gov|-iso[a-z]?)?-[a-z]+-\d)\.amazonaws\.com`)

// regionOf returns the region that stands in the name of a host of Amazon; empty if there is none.
func regionOf(endpoint string) string {
	if found := regionInHost.FindStringSubmatch(endpoint); found != nil {
		return found[1]
	}
	return ""
}
