package td

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"
	"time"
)

// Options are the settings config.td.* (operators 11). Zero values have the defaults.
type Options struct {
	Endpoint           string // of tasks that name none
	MinPoll, MaxPoll   time.Duration
	MinRetry, MaxRetry time.Duration
	Wait               WaitOptions
	UserAgent          string
	// Env looks up a variable of the environment, for its proxies; nil for no environment.
	Env func(string) (string, bool)
}

// WaitOptions are the settings config.td.wait.*: how often td_wait> and td_wait_table> look.
type WaitOptions struct{ Poll, MinPoll, MaxPoll time.Duration }

const defaultEndpoint = "api.treasuredata.com"

// withDefaults fills in what is not set.
func (o Options) withDefaults() Options {
	o.Endpoint = cmp.Or(o.Endpoint, defaultEndpoint)
	o.MinPoll, o.MaxPoll = cmp.Or(o.MinPoll, time.Second), cmp.Or(o.MaxPoll, 30*time.Second)
	o.MinRetry, o.MaxRetry = cmp.Or(o.MinRetry, time.Second), cmp.Or(o.MaxRetry, 30*time.Second)
	o.Wait = o.Wait.withDefaults()
	return o
}

// longestDefaultWait is the largest default of the interval of td_wait>.
const longestDefaultWait = 10 * time.Minute

func (w WaitOptions) withDefaults() WaitOptions {
	w.MinPoll, w.MaxPoll = cmp.Or(w.MinPoll, 30*time.Second), cmp.Or(w.MaxPoll, 48*time.Hour)
	w.Poll = cmp.Or(w.Poll, min(w.MinPoll, longestDefaultWait))
	return w
}

// Check returns what is wrong with settings together, with Digdag's text about each (operators 8.7). A server refuses to
// start with them.
func (o Options) Check() error {
	o = o.withDefaults()
	switch {
	case o.MaxPoll < o.MinPoll:
		return invalidSetting("config.td.max_poll_interval")
	case o.MaxRetry < o.MinRetry:
		return invalidSetting("config.td.max_retry_interval")
	case o.Wait.MaxPoll < o.Wait.MinPoll:
		return invalidSetting("config.td.wait.max_poll_interval")
	case o.Wait.Poll < o.Wait.MinPoll || o.Wait.Poll > o.Wait.MaxPoll:
		return invalidSetting("config.td.wait.poll_interval")
	default:
		return nil
	}
}

func invalidSetting(key string) error { return fmt.Errorf("invalid configuration value: %s", key) }

// durationText returns a duration as people write it in a workflow: 1d 2h 3m 4s.
func durationText(d time.Duration) string {
	var parts []string
	for _, unit := range []struct {
		name   string
		length time.Duration
	}{{"d", 24 * time.Hour}, {"h", time.Hour}, {"m", time.Minute}, {"s", time.Second}} {
		if n := d / unit.length; n > 0 {
			parts, d = append(parts, strconv.FormatInt(int64(n), 10)+unit.name), d%unit.length
		}
	}
	return cmp.Or(strings.Join(parts, " "), "0s")
}
