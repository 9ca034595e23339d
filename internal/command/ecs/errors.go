package ecs

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"strings"
	"unicode"

	"github.com/trowel-project/trowel/internal/command"
)

// told returns an error of a service as one of a task. The kind is made of the service's name of the error, as "client" of
// ClientException. Other errors are returned as they are.
func told(err error) error {
	refused := refusedBy(err)
	if refused == nil || refused.status == 0 {
		return err
	}
	return &command.Error{Kind: kindOf(refused.code), Err: err, Message: refused.Error()}
}

// kindOf returns the words of a name such as InvalidParameterException, without the last one.
func kindOf(code string) string {
	var text strings.Builder
	for i, r := range strings.TrimSuffix(code, "Exception") {
		if unicode.IsUpper(r) && i > 0 {
			text.WriteByte(' ')
		}
		text.WriteRune(unicode.ToLower(r))
	}
	if text.Len() == 0 {
		return "runtime"
	}
	return text.String()
}

// codeOf returns the service's name of an error; empty if it has none.
func codeOf(err error) string {
	if refused := refusedBy(err); refused != nil {
		return refused.code
	}
	return ""
}

// isUnknown reports whether it is not known what has become of a request: there was no answer or half of one.
func isUnknown(err error) bool {
	refused := refusedBy(err)
	return refused != nil && refused.status == 0
}

// isThrottled reports whether the service refuses a request because there are too many.
func isThrottled(err error) bool {
	refused := refusedBy(err)
	return refused != nil && (refused.status == http.StatusTooManyRequests || slices.Contains([]string{
		"Throttling", "ThrottlingException", "ThrottledException", "RequestThrottled", "RequestThrottledException", "TooManyRequestsException",
		"RequestLimitExceeded", "SlowDown", "BandwidthLimitExceeded",
	}, refused.code))
}

// isWrong reports whether a submission is refused because of its options (operators 4.4).
func isWrong(err error) bool {
	return slices.Contains([]string{
		"InvalidParameterException", "ClusterNotFoundException", "AccessDeniedException", "UnsupportedFeatureException", "BlockedException",
		"PlatformUnknownException", "PlatformTaskDefinitionIncompatibilityException",
	}, codeOf(err))
}

// mayPass reports whether a request that failed may work later.
func mayPass(err error) bool {
	if errors.Is(err, context.Canceled) {
		return false
	}
	refused := refusedBy(err)
	return refused != nil && (refused.status == 0 || refused.status >= http.StatusInternalServerError || isThrottled(err))
}
