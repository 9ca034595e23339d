package ecs

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"os"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	v4 "github.com/aws/aws-sdk-go-v2/aws/signer/v4"
	"github.com/aws/aws-sdk-go-v2/config"
	"github.com/aws/aws-sdk-go-v2/credentials"

	"github.com/trowel-project/trowel/internal/param"
	"github.com/trowel-project/trowel/internal/wait"
)

const (
	// answerTime is how long an answer is waited for, and mostBytes is the longest one.
	answerTime = time.Minute
	mostBytes  = 64 << 20
	// A request that fails for a while is sent again after a random time up to firstPause, then up to double that, at most
	// longestPause.
	firstPause   = 500 * time.Millisecond
	longestPause = 20 * time.Second
)

// service is one of Amazon's services that speak JSON.
type service struct {
	name     string // in addresses and signatures
	target   string // begins the header with the operation
	told     string // in errors, as in Digdag's
	variable string // of the environment, with another address
}

func serviceECS() service {
	return service{name: "ecs", target: "AmazonEC2ContainerServiceV20141113", told: "AmazonECS", variable: "AWS_ENDPOINT_URL_ECS"}
}

func serviceLogs() service {
	return service{name: "logs", target: "Logs_20140328", told: "AWSLogs", variable: "AWS_ENDPOINT_URL_CLOUDWATCH_LOGS"}
}

// client sends requests to the services of one region. It repeats requests that fail for a while.
type client struct {
	access   access
	keys     aws.CredentialsProvider
	http     *http.Client
	endpoint string // of all services; empty for Amazon's own
	signer   *v4.Signer
	pause    time.Duration
}

// clientOf returns the client of a cluster, which is kept.
func (e *Executor) clientOf(ctx context.Context, c *cluster) (*client, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if made := e.clients[c.access]; made != nil {
		return made, nil
	}
	settings, err := config.LoadDefaultConfig(context.WithoutCancel(ctx), func(load *config.LoadOptions) error {
		load.Region = c.access.region
		if c.access.keyID != "" {
			load.Credentials = credentials.NewStaticCredentialsProvider(c.access.keyID, c.access.key, "")
		}
		return nil
	})
	if err != nil {
		return nil, param.Errorf("The settings of Amazon's clients cannot be read: %s", err)
	}
	made := &client{
		access: c.access, keys: settings.Credentials, http: e.options.HTTP, endpoint: aws.ToString(settings.BaseEndpoint), signer: v4.NewSigner(), pause: e.times.retry,
	}
	if made.http == nil {
		made.http = &http.Client{Timeout: answerTime} // heeds the proxies of the environment
	}
	e.clients[c.access] = made
	return made, nil
}

// address returns where a service is.
func (c *client) address(s service) string {
	for _, other := range []string{os.Getenv(s.variable), c.endpoint} { //nolint:forbidigo // where Amazon's libraries look for it
		if other != "" {
			return strings.TrimSuffix(other, "/") + "/"
		}
	}
	domain := "amazonaws.com"
	if strings.HasPrefix(c.access.region, "cn-") {
		domain = "amazonaws.com.cn"
	}
	return "https://" + s.name + "." + c.access.region + "." + domain + "/"
}

// call sends a request and reads the answer into out, which may be nil.
func (c *client) call(ctx context.Context, s service, operation string, in, out any) error {
	body, err := json.Marshal(in)
	if err != nil {
		return err
	}
	for try, longest := 0, c.pause; ; try, longest = try+1, min(2*longest, longestPause) {
		err := c.callOnce(ctx, s, operation, body, out)
		if err == nil || try >= c.access.retries || !mayPass(err) {
			return err
		}
		if err := wait.Sleep(ctx, rand.N(longest)+1); err != nil { //nolint:gosec // spreads requests
			return err
		}
	}
}

func (c *client) callOnce(ctx context.Context, s service, operation string, body []byte, out any) error {
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, c.address(s), bytes.NewReader(body))
	if err != nil {
		return param.Errorf("The address of %s cannot be used: %s", s.told, err)
	}
	request.Header.Set("Content-Type", "application/x-amz-json-1.1")
	request.Header.Set("X-Amz-Target", s.target+"."+operation)
	keys, err := c.keys.Retrieve(ctx)
	if err != nil {
		return &serviceError{service: s, message: "find the keys for " + s.told + ": " + err.Error(), err: err} // they may be found later
	}
	sum := sha256.Sum256(body)
	if err := c.signer.SignHTTP(ctx, keys, request, hex.EncodeToString(sum[:]), s.name, c.access.region, time.Now()); err != nil {
		return err
	}
	answer, err := c.http.Do(request)
	if err != nil {
		return &serviceError{service: s, message: s.told + " does not answer: " + err.Error(), err: err}
	}
	defer answer.Body.Close() //nolint:errcheck // only read from
	data, err := io.ReadAll(io.LimitReader(answer.Body, mostBytes))
	if answer.StatusCode != http.StatusOK {
		return refusal(s, answer, data)
	}
	if err == nil && out != nil {
		err = json.Unmarshal(data, out)
	}
	if err != nil {
		return &serviceError{service: s, message: "the answer of " + s.told + " broke off: " + err.Error(), err: err}
	}
	return nil
}

// serviceError is an answer that refuses a request, or the lack of a whole answer.
type serviceError struct {
	service   service
	status    int    // zero without an answer
	code      string // such as ClientException
	message   string
	requestID string
	resources []string // what a conflict is about
	err       error
}

// Error returns the message in Digdag's form.
func (e *serviceError) Error() string {
	if e.status == 0 {
		return e.message
	}
	code := cmp.Or(e.code, fmt.Sprintf("%d %s", e.status, http.StatusText(e.status))) // a proxy may have answered
	return fmt.Sprintf("%s (Service: %s; Status Code: %d; Error Code: %s; Request ID: %s)", e.message, e.service.told, e.status, code, e.requestID)
}

// Unwrap returns the cause.
func (e *serviceError) Unwrap() error { return e.err }

// refusal reads the answer to a request that is refused.
func refusal(s service, answer *http.Response, data []byte) *serviceError {
	var body struct {
		Type        string   `json:"__type"`
		Code        string   `json:"code"`
		Message     string   `json:"message"`
		ResourceIDs []string `json:"resourceIds"`
	}
	_ = json.Unmarshal(data, &body) // a proxy may have answered with something else
	e := &serviceError{service: s, status: answer.StatusCode, requestID: answer.Header.Get("X-Amzn-Requestid"), message: body.Message, resources: body.ResourceIDs}
	for _, name := range []string{body.Type, body.Code, answer.Header.Get("X-Amzn-Errortype")} {
		if e.code == "" {
			name, _, _ = strings.Cut(name, ":")
			e.code = name[strings.LastIndexByte(name, '#')+1:]
		}
	}
	if e.message == "" {
		e.message = answer.Status
	}
	return e
}

// refusedBy returns the error of a service in a chain of errors; nil for none.
func refusedBy(err error) *serviceError {
	e, _ := errors.AsType[*serviceError](err)
	return e
}
