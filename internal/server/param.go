package server

import (
	"strconv"
	"strings"
	"time"

	"github.com/trowel-project/trowel/internal/api"
)

// intParam reads an integer of the query; one that is no integer is a path that does not exist
// (server 2.1).
func (c *call) intParam(name string, bits int, missing int64) (int64, error) {
	values, given := c.query[name]
	if !given {
		return missing, nil
	}
	n, err := strconv.ParseInt(values[0], 10, bits)
	if err != nil {
		return 0, ErrNoPath
	}
	return n, nil
}

// flagParam reads a boolean of the query: everything but true is false (server 2.1).
func (c *call) flagParam(name string) bool { return strings.EqualFold(c.query.Get(name), "true") }

// instantParam reads a parameter that is an instant; zero if it is missing.
func (c *call) instantParam(name string) (time.Time, error) {
	text := c.query.Get(name)
	if text == "" {
		return time.Time{}, nil
	}
	at, err := api.ParseInstant(text)
	if err != nil {
		return at, InvalidValue(name, "%s must be an instant, not %q", name, text).WithHint("write it as in 2026-01-02T03:04:05Z")
	}
	return at, nil
}
