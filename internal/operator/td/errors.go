package td

import (
	"errors"
	"time"

	"github.com/trowel-project/trowel/internal/operator"
	"github.com/trowel-project/trowel/internal/operator/td/tdclient"
)

// passing reports whether the same request may succeed later.
func passing(err error) bool {
	failure, ok := errors.AsType[*tdclient.Error](err)
	return ok && failure.Passing()
}

// retryAfter returns how long the service asked to be left alone.
func retryAfter(err error) time.Duration {
	if failure, ok := errors.AsType[*tdclient.Error](err); ok {
		return min(failure.RetryAfter, 10*time.Minute)
	}
	return 0
}

// withKind gives an error of the client its kind (operators 1.13), also one for which a step is tried again.
func withKind(err error) error {
	if again, ok := errors.AsType[*operator.Again](err); ok {
		if again.Cause != nil {
			again.Cause = withKind(again.Cause)
		}
		return again
	}
	if failure, ok := errors.AsType[*tdclient.Error](err); ok {
		return &operator.Error{Kind: failure.Kind(), Message: failure.Error(), Err: err}
	}
	return err
}
