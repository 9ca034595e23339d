package rest

import (
	"encoding/base64"
	"strconv"
	"strings"
)

// DefaultPage is the size of a page if the request sets none (server 2.4).
const DefaultPage = 100

// maxPage is the largest limit of Trowel's own lists, which have limit and cursor (docs/rest.md).
const maxPage = 500

// MaxPageBytes ends pages of attempts and sessions early, since their parameters may be large, and take many times as
// much memory. Clients read on until a page is empty.
const MaxPageBytes = 4 << 20

// PageParams are the parameters of Trowel's own lists.
func PageParams() []Parameter {
	return []Parameter{
		QueryInt("limit", "How many items at most, up to 500; 100 if it is missing."),
		QueryText("cursor", "Where to go on: next of the page before."),
	}
}

// Cursor returns a cursor that stands for the key of the last item of a page.
func Cursor(key ...string) *string {
	text := base64.RawURLEncoding.EncodeToString([]byte(strings.Join(key, "\n")))
	return &text
}

// PageKey reads limit and cursor. key has so many parts, and is nil on the first page.
func (c *Call) PageKey(parts int) (limit int, key []string, err error) {
	limit = DefaultPage
	if text := c.Query.Get("limit"); text != "" {
		limit, err = strconv.Atoi(text)
		if err != nil || limit < 1 || limit > maxPage {
			return 0, nil, InvalidValue("limit", "limit must be a number from 1 to %d, not %q", maxPage, text)
		}
	}
	text := c.Query.Get("cursor")
	if text == "" {
		return limit, nil, nil
	}
	data, err := base64.RawURLEncoding.DecodeString(text)
	if key = strings.Split(string(data), "\n"); err != nil || len(key) != parts {
		return 0, nil, badCursor(text)
	}
	return limit, key, nil
}

// PageNumbers is PageKey for a key of numbers.
func (c *Call) PageNumbers(parts int) (limit int, key []int64, err error) {
	limit, texts, err := c.PageKey(parts)
	if err != nil {
		return 0, nil, err
	}
	for _, text := range texts {
		n, err := strconv.ParseInt(text, 10, 64)
		if err != nil {
			return 0, nil, badCursor(c.Query.Get("cursor"))
		}
		key = append(key, n)
	}
	return limit, key, nil
}

func badCursor(text string) error {
	return InvalidValue("cursor", "%q is no cursor of this list", text).WithHint("send next of the page before, or none for the first page")
}

// NumberCursor is Cursor for a key of numbers.
func NumberCursor(key ...int64) *string {
	texts := make([]string, len(key))
	for i, n := range key {
		texts[i] = strconv.FormatInt(n, 10)
	}
	return Cursor(texts...)
}
