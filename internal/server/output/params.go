package output

import (
	"strconv"

	"github.com/trowel-project/trowel/internal/server/rest"
)

// flag reads a parameter that is true or 1.
func flag(c *rest.Call, name string) bool { return c.FlagParam(name) || c.Query.Get(name) == "1" }

// number reads a parameter that is a number, least or larger; missing is its value if it is absent.
func number(c *rest.Call, name string, least, missing int64) (int64, error) {
	text := c.Query.Get(name)
	if text == "" {
		return missing, nil
	}
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil || n < least {
		return 0, rest.InvalidValue(name, "%s must be a number from %d on, not %.40q", name, least, text)
	}
	return n, nil
}
