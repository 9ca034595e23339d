package template

import (
	"sync"
	"time"

	"github.com/dlclark/regexp2/v2"
)

// regexpLimit is how long one search with a regular expression may take. The interpreter searches
// with regexp2 if the pattern needs backtracking, which may take for ever and cannot be
// interrupted. It is not shorter because on a busy machine even a short search may have to wait.
const regexpLimit = 3 * time.Second

var regexpLimitOnce sync.Once //nolint:gochecknoglobals // guards the only way to set the limit, a variable of regexp2

// limitRegexps sets the limit for all patterns that are compiled afterwards.
func limitRegexps() {
	regexpLimitOnce.Do(func() { regexp2.DefaultMatchTimeout = regexpLimit })
}
