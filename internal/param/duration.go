package param

import (
	"fmt"
	"math"
	"regexp"
	"strconv"
	"time"
)

var durationText = regexp.MustCompile(
	`^[\s\v]*(?:(\d+)[\s\v]*[dD])?[\s\v]*(?:(\d+)[\s\v]*[hH])?` +
		`[\s\v]*(?:(\d+)[\s\v]*[mM])?[\s\v]*(?:(\d+)[\s\v]*[sS])?[\s\v]*$`)

// ParseDuration reads a duration of days, hours, minutes and seconds, such as "1d 2h 3m 4s". At least one of them
// must be there, in this order, in upper or lower case, with any space around numbers and units (language L36,
// operators 1.5). A bare number is refused. A duration of more than about 292 years, the longest
// time.Duration, is cut to that.
func ParseDuration(text string) (time.Duration, error) {
	match := durationText.FindStringSubmatch(text)
	if match == nil {
		return 0, invalidDuration(text)
	}
	units := []time.Duration{24 * time.Hour, time.Hour, time.Minute, time.Second}
	var sum time.Duration
	some := false
	for i, digits := range match[1:] {
		if digits == "" {
			continue
		}
		n, err := strconv.ParseInt(digits, 10, 64)
		if err != nil {
			return 0, invalidDuration(text)
		}
		some = true
		if n > int64((math.MaxInt64-sum)/units[i]) {
			sum = math.MaxInt64
			continue
		}
		sum += time.Duration(n) * units[i]
	}
	if !some {
		return 0, invalidDuration(text)
	}
	return sum, nil
}

func invalidDuration(text string) error {
	return fmt.Errorf("invalid duration %q: use days, hours, minutes and seconds, as in 1h 30m", text)
}
