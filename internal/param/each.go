package param

import (
	"errors"
	"fmt"
)

var errList = errors.New("not a JSON list")

// EachMember calls f with the members of a JSON object, in their order, until f returns false. Key and value are still
// JSON text. What f does not look at is not parsed.
func EachMember(text string, f func(key, value string) bool) error {
	at := skipSpace(text, 0)
	if at >= len(text) || text[at] != '{' {
		return errObject
	}
	for at = skipSpace(text, at+1); at < len(text) && text[at] == '"'; at = skipSpace(text, at) {
		end := skipValue(text, at)
		key := text[at:end]
		at = skipSpace(text, end)
		if at >= len(text) || text[at] != ':' {
			return fmt.Errorf("%w: no colon at byte %d", errObject, at)
		}
		at = skipSpace(text, at+1)
		end = skipValue(text, at)
		if !f(key, text[at:end]) {
			return nil
		}
		if at = skipSpace(text, end); at < len(text) && text[at] == ',' {
			at = skipSpace(text, at+1)
		}
	}
	if at >= len(text) || text[at] != '}' {
		return fmt.Errorf("%w: it does not end at byte %d", errObject, at)
	}
	return nil
}

// EachItem calls f with the items of a JSON list, in their order, until f returns an error. An item is still JSON text.
func EachItem(text string, f func(item string) error) error {
	at := skipSpace(text, 0)
	if at >= len(text) || text[at] != '[' {
		return errList
	}
	for at = skipSpace(text, at+1); at < len(text) && text[at] != ']'; at = skipSpace(text, at) {
		end := skipValue(text, at)
		if end == at {
			return fmt.Errorf("%w: no item at byte %d", errList, at)
		}
		if err := f(text[at:end]); err != nil {
			return err
		}
		if at = skipSpace(text, end); at < len(text) && text[at] == ',' {
			at++
		}
	}
	if at >= len(text) {
		return fmt.Errorf("%w: it has no end", errList)
	}
	return nil
}
