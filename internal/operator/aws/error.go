package aws

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws/retry"
	"github.com/aws/smithy-go"
	smithyhttp "github.com/aws/smithy-go/transport/http"

	"github.com/trowel-project/trowel/internal/operator"
)

// statusOf returns the HTTP status of the answer that an error is about; zero if it is about something else.
func statusOf(err error) int {
	type answer interface {
		error
		HTTPStatusCode() int
	}
	if found, ok := errors.AsType[answer](err); ok {
		return found.HTTPStatusCode()
	}
	return 0
}

func isBusy(status int) bool {
	return status == http.StatusRequestTimeout || status == http.StatusTooManyRequests || status >= http.StatusInternalServerError
}

// mayPass reports whether a request that failed may be sent again later. Answers of a service, and errors before the
// request, do not pass (operators 12, quirk 27), except that there are too many requests or that the service is in trouble.
func mayPass(err error) bool {
	if status := statusOf(err); status >= http.StatusBadRequest {
		return isBusy(status) || isThrottled(err)
	}
	return isLost(err)
}

// isLost reports whether there was no answer, or no whole one. One that is too large would be so again.
func isLost(err error) bool {
	if _, large := errors.AsType[*http.MaxBytesError](err); large {
		return false
	}
	_, unsent := errors.AsType[*smithyhttp.RequestSendError](err)
	_, broken := errors.AsType[*smithy.DeserializationError](err)
	return unsent || broken || errors.Is(err, context.DeadlineExceeded)
}

func isThrottled(err error) bool {
	if answer, ok := errors.AsType[smithy.APIError](err); ok {
		_, throttled := retry.DefaultThrottleErrorCodes[answer.ErrorCode()]
		return throttled
	}
	return false
}

// service is how Amazon's Java library calls a service in errors.
type service struct{ name, kind string }

//nolint:gochecknoglobals // constants of a type that has none
var (
	serviceS3  = service{"Amazon S3", "amazon s3"}
	serviceEMR = service{"AmazonElasticMapReduce", "amazon elastic map reduce"}
	serviceKMS = service{"AWSKMS", "aws kms"}
	serviceSTS = service{"AWSSecurityTokenService", "aws security token service"}
)

// worded gives an answer of a service the text and the kind of Amazon's Java library (operators 1.13).
func worded(err error) error {
	if _, known := errors.AsType[*operator.Error](err); known {
		return err
	}
	status := statusOf(err)
	if status == 0 {
		return err
	}
	of, operation := serviceOf(err)
	code, message := fmt.Sprintf("%d %s", status, http.StatusText(status)), http.StatusText(status)
	if answer, ok := errors.AsType[smithy.APIError](err); ok && operation != "HeadObject" {
		if answer.ErrorCode() != "" {
			code = answer.ErrorCode()
		}
		if answer.ErrorMessage() != "" {
			message = answer.ErrorMessage()
		}
	}
	text := fmt.Sprintf("%s (Service: %s; Status Code: %d; Error Code: %s; Request ID: %s", message, of.name, status, code, requestID(err))
	if of == serviceS3 {
		text += "; S3 Extended Request ID: " + hostID(err)
	}
	return &operator.Error{Kind: kindOf(of, code), Message: text + ")", Err: err}
}

// serviceOf returns the service and the operation of a request that failed. What fails last counts: a request may need another one
// for its credentials.
func serviceOf(err error) (of service, operation string) {
	of = serviceS3
	for err != nil {
		call, ok := errors.AsType[*smithy.OperationError](err)
		if !ok {
			break
		}
		operation = call.Operation()
		switch strings.ToUpper(call.Service()) {
		case "EMR":
			of = serviceEMR
		case "KMS":
			of = serviceKMS
		case "STS":
			of = serviceSTS
		default:
			of = serviceS3
		}
		err = call.Unwrap()
	}
	return of, operation
}

// kindOf returns the kind of an error: some codes are classes of their own in the Java library.
func kindOf(of service, code string) string {
	switch {
	case of == serviceEMR && code == "InvalidRequestException":
		return "invalid request"
	case of == serviceEMR && strings.HasPrefix(code, "InternalServer"):
		return "internal server"
	case of == serviceKMS && code == "NotFoundException":
		return "not found"
	case of == serviceKMS && code == "DisabledException":
		return "disabled"
	}
	return of.kind
}

func requestID(err error) string {
	type answer interface {
		error
		ServiceRequestID() string
	}
	if found, ok := errors.AsType[answer](err); ok && found.ServiceRequestID() != "" {
		return found.ServiceRequestID()
	}
	return "null"
}

func hostID(err error) string {
	type answer interface {
		error
		ServiceHostID() string
	}
	if found, ok := errors.AsType[answer](err); ok && found.ServiceHostID() != "" {
		return found.ServiceHostID()
	}
	return "null"
}

// ended returns the error of a run whose context ended, in place of that of a request that ended with it.
func ended(ctx context.Context, err error) error {
	if err != nil && ctx.Err() != nil {
		if _, again := errors.AsType[*operator.Again](err); !again {
			return context.Cause(ctx)
		}
	}
	return err
}
