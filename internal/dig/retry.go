package dig

import (
	"math"
	"strings"
	"time"

	"github.com/trowel-project/trowel/internal/param"
)

// Texts of C28, C30 and L35.
const (
	retryFormat       = "Invalid _retry format:%s"
	retryIntervalType = "Invalid retry_interval_type: %s"

	optionalInt    = "[reference type, class com.google.common.base.Optional<int><[simple type, class int]>]"
	optionalString = "[reference type, class com.google.common.base.Optional<java.lang.String>" +
		"<[simple type, class java.lang.String]>]"
)

// Retry says how often and when a failed task or group is tried again (language C27 to C32).
type Retry struct {
	Limit       int            // number of retries, without the first try; 0 or less for none
	Interval    time.Duration  // time before the first retry
	MaxInterval *time.Duration // nil for no limit; only exponential delays use it
	Exponential bool           // the time doubles with each retry
}

// ParseRetry reads the value of _retry. Callers use the zero Retry if there is none.
// All errors are *Error.
func ParseRetry(value param.Value) (Retry, error) {
	switch value := value.(type) {
	case nil, bool, param.List:
		return Retry{}, configErrorf(retryFormat, param.JSON(value))
	case *param.Map:
		return parseRetryMap(value)
	default:
		limit, ok := param.AsInt(value)
		if !ok {
			return Retry{}, asError(param.WrongType(keyRetry, param.TypeInt, value))
		}
		return Retry{Limit: limit}, nil
	}
}

func parseRetryMap(m *param.Map) (Retry, error) {
	limit, err := param.NewReader(m).Int("limit")
	if err != nil {
		return Retry{}, asError(err)
	}
	retry := Retry{Limit: limit}
	interval, err := optSeconds(m, "interval")
	if err != nil {
		return Retry{}, err
	}
	if interval != nil {
		retry.Interval = *interval
	}
	if retry.MaxInterval, err = optSeconds(m, "max_interval"); err != nil {
		return Retry{}, err
	}
	kind, _ := m.Get("interval_type")
	if kind == nil {
		return retry, nil
	}
	text, ok := param.AsString(kind)
	switch {
	case !ok:
		return Retry{}, asError(param.WrongType("interval_type", optionalString, kind))
	case strings.EqualFold(text, "exponential"):
		retry.Exponential = true
	case !strings.EqualFold(text, "constant"):
		return Retry{}, configErrorf(retryIntervalType, text)
	}
	return retry, nil
}

func optSeconds(m *param.Map, key string) (*time.Duration, error) {
	value, _ := m.Get(key)
	if value == nil {
		return nil, nil
	}
	seconds, ok := param.AsInt(value)
	if !ok {
		return nil, asError(param.WrongType(key, optionalInt, value))
	}
	length := time.Duration(seconds) * time.Second
	return &length, nil
}

// longestDelay limits exponential delays to 2^31-1 seconds, the largest number that Digdag computes with.
const longestDelay = math.MaxInt32 * time.Second

// Delay returns the time to wait before the next retry, after retryCount retries
// (language C29). It is never negative. Where Digdag's seconds overflow 32 bits and turn negative,
// the delay stays at their maximum.
func (r Retry) Delay(retryCount int) time.Duration {
	delay := max(r.Interval, 0)
	if !r.Exponential {
		return delay
	}
	if shift := max(retryCount, 0); delay > 0 {
		if shift >= 31 || delay > longestDelay>>shift {
			delay = longestDelay
		} else {
			delay <<= shift
		}
	}
	if r.MaxInterval != nil {
		delay = max(min(delay, *r.MaxInterval), 0)
	}
	return delay
}
