package rest

import (
	"strconv"
	"strings"
	"time"

	"github.com/trowel-project/trowel/internal/api"
)

// IntParam reads an integer parameter; missing is its value if it is absent. A value that is not an integer is
// ErrNoPath (server 2.1).
func (c *Call) IntParam(name string, bits int, missing int64) (int64, error) {
	values, given := c.Query[name]
	if !given {
		return missing, nil
	}
	n, err := strconv.ParseInt(values[0], 10, bits)
	if err != nil {
		return 0, ErrNoPath
	}
	return n, nil
}

// FlagParam reads a boolean parameter. Everything but true is false (server 2.1).
func (c *Call) FlagParam(name string) bool { return strings.EqualFold(c.Query.Get(name), "true") }

// InstantParam reads a parameter that is an instant. It is zero if the parameter is absent.
func (c *Call) InstantParam(name string) (time.Time, error) {
	text := c.Query.Get(name)
	if text == "" {
		return time.Time{}, nil
	}
	at, err := api.ParseInstant(text)
	if err != nil {
		return at, InvalidValue(name, "%s must be an instant, not %q", name, text).WithHint("write it as in 2026-01-02T03:04:05Z")
	}
	return at, nil
}
